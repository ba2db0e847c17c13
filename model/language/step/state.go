package step

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A State is a global state.
type State struct {
	Processes []ir.Local
	Channels  [][]ir.Content // by link: in queue order for FIFO, else ascending
	Faults    Tally

	protocol *ir.Protocol // nil: of a state that is made up
}

var _ ir.View = (*State)(nil)

// At implements ir.View.
func (s *State) At(p int) *ir.Point { return s.seen(p).Point }

// Var implements ir.View.
func (s *State) Var(p int, v *ir.Var) (int64, bool) { return s.seen(p).Var(v) }

// seen returns the local state of process p as properties see it.
func (s *State) seen(p int) ir.Local {
	if s.protocol == nil {
		return s.Processes[p]
	}
	at, _ := s.protocol.Ended(s.Processes[p], nil)
	return at
}

// Channel implements ir.View.
func (s *State) Channel(link int) []ir.Content { return s.Channels[link] }

// registers is the view that processes have of a state, as opposed to that of properties.
type registers struct{ *State }

// Var implements ir.View.
func (r registers) Var(p int, v *ir.Var) (int64, bool) { return r.Processes[p].Var(v) }

// A Transition is one step of one process.
type Transition struct {
	Action  Action // without the age of its message
	Label   string
	Message string // that is sent or received
	Kind    model.ActionKind
	Process int
	Link    int      // sent to or received from; -1 if none
	Choice  int      // transitions of one draw share it; others are alternatives
	Weight  *big.Rat // the probability within the Choice
	// Repeated says that an earlier choice of the process has the same transition.
	Repeated bool
	Target   *State
	// Environment marks faults and recoveries, which need not happen. A tick is neither.
	Environment bool
}

// Quiescent reports whether all transitions of a state are the environment's: a run may end there.
func Quiescent(transitions []Transition) bool {
	return !slices.ContainsFunc(transitions, func(t Transition) bool { return !t.Environment })
}

// Initial calls yield with the initial states until it returns false. An error is a *model.Fault.
func (m *Machine) Initial(yield func(*State) bool) error {
	err := m.protocol.Initial(func(locals []ir.Local, channels [][]ir.Content) bool {
		s := &State{protocol: m.protocol, Channels: channels}
		for _, l := range locals {
			s.Processes = append(s.Processes, ir.Local{Point: l.Point, Env: slices.Clone(l.Env)})
		}
		return yield(s)
	})
	if e, ok := errors.AsType[*ir.Error](err); ok {
		return &model.Fault{Place: e.Pos.String(), Process: -1, Message: e.Message}
	}
	return err
}

// Successors returns the transitions of s, process by process. An error is a *model.Fault.
func (m *Machine) Successors(s *State) ([]Transition, error) {
	c := collector{machine: m, state: s}
	for p := range s.Processes {
		if err := c.process(p); err != nil {
			return nil, Blame(p, err)
		}
	}
	if c.err == nil {
		c.err = c.environment()
	}
	return c.all, c.err
}

// A collector collects the transitions of a state.
type collector struct {
	machine *Machine
	state   *State
	all     []Transition
	choices int
	err     error // that says already whose fault it is
}

// process collects the transitions of process p.
func (c *collector) process(p int) error {
	due := false
	own, err := c.own(p)
	if err != nil {
		return err
	}
	before := len(c.all)
	c.add(p, -1, 0, own)
	lo, hi := c.machine.protocol.InLinks(p)
	for link := lo; link < hi; link++ {
		channel := c.state.Channels[link]
		for _, i := range c.machine.Receivable(channel) {
			site, source := Site{Process: p, View: registers{c.state}}, c.machine.protocol.Links[link].In
			received, err := c.machine.Receive(c.state.Processes[p], site, source, channel[i])
			if err != nil {
				return err
			}
			due = due || len(received) > 0 && c.machine.Due(channel[i])
			c.add(p, link, i, received)
		}
	}
	if due && c.machine.TakesFirst() {
		c.all = slices.Delete(c.all, before, before+count(own))
	}
	return nil
}

func (c *collector) own(p int) ([]Distribution, error) {
	return c.machine.Own(c.state.Processes[p], Site{Process: p, View: registers{c.state}})
}

// count returns the number of outcomes.
func count(all []Distribution) int {
	n := 0
	for _, d := range all {
		n += len(d)
	}
	return n
}

// environment collects faults and the tick. The error is a timelock.
func (c *collector) environment() error {
	m := c.machine
	for link, channel := range c.state.Channels {
		for _, i := range m.Distinct(channel) {
			a := Action{Kind: model.LossAction, Port: int64(link), Message: channel[i]}
			a.Message.Age = 0
			c.fault(a, Losses, link, func(s *State) { s.Channels[link] = slices.Delete(s.Channels[link], i, i+1) })
			a.Kind = model.DuplicateAction
			c.fault(a, Duplicates, link, func(s *State) { s.Channels[link] = slices.Insert(s.Channels[link], i, channel[i]) })
			if m.MayFail(Duplicates, &c.state.Faults) && len(channel) >= m.options.MaxMessages {
				return m.Overflow(link)
			}
		}
	}
	for p, l := range c.state.Processes {
		if after, ok := m.Crash(p, l); ok {
			c.fault(Action{Kind: model.CrashAction}, Crashes, p, func(s *State) { s.Processes[p] = after })
		}
		after, ok, err := m.Recover(p, l)
		if err != nil {
			return err
		}
		if ok {
			c.happen(Action{Kind: model.RecoverAction}, p, -1, func(s *State) { s.Processes[p] = after })
		}
	}
	return c.tick()
}

// fault adds a fault of process or link at, if the budget allows.
func (c *collector) fault(a Action, b Budget, at int, change func(*State)) {
	if !c.machine.MayFail(b, &c.state.Faults) {
		return
	}
	process, link := at, -1
	if b != Crashes {
		process, link = -1, at
	}
	c.happen(a, process, link, func(s *State) {
		change(s)
		c.machine.CountFault(b, &s.Faults)
	})
}

// happen adds a transition of the environment.
func (c *collector) happen(a Action, process, link int, change func(*State)) {
	info := c.machine.Label(a, process)
	t := Transition{
		Action: a, Label: info.Text, Message: info.Message, Kind: a.Kind, Process: process, Link: link, Choice: c.choices,
		Weight: big.NewRat(1, 1), Target: c.state.clone(), Environment: a.Kind != model.TickAction,
	}
	change(t.Target)
	c.all = append(c.all, t)
	c.choices++
}

// tick adds the tick, if no process has to act first and time changes something.
func (c *collector) tick() error {
	m := c.machine
	if !m.protocol.Time.Ticks {
		return nil
	}
	for link, channel := range c.state.Channels {
		for _, message := range channel {
			if !m.Due(message) {
				continue
			}
			if _, ended := m.protocol.Ended(c.state.Processes[m.protocol.Links[link].To], nil); !ended {
				if len(c.all) == 0 {
					return m.Timelock(link, message)
				}
				return nil
			}
		}
	}
	for p := range c.state.Processes {
		if own, err := c.own(p); err != nil || len(own) > 0 {
			return err
		}
	}
	later := c.state.clone()
	for p, l := range later.Processes {
		later.Processes[p], _ = l.Tick()
	}
	for link, channel := range later.Channels {
		later.Channels[link] = m.TickContents(channel)
	}
	if m.Key(later) != m.Key(c.state) {
		c.happen(Action{Kind: model.TickAction}, -1, -1, func(s *State) { *s = *later })
	}
	return nil
}

// add adds alternatives of process p, which take message i out of a link unless that is -1.
func (c *collector) add(p, link, i int, alternatives []Distribution) {
	for _, d := range alternatives {
		for _, o := range d {
			info := c.machine.Label(o.Action, p)
			t := Transition{
				Action: o.Action, Label: info.Text, Message: info.Message, Kind: o.Action.Kind, Process: p, Link: link, Choice: c.choices,
				Weight: o.Probability, Repeated: o.Repeated, Target: c.state.clone(),
			}
			t.Target.Processes[p] = o.Next
			switch o.Action.Kind {
			case model.ReceiveAction:
				t.Target.Channels[link] = slices.Delete(t.Target.Channels[link], i, i+1)
			case model.SendAction:
				if err := c.send(&t, &o); err != nil && c.err == nil {
					c.err = err
				}
			}
			c.all = append(c.all, t)
		}
		c.choices++
	}
}

// send appends the message of an outcome to a queue, or inserts it in order.
func (c *collector) send(t *Transition, o *Outcome) error {
	m := c.machine
	t.Link = m.protocol.OutLink(t.Process, o.Action.Port)
	if t.Link < 0 {
		return Blame(t.Process, m.NoChannel(o.Action.Port, o.Place))
	}
	channel := append(t.Target.Channels[t.Link], o.Action.Message)
	if m.protocol.Channel == ir.Unordered {
		slices.SortStableFunc(channel, ir.Content.Compare)
	}
	t.Target.Channels[t.Link] = channel
	if len(channel) > m.options.MaxMessages {
		return Blame(t.Process, m.Overfull(t.Process, o.Action.Port, o.Place))
	}
	return nil
}

func (s *State) clone() *State {
	c := &State{Processes: slices.Clone(s.Processes), Faults: s.Faults, protocol: s.protocol}
	for _, channel := range s.Channels {
		c.Channels = append(c.Channels, slices.Clone(channel))
	}
	return c
}

// Key returns a text that is equal for two states exactly if the states are.
func (m *Machine) Key(s *State) string {
	var key []byte
	for _, l := range s.Processes {
		key = AppendLocal(key, l)
	}
	for _, channel := range s.Channels {
		key = AppendContents(key, channel)
	}
	return string(AppendKey(key, s.Faults[:]...))
}

// Format formats s for people: the processes, the channels in the order of the protocol's links, and the fault counts.
func (m *Machine) Format(s *State) string {
	var parts []string
	for _, l := range s.Processes {
		parts = append(parts, m.FormatLocal(l))
	}
	for _, channel := range s.Channels {
		parts = append(parts, m.protocol.FormatContents(channel))
	}
	for b := range Budgets {
		if _, counted := m.Limit(b); counted {
			parts = append(parts, fmt.Sprint(s.Faults[b]))
		}
	}
	return strings.Join(parts, " ")
}
