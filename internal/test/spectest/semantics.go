package spectest

import (
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// registers is the view that processes have of a state, as opposed to that of properties.
type registers struct{ *step.State }

// Seen implements ir.View.
func (r registers) Seen(p int) ir.Local { return r.Processes[p] }

// A Transition is one step of one process.
type Transition struct {
	Action  step.Action // without the age of its message
	Label   string
	Message string // that is sent or received
	Kind    model.ActionKind
	Process int
	Link    int      // sent to or received from; -1 if none
	Choice  int      // transitions of one draw share it; others are alternatives
	Weight  *big.Rat // the probability within the Choice
	// Repeated says that an earlier choice of the process has the same transition.
	Repeated bool
	Target   *step.State
	// Environment marks faults and recoveries, which need not happen. A tick is neither.
	Environment bool
}

// Quiescent reports whether all transitions of a state are the environment's: a run may end there.
func Quiescent(transitions []Transition) bool {
	return !slices.ContainsFunc(transitions, func(t Transition) bool { return !t.Environment })
}

// Successors returns the transitions of s, process by process. An error is a *model.Error. It is meant to be verified
// by reading it: each target is a state of its own, nothing is remembered.
func Successors(m *step.Machine, s *step.State) ([]Transition, error) {
	c := collector{machine: m, protocol: m.Protocol(), state: s}
	for p := range s.Processes {
		if err := c.process(p); err != nil {
			return nil, step.Blame(p, err)
		}
	}
	if c.err == nil {
		c.err = c.environment()
	}
	return c.all, c.err
}

// A collector collects the transitions of a state.
type collector struct {
	machine  *step.Machine
	protocol *ir.Protocol
	state    *step.State
	all      []Transition
	choices  int
	err      error // that says already whose fault it is
}

// process collects the transitions of process p.
func (c *collector) process(p int) error {
	if c.protocol.Channel.Sync {
		return c.meet(p)
	}
	due := false
	own, ownError := c.own(p)
	before, failed := len(c.all), c.err
	c.add(p, -1, 0, own)
	lo, hi := c.protocol.InLinks(p)
	for link := lo; link < hi; link++ {
		channel := c.state.Channels[link]
		for _, i := range c.receivable(channel) {
			site, source := step.Site{Process: p, View: registers{c.state}}, c.protocol.Links[link].In
			received, err := c.machine.Receive(c.state.Processes[p], site, source, channel[i])
			if err != nil {
				return cmp.Or(ownError, err)
			}
			due = due || len(received) > 0 && c.machine.Due(channel[i])
			c.add(p, link, i, received)
		}
	}
	if due && c.machine.TakesFirst() {
		c.all = slices.Delete(c.all, before, before+count(own))
		c.err, ownError = failed, nil // the message hides errors of own actions
	}
	return ownError
}

func (c *collector) own(p int) ([]step.Distribution, error) {
	site := step.Site{Process: p, View: registers{c.state}, Full: step.NeverFull}
	all, err := c.machine.OwnSteps(c.state.Processes[p], site)
	if capacity := c.protocol.Capacity; capacity.Most == 0 || capacity.Drops || err != nil {
		return all, err
	}
	var possible []step.Distribution
	met := make(map[string]bool) // the transitions of the alternatives so far
	for _, d := range all {
		if slices.ContainsFunc(d, func(o step.Outcome) bool { return c.waits(p, &o) }) {
			continue
		}
		for i := range d {
			d[i].Repeated = met[transition(&d[i])]
		}
		for i := range d {
			met[transition(&d[i])] = true
		}
		possible = append(possible, d)
	}
	return possible, nil
}

// acts reports whether process p can act without a message that is there already.
func (c *collector) acts(p int) (bool, error) {
	if c.protocol.Channel.Sync {
		met := collector{machine: c.machine, protocol: c.protocol, state: c.state}
		err := met.meet(p)
		return len(met.all) > 0, err
	}
	own, err := c.own(p)
	return len(own) > 0, err
}

// waits reports whether an outcome of process p is a send to a channel that exists and is full.
func (c *collector) waits(p int, o *step.Outcome) bool {
	if o.Action.Kind != model.SendAction {
		return false
	}
	link := c.protocol.OutLink(p, o.Action.Port)
	return link >= 0 && len(c.state.Channels[link]) >= c.protocol.Capacity.Most
}

// transition tells the outcomes of a process from each other.
func transition(o *step.Outcome) string {
	return string(step.AppendWrites(step.AppendLocal(o.Action.Key(nil), o.Next), o.Writes))
}

// count returns the number of outcomes.
func count(all []step.Distribution) int {
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
		for i := range channel {
			for word, kind := range faultKinds() {
				same := i > 0 && channel[i].Compare(channel[i-1]) == 0
				if same && !(word == "corrupting" && c.protocol.Channel.Ordered()) {
					continue
				}
				if err := c.befall(word, kind, link, i); err != nil {
					return err
				}
			}
		}
	}
	for p, l := range c.state.Processes {
		if after, ok := m.Crash(p, l); ok {
			c.fault(step.Action{Kind: model.CrashAction}, ir.CrashFault, p,
				func(s *step.State) { s.Processes[p] = after })
		}
		after, ok, err := m.Recover(p, l)
		if err != nil {
			return err
		}
		if ok {
			c.happen(step.Action{Kind: model.RecoverAction}, p, -1, func(s *step.State) { s.Processes[p] = after })
		}
	}
	return c.tick()
}

// faultKinds yields the words for faults of messages with their kinds.
func faultKinds() iter.Seq2[string, ir.FaultKind] {
	return func(yield func(string, ir.FaultKind) bool) {
		for kind := range ir.FaultKinds {
			if kind != ir.CrashFault && !yield(kind.Info().Keyword, kind) {
				return
			}
		}
	}
}

// befall adds the faults of a kind of message i in a channel. The effects are written here again, independently of the
// table of faults. The error is that the channel would be too full.
func (c *collector) befall(word string, kind ir.FaultKind, link, i int) error {
	m, channel := c.machine, c.state.Channels[link]
	a := step.Action{Kind: model.FaultAction, Fault: kind, Port: int64(link), Message: channel[i]}
	a.Message.Age = 0
	switch word {
	case "lossy":
		c.fault(a, kind, link, func(s *step.State) { s.Channels[link] = slices.Delete(s.Channels[link], i, i+1) })
	case "duplicating":
		if most := c.protocol.Capacity.Most; most > 0 && len(channel) >= most {
			return nil
		}
		if m.MayFail(kind, &c.state.Faults) && len(channel) >= m.MaxMessages() {
			return m.Overflow(kind, link)
		}
		c.fault(a, kind, link, func(s *step.State) {
			s.Channels[link] = slices.Insert(s.Channels[link], i, channel[i])
		})
	case "corrupting":
		if !m.MayFail(kind, &c.state.Faults) {
			return nil // other protocols may have fields with too many values to list
		}
		for _, args := range fieldValues(channel[i].Message.Fields) {
			if slices.Equal(args, channel[i].Args) {
				continue
			}
			a.Into = ir.Content{Message: channel[i].Message, Args: args}
			c.fault(a, kind, link, func(s *step.State) {
				s.Channels[link][i].Args = args
				if !c.protocol.Channel.Ordered() {
					slices.SortFunc(s.Channels[link], ir.Content.Compare)
				}
			})
		}
	default:
		panic("spectest: a channel that is " + word)
	}
	return nil
}

// fieldValues returns all combinations of values of fields, which have few.
func fieldValues(fields []ir.Field) [][]int64 {
	if len(fields) == 0 {
		return [][]int64{nil}
	}
	first, all := fields[0].Type, [][]int64(nil)
	for _, rest := range fieldValues(fields[1:]) {
		for v := first.Lo; v <= first.Hi; v++ {
			if first.Contains(v) {
				all = append(all, append([]int64{v}, rest...))
			}
		}
	}
	return all
}

// fault adds a fault of process or link at, if the budget allows.
func (c *collector) fault(a step.Action, b ir.FaultKind, at int, change func(*step.State)) {
	if !c.machine.MayFail(b, &c.state.Faults) {
		return
	}
	process, link := at, -1
	if b != ir.CrashFault {
		process, link = -1, at
	}
	c.happen(a, process, link, func(s *step.State) {
		change(s)
		c.machine.CountFault(b, &s.Faults)
	})
}

// happen adds a transition of the environment.
func (c *collector) happen(a step.Action, process, link int, change func(*step.State)) {
	info := c.machine.Label(a, process)
	t := Transition{
		Action: a, Label: info.Text, Message: info.Message, Kind: a.Kind, Process: process, Link: link,
		Choice: c.choices,
		Weight: big.NewRat(1, 1), Target: clone(c.state), Environment: a.Kind != model.TickAction,
	}
	change(t.Target)
	c.all = append(c.all, t)
	c.choices++
}

// tick adds the tick, if no process has to act first and time changes something.
func (c *collector) tick() error {
	m := c.machine
	if !c.protocol.Time.Ticks {
		return nil
	}
	for link, channel := range c.state.Channels {
		for _, message := range channel {
			if !m.Due(message) {
				continue
			}
			if _, ended := c.protocol.Ended(c.state.Processes[c.protocol.Links[link].To], nil); !ended {
				if len(c.all) == 0 {
					return m.Timelock(link, message)
				}
				return nil
			}
		}
	}
	for p := range c.state.Processes {
		if acts, err := c.acts(p); err != nil || acts {
			return err
		}
	}
	later := clone(c.state)
	for p, l := range later.Processes {
		later.Processes[p], _ = l.Tick()
	}
	for link, channel := range later.Channels {
		later.Channels[link] = m.TickContents(channel)
	}
	if later.Key() != c.state.Key() {
		c.happen(step.Action{Kind: model.TickAction}, -1, -1, func(s *step.State) { *s = *later })
	}
	return nil
}

// add adds alternatives of process p, which take message i out of a link unless that is -1.
func (c *collector) add(p, link, i int, alternatives []step.Distribution) {
	for _, d := range alternatives {
		for _, o := range d {
			info := c.machine.Label(o.Action, p)
			t := Transition{
				Action: o.Action, Label: info.Text, Message: info.Message, Kind: o.Action.Kind, Process: p, Link: link,
				Choice: c.choices,
				Weight: o.Probability, Repeated: o.Repeated, Target: clone(c.state),
			}
			t.Target.Processes[p] = o.Next
			for _, w := range o.Writes {
				t.Target.Shared[w.Var.Slot] = w.Value
			}
			switch o.Action.Kind {
			case model.ReceiveAction:
				t.Target.Channels[link] = slices.Delete(t.Target.Channels[link], i, i+1)
			case model.SendAction:
				if err := c.send(&t, &o); err != nil && c.err == nil {
					c.err = err
				}
			case model.Internal, model.EventAction, model.FaultAction, model.CrashAction, model.RecoverAction,
				model.TickAction, model.SyncAction: // no channel changes
			}
			c.all = append(c.all, t)
		}
		c.choices++
	}
}

// receivable returns the indices of the distinct messages of a channel that can be received.
func (c *collector) receivable(channel []ir.Content) (all []int) {
	for i := range channel {
		var can bool
		switch word := c.protocol.Channel.Keyword; word {
		case "unordered":
			can = i == 0 || channel[i].Compare(channel[i-1]) != 0
		case "fifo", "lifo":
			can = i == 0
		default:
			panic("spectest: which messages of a channel " + word + " can be received?")
		}
		if can && channel[i].Age >= c.protocol.Time.Lo {
			all = append(all, i)
		}
	}
	return all
}

// send puts the message of an outcome into a channel.
func (c *collector) send(t *Transition, o *step.Outcome) error {
	m := c.machine
	t.Link = c.protocol.OutLink(t.Process, o.Action.Port)
	if t.Link < 0 {
		return step.Blame(t.Process, m.NoChannel(o.Action.Port, o.Place))
	}
	if c.protocol.Capacity.Drops && len(t.Target.Channels[t.Link]) >= c.protocol.Capacity.Most {
		return nil
	}
	channel := append(t.Target.Channels[t.Link], o.Action.Message)
	switch word := c.protocol.Channel.Keyword; word {
	case "unordered":
		slices.SortStableFunc(channel, ir.Content.Compare)
	case "fifo":
	case "lifo":
		channel = slices.Insert(channel[:len(channel)-1], 0, o.Action.Message)
	default:
		panic("spectest: where does a message go that is sent to a channel " + word + "?")
	}
	t.Target.Channels[t.Link] = channel
	if len(channel) > m.MaxMessages() {
		return step.Blame(t.Process, m.Overfull(t.Process, o.Action.Port, o.Place))
	}
	return nil
}

func clone(s *step.State) *step.State {
	c := *s
	c.Processes, c.Channels, c.Shared = slices.Clone(s.Processes), nil, slices.Clone(s.Shared)
	for _, channel := range s.Channels {
		c.Channels = append(c.Channels, slices.Clone(channel))
	}
	return &c
}

// Format formats s for people: the processes, the channels in the order of the protocol's links, and the fault counts.
func Format(m *step.Machine, s *step.State) string {
	var parts []string
	for _, l := range s.Processes {
		parts = append(parts, m.FormatLocal(l))
	}
	for _, channel := range s.Channels {
		parts = append(parts, m.Protocol().FormatContents(channel))
	}
	for _, v := range m.Protocol().Shared {
		parts = append(parts, v.Type.Format(s.Shared[v.Slot]))
	}
	for b := range ir.FaultKinds {
		if _, counted := m.Limit(b); counted {
			parts = append(parts, fmt.Sprint(s.Faults[b]))
		}
	}
	return strings.Join(parts, " ")
}
