package replay

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A State is a state of the network with its rules. Its size does not depend on the number of channels.
type State struct {
	machine  *step.Machine
	protocol *ir.Protocol
	sets     *ir.Sets
	locals   []ir.Local
	inbox    [][]transit // by receiver, the oldest first
	shared   []int64     // by ir.Var.Slot
	faults   step.Tally
	now      int64   // ticks
	steps    int     // taken
	posted   int     // messages so far
	removal  Transit // what the last step took out of a channel
	addition Transit // what the last step put into a channel
	dropped  bool    // whether addition was lost at once, because the channel was full

	changed, ticking list // processes that have changed since the last tick, or all; those with a timer that runs
}

// A transit is a message in transit.
type transit struct {
	link    int
	message ir.Content // Age is that at the time sent
	sent    int64
	serial  int
	sender  int
}

// A list is a set of processes.
type list struct {
	members []int32
	in      []bool
}

func (l *list) add(p int) {
	if !l.in[p] {
		l.in[p] = true
		l.members = append(l.members, int32(p))
	}
}

// take returns the members and leaves none.
func (l *list) take() []int32 {
	all := l.members
	for _, p := range all {
		l.in[p] = false
	}
	l.members = nil
	return all
}

// NewState returns a state of the network, whose wide sets are in sets.
func NewState(m *step.Machine, at *step.State, sets *ir.Sets) *State {
	p := m.Protocol()
	s := &State{
		machine: m, protocol: p, sets: sets,
		locals: slices.Clone(at.Processes), inbox: make([][]transit, p.N), faults: at.Faults,
		shared:  slices.Clone(at.Shared),
		changed: list{in: make([]bool, p.N)}, ticking: list{in: make([]bool, p.N)},
	}
	for p := range s.locals {
		s.move(p, s.locals[p])
	}
	for link, messages := range at.Channels {
		for i := range messages {
			s.post(link, messages[s.protocol.Channel.Index(i, len(messages))])
		}
	}
	return s
}

// move gives process p a local state.
func (s *State) move(p int, l ir.Local) {
	s.locals[p] = l
	s.changed.add(p)
	if running(l) {
		s.ticking.add(p)
	}
}

// running reports whether a timer runs.
func running(l ir.Local) bool {
	for i, v := range l.Point.Live {
		if v.Kind == ir.Timer && l.Env[i] > 0 {
			return true
		}
	}
	return false
}

func (s *State) post(link int, m ir.Content) {
	s.posted++
	to := s.protocol.Link(link).To
	s.inbox[to] = append(s.inbox[to], transit{link, m, s.now, s.posted, s.steps})
}

// transitOf returns a message in transit as others see it.
func (s *State) transitOf(f transit) Transit {
	return Transit{f.link, s.content(f), f.serial, f.sender}
}

// content returns a message in transit with its present age.
func (s *State) content(f transit) ir.Content {
	c := f.message
	if s.protocol.Time.Delay {
		c.Age += s.now - f.sent
	}
	return c
}

// overfull reports whether a channel holds as many messages as the options permit.
func (s *State) overfull(link int) bool {
	most := s.machine.MaxMessages()
	return len(s.inbox[s.protocol.Link(link).To]) >= most && s.count(link) >= most
}

// full reports whether a channel has no room for another message.
func (s *State) full(link int) bool {
	return s.protocol.Capacity.Most > 0 && s.protocol.Capacity.Full(s.count(link))
}

// count returns the number of messages in a channel.
func (s *State) count(link int) (n int) {
	for _, f := range s.inbox[s.protocol.Link(link).To] {
		if f.link == link {
			n++
		}
	}
	return n
}

func (s *State) site(p int, drawn []step.DrawValue) step.Site {
	return step.Site{Process: p, View: registers{s}, Sets: s.sets, DrawValues: drawn, Full: s.full}
}

// equal reports whether two local states are the same. Sets are compared by their elements.
func (s *State) equal(a, b ir.Local) bool {
	if a.Point != b.Point || a.Point == nil {
		return a.Point == b.Point
	}
	for i, v := range a.Point.Live {
		if a.Env[i] != b.Env[i] && !(v.Type.Wide && slices.Equal(s.sets.List(a.Env[i]), s.sets.List(b.Env[i]))) {
			return false
		}
	}
	return true
}

// mustReceive reports whether process p has to take a message before it acts.
func (s *State) mustReceive(p int) (bool, error) {
	if !s.machine.TakesFirst() {
		return false, nil
	}
	for i, f := range s.inbox[p] {
		if !s.machine.Due(s.content(f)) || !s.receivable(p, i) {
			continue
		}
		if all, err := s.takes(p, f); err != nil || len(all) > 0 {
			return true, err
		}
	}
	return false, nil
}

// takes returns the possible reactions of process p to a message.
func (s *State) takes(p int, f transit) ([]step.Distribution, error) {
	all, err := s.machine.Receive(s.locals[p], s.site(p, nil), s.protocol.Link(f.link).In, s.content(f))
	if err != nil {
		err = step.Blame(p, err)
	}
	return all, err
}

// receivable reports whether message i to process p can be taken out of its channel.
func (s *State) receivable(p, i int) bool {
	if s.protocol.Channel.First && s.position(p, i) > 0 {
		return false
	}
	return !s.protocol.Time.Delay || s.content(s.inbox[p][i]).Age >= s.protocol.Time.Lo
}

// position returns the index of message i to process p in the contents of its channel, if these are a sequence.
func (s *State) position(p, i int) int {
	if !s.protocol.Channel.Ordered() {
		return 0
	}
	number, length := 0, 0
	for j := range s.inbox[p] {
		if s.inbox[p][j].link == s.inbox[p][i].link {
			length++
			if j < i {
				number++
			}
		}
	}
	return s.protocol.Channel.Index(number, length)
}

// find returns the oldest message of a step in the inbox of its receiver, -1 if the step is not possible. Loosely, its
// age and its position may differ.
func (s *State) find(d *Step, loosely bool) int {
	link := d.Link(s.protocol)
	p, similar := s.protocol.Link(link).To, -1
	for i, f := range s.inbox[p] {
		if f.link != link || f.message.Message != d.Message.Message || !slices.Equal(f.message.Args, d.Message.Args) {
			continue
		}
		receives := d.Kind == model.ReceiveAction
		if receives && !s.receivable(p, i) {
			continue
		}
		if s.content(f).Age == d.Age && (receives || s.position(p, i) == d.Position) {
			return i
		}
		if loosely && similar < 0 {
			similar = i
		}
	}
	return similar
}

// apply takes a step that is enabled.
func (s *State) apply(d *Step) error {
	s.steps++
	s.removal, s.addition, s.dropped = Transit{}, Transit{}, false
	switch d.Kind {
	case model.TickAction:
		s.tick()
		return nil
	case model.SendAction:
		link := d.Link(s.protocol)
		switch {
		case link < 0:
			return step.Blame(d.Process, s.machine.NoChannel(d.Port, d.place))
		case s.protocol.Capacity.Drops && s.full(link):
			s.posted++
			s.dropped = true
		case s.overfull(link):
			return step.Blame(d.Process, s.machine.Overfull(d.Process, d.Port, d.place))
		default:
			s.post(link, d.Message)
		}
		s.addition = Transit{link, d.Message, s.posted, s.steps}
	case model.SyncAction:
		s.posted++
		s.addition = Transit{d.Link(s.protocol), d.Message, s.posted, s.steps}
		s.move(d.Receiver(s.protocol), d.ReceiverNext)
	case model.ReceiveAction:
		s.replace(d.Process, d.at, nil)
	case model.FaultAction:
		s.replace(s.protocol.Link(int(d.Port)).To, d.at, d.result)
		s.machine.CountFault(d.Fault, &s.faults)
	case model.CrashAction:
		if d.Counted {
			s.machine.CountFault(ir.CrashFault, &s.faults)
		}
	case model.Internal, model.EventAction, model.RecoverAction: // only the process moves
	}
	if d.Process >= 0 {
		s.move(d.Process, d.Next)
	}
	for _, w := range d.Writes {
		s.shared[w.Var.Slot] = w.Value
	}
	return nil
}

// replace puts other messages in the place of message i in an inbox. The first copy of the message is the message
// itself; all others are new.
func (s *State) replace(p, i int, place []ir.Content) {
	f := s.inbox[p][i]
	stays := len(place) > 0 && sameMessage(place[0], f.message)
	if !stays {
		s.removal = s.transitOf(f)
	}
	var all []transit
	for j, c := range place {
		next := f
		if j > 0 || !stays {
			s.posted++
			next.message.Message, next.message.Args, next.serial, next.sender = c.Message, c.Args, s.posted, s.steps
			s.addition = s.transitOf(next)
		}
		all = append(all, next)
	}
	s.inbox[p] = slices.Replace(s.inbox[p], i, i+1, all...)
}

// mayFail reports whether there can be one more fault of a kind.
func (s *State) mayFail(k ir.FaultKind) bool { return s.machine.MayFail(k, &s.faults) }

// tick lets time go on.
func (s *State) tick() {
	s.changed.take()
	for _, p := range s.ticking.take() {
		later, _ := s.locals[p].Tick()
		s.move(int(p), later)
	}
	if s.protocol.Time.Delay {
		for p, all := range s.inbox {
			s.inbox[p] = slices.DeleteFunc(all, func(f transit) bool { return s.machine.Due(s.content(f)) })
		}
	}
	s.now++
}

// mayTick reports whether time can pass: no process must act before, and a tick changes something. Only processes that
// changed since the last tick need checking.
func (s *State) mayTick() (bool, error) {
	if !s.protocol.Time.Ticks || s.waiting() != nil {
		return false, nil
	}
	if s.machine.Reads() || s.protocol.Capacity.Blocks() || s.protocol.Channel.Sync {
		for p := range s.locals {
			s.changed.add(p)
		}
	}
	for _, p := range s.changed.members {
		if own, err := s.machine.Steps(s.site(int(p), nil)); err != nil || len(own) > 0 {
			return false, err
		}
	}
	if slices.ContainsFunc(s.ticking.members, func(p int32) bool { return running(s.locals[p]) }) {
		return true, nil
	}
	return s.protocol.Time.Delay && slices.ContainsFunc(s.inbox, func(all []transit) bool { return len(all) > 0 }), nil
}

// waiting returns a due message to a process that has not ended, nil if no message is due.
func (s *State) waiting() *transit {
	if !s.protocol.Time.Delay {
		return nil
	}
	for p, all := range s.inbox {
		for i := range all {
			if s.machine.Due(s.content(all[i])) {
				if _, ended := s.protocol.Ended(s.locals[p], s.sets); !ended {
					return &all[i]
				}
			}
		}
	}
	return nil
}

// Quiescent reports whether a run may end here: no step is possible but of the environment. Terminal says that there is
// none at all.
func (s *State) Quiescent() (quiescent, terminal bool, err error) {
	quiescent, terminal = true, true
	err = s.Enabled(func(d *Step) bool {
		terminal = false
		quiescent = quiescent && d.environment
		return quiescent
	})
	return quiescent, terminal, err
}

// Removal returns the message that the last step took out of a channel, by a receipt or a fault, or the zero Transit.
func (s *State) Removal() Transit { return s.removal }

// Addition returns the message that the last step put into a channel, by a send or by a fault, or sent over a
// synchronous channel, or the zero Transit.
func (s *State) Addition() Transit { return s.addition }

// Dropped reports whether the channel was full, so that Addition was lost.
func (s *State) Dropped() bool { return s.dropped }

// Transit returns the messages in a channel, the oldest first.
func (s *State) Transit(link int) []Transit {
	var all []Transit
	for _, f := range s.inbox[s.protocol.Link(link).To] {
		if f.link == link {
			all = append(all, s.transitOf(f))
		}
	}
	return all
}

// All returns all messages in transit, in the order in which they were sent.
func (s *State) All() []Transit {
	var all []Transit
	for _, inbox := range s.inbox {
		for _, f := range inbox {
			all = append(all, s.transitOf(f))
		}
	}
	slices.SortFunc(all, func(a, b Transit) int { return a.Serial - b.Serial })
	return all
}

// StepState returns a copy of the state, as package step knows it. The copy of a large system is large.
func (s *State) StepState() *step.State {
	whole := &step.State{Processes: slices.Clone(s.locals), Shared: slices.Clone(s.shared), Faults: s.faults}
	for link := range s.protocol.NumberOfLinks() {
		whole.Channels = append(whole.Channels, s.Channel(link))
	}
	return whole
}

// Local returns the local state of a process, as processes see it.
func (s *State) Local(p int) ir.Local { return s.locals[p] }

// Sets returns the sets that the values of wide set types refer to.
func (s *State) Sets() *ir.Sets { return s.sets }

// Seen implements ir.View.
func (s *State) Seen(p int) ir.Local {
	at, _ := s.protocol.Ended(s.locals[p], s.sets)
	return at
}

// SharedValue implements ir.View.
func (s *State) SharedValue(slot int) int64 { return s.shared[slot] }

// Channel implements ir.View.
func (s *State) Channel(link int) []ir.Content {
	var all []ir.Content
	for _, f := range s.inbox[s.protocol.Link(link).To] {
		if f.link == link {
			c := s.content(f)
			all = slices.Insert(all, s.protocol.Channel.Insert(len(all), func(i int) bool {
				return all[i].Compare(c) >= 0
			}), c)
		}
	}
	return all
}

// registers shows a state to processes: as it is, not as properties see it.
type registers struct{ *State }

// Seen implements ir.View.
func (r registers) Seen(p int) ir.Local { return r.locals[p] }
