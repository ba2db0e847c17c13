package replay

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Step is a recorded step.
type Step struct {
	Kind    model.ActionKind
	Process int          // who acts, -1 if nobody does
	Text    string       // the label, as step.Machine writes it
	Link    int          // of the message that is sent, received, lost or duplicated
	Message ir.Content   // that message
	Next    ir.Local     // of the process, afterwards
	Drawn   []step.Drawn // what was drawn, if that is known: see step.Site
	// Counted says that the step uses up the fault budget; a crash that is an action of the process does not.
	Counted bool
}

// A State is a state of a run. Its size does not depend on the number of channels.
type State struct {
	machine  *step.Machine
	protocol *ir.Protocol
	sets     *ir.Sets
	locals   []ir.Local
	inbox    [][]flight // by receiver, the oldest first
	faults   step.Tally
	reads    bool  // whether processes read registers of others
	now      int64 // ticks
	taken    int   // steps

	changed, ticking list // processes that have changed since the last tick, or all; those with a timer that runs
}

// A flight is a message in transit.
type flight struct {
	link    int
	message ir.Content // Age is that at the time sent
	sent    int64
	step    int // that sent it, counted from 1; 0 if it was there from the beginning
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

// begin returns the first state of a run.
func (r *Run) begin() *State {
	n := r.Protocol.N
	s := &State{
		machine: r.machine, protocol: r.Protocol, sets: r.Sets, reads: r.reads,
		locals: slices.Clone(r.Processes), inbox: make([][]flight, n),
		changed: list{in: make([]bool, n)}, ticking: list{in: make([]bool, n)},
	}
	for p := range n {
		s.move(p, s.locals[p])
	}
	for link, messages := range r.Channels {
		for _, m := range messages {
			s.post(link, m, 0)
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

func (s *State) post(link int, m ir.Content, sender int) {
	to := s.protocol.Link(link).To
	s.inbox[to] = append(s.inbox[to], flight{link, m, s.now, sender})
}

// content returns a message in transit with its present age.
func (s *State) content(f flight) ir.Content {
	c := f.message
	if s.protocol.Time.Delay {
		c.Age += s.now - f.sent
	}
	return c
}

func (s *State) site(p int, drawn []step.Drawn) step.Site {
	return step.Site{Process: p, View: registers{s}, Sets: s.sets, Drawn: drawn}
}

// take takes a step if the semantics allows it, and returns the number of the step that sent the message received, if
// any. Loosely, the process may reach another local state than the recorded one.
func (s *State) take(d *Step, loosely bool) (sender int, err error) {
	s.taken++
	switch d.Kind {
	case model.TickAction:
		return 0, s.tick()
	case model.ReceiveAction:
		return s.receive(d, loosely)
	case model.LossAction, model.DuplicateAction:
		return s.tamper(d, loosely)
	case model.RecoverAction:
		after, ok, err := s.machine.Recover(d.Process, s.locals[d.Process])
		if err != nil || !ok || !loosely && !s.same(after, d.Next) {
			return 0, s.refuse(d, err)
		}
		s.move(d.Process, after)
		return 0, nil
	}
	return 0, s.act(d, loosely)
}

// refuse returns the error for a step that the semantics does not allow.
func (s *State) refuse(d *Step, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("there is no step %s", d.Text)
}

// outcome returns the outcome that matches a step, nil if there is none.
func (s *State) outcome(all []step.Distribution, d *Step, loosely bool) *step.Outcome {
	var close *step.Outcome
	for _, x := range all {
		for i := range x {
			o := &x[i]
			same := s.same(o.Next, d.Next)
			if !same && (!loosely || close != nil) || !s.called(o.Action, d) {
				continue
			}
			if same {
				return o
			}
			close = o
		}
	}
	return close
}

// called reports whether an action has the label of a step. Labels with wide sets differ from one Sets to another.
func (s *State) called(a step.Action, d *Step) bool {
	return a.Set != nil && a.Set.Type.Wide || s.machine.Label(a, d.Process).Text == d.Text
}

// same reports whether two local states are the same. Sets are compared by their elements.
func (s *State) same(a, b ir.Local) bool {
	if a.Point != b.Point {
		return false
	}
	for i, v := range a.Point.Live {
		if a.Env[i] != b.Env[i] && !(v.Type.Wide && slices.Equal(s.sets.List(a.Env[i]), s.sets.List(b.Env[i]))) {
			return false
		}
	}
	return true
}

// byItself returns the outcome of an action that a process takes on its own; nil if it cannot do so now, or if the
// environment takes the step.
func (s *State) byItself(d *Step, loosely bool) (*step.Outcome, error) {
	own, err := s.machine.Own(s.locals[d.Process], s.site(d.Process, d.Drawn))
	if err != nil {
		return nil, step.Blame(d.Process, err)
	}
	o := s.outcome(own, d, loosely)
	if o == nil || d.Counted {
		return nil, nil
	}
	if blocked, err := s.blocked(d.Process); blocked || err != nil {
		return nil, err
	}
	return o, nil
}

// act takes a step of a process on its own, or lets it crash.
func (s *State) act(d *Step, loosely bool) error {
	p := d.Process
	o, err := s.byItself(d, loosely)
	if err != nil {
		return err
	}
	switch {
	case d.Counted && s.mayFail(step.Crashes):
		after, ok := s.machine.Crash(p, s.locals[p])
		if !ok || !loosely && !s.same(after, d.Next) {
			return s.refuse(d, nil)
		}
		s.move(p, after)
		s.fail(step.Crashes)
		return nil
	case o == nil:
		return s.refuse(d, nil)
	}
	if o.Action.Kind == model.SendAction {
		link := s.protocol.OutLink(p, o.Action.Port)
		if link < 0 {
			return step.Blame(p, s.machine.NoChannel(o.Action.Port, o.Place))
		}
		s.post(link, o.Action.Message, s.taken)
	}
	s.move(p, o.Next)
	return nil
}

// blocked reports whether process p has to take a message before it acts.
func (s *State) blocked(p int) (bool, error) {
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

// takes returns what process p can do with a message.
func (s *State) takes(p int, f flight) ([]step.Distribution, error) {
	all, err := s.machine.Receive(s.locals[p], s.site(p, nil), s.protocol.Link(f.link).In, s.content(f))
	if err != nil {
		err = step.Blame(p, err)
	}
	return all, err
}

// receivable reports whether message i to process p can be taken out of its channel.
func (s *State) receivable(p, i int) bool {
	f := s.inbox[p][i]
	inFront := func(g flight) bool { return g.link == f.link }
	if s.protocol.Channel == ir.FIFO && slices.ContainsFunc(s.inbox[p][:i], inFront) {
		return false
	}
	return !s.protocol.Time.Delay || s.content(f).Age >= s.protocol.Time.Lo
}

// find returns the oldest message of a step in an inbox, -1 if it is not there. Loosely, its age may
// differ; then the step gets that age.
func (s *State) find(p int, d *Step, loosely bool) int {
	exact := func(f flight) bool { return f.link == d.Link && s.content(f).Compare(d.Message) == 0 }
	i := slices.IndexFunc(s.inbox[p], exact)
	if i < 0 && loosely {
		for _, f := range s.inbox[p] {
			c := s.content(f)
			if f.link == d.Link && c.Message == d.Message.Message && slices.Equal(c.Args, d.Message.Args) {
				d.Message.Age = c.Age
				return slices.IndexFunc(s.inbox[p], exact)
			}
		}
	}
	return i
}

func (s *State) receive(d *Step, loosely bool) (sender int, err error) {
	p := d.Process
	i := s.find(p, d, loosely)
	if i < 0 || !s.receivable(p, i) {
		return 0, s.refuse(d, nil)
	}
	f := s.inbox[p][i]
	all, err := s.takes(p, f)
	if err != nil {
		return 0, err
	}
	o := s.outcome(all, d, loosely)
	if o == nil {
		return 0, s.refuse(d, nil)
	}
	s.inbox[p] = slices.Delete(s.inbox[p], i, i+1)
	s.move(p, o.Next)
	return f.step, nil
}

// tamper loses or duplicates a message.
func (s *State) tamper(d *Step, loosely bool) (sender int, err error) {
	to := s.protocol.Link(d.Link).To
	i := s.find(to, d, loosely)
	budget := step.Losses
	if d.Kind == model.DuplicateAction {
		budget = step.Duplicates
	}
	if i < 0 || !s.mayFail(budget) {
		return 0, s.refuse(d, nil)
	}
	f := s.inbox[to][i]
	if budget == step.Losses {
		s.inbox[to] = slices.Delete(s.inbox[to], i, i+1)
	} else {
		s.inbox[to] = slices.Insert(s.inbox[to], i+1, f)
		s.inbox[to][i+1].step = s.taken
	}
	s.fail(budget)
	return f.step, nil
}

// mayFail reports whether there can be one more fault of a sort.
func (s *State) mayFail(b step.Budget) bool { return s.machine.MayFail(b, &s.faults) }

func (s *State) fail(b step.Budget) { s.machine.CountFault(b, &s.faults) }

// tick lets time go on, if nobody has to act before and it changes something.
func (s *State) tick() error {
	switch may, err := s.mayTick(); {
	case err != nil:
		return err
	case !may:
		return fmt.Errorf("time cannot go on")
	}
	s.changed.take()
	for _, p := range s.ticking.take() {
		later, _ := s.locals[p].Tick()
		s.move(int(p), later)
	}
	if s.protocol.Time.Delay {
		for p, all := range s.inbox {
			s.inbox[p] = slices.DeleteFunc(all, func(f flight) bool { return s.machine.Due(s.content(f)) })
		}
	}
	s.now++
	return nil
}

// mayTick reports whether time can go on. Only processes that changed since the last tick need checking.
func (s *State) mayTick() (bool, error) {
	if !s.protocol.Time.Ticks {
		return false, nil
	}
	if s.reads {
		for p := range s.locals {
			s.changed.add(p)
		}
	}
	for _, p := range s.changed.members {
		if own, err := s.machine.Own(s.locals[p], s.site(int(p), nil)); err != nil || len(own) > 0 {
			return false, err
		}
	}
	changes := slices.ContainsFunc(s.ticking.members, func(p int32) bool { return running(s.locals[p]) })
	for p, all := range s.inbox {
		for _, f := range all {
			if s.machine.Due(s.content(f)) {
				if _, ended := s.seen(p); !ended {
					return false, nil
				}
			}
			changes = changes || s.protocol.Time.Delay
		}
	}
	return changes, nil
}

// terminal reports whether no step is possible.
func (s *State) terminal() (bool, error) {
	for p, l := range s.locals {
		own, err := s.machine.Own(l, s.site(p, nil))
		if err != nil || len(own) > 0 {
			return false, err
		}
		for i, f := range s.inbox[p] {
			if !s.receivable(p, i) {
				continue
			}
			if all, err := s.takes(p, f); err != nil || len(all) > 0 {
				return false, err
			}
			if s.mayFail(step.Losses) || s.mayFail(step.Duplicates) {
				return false, nil
			}
		}
		if _, can := s.machine.Crash(p, l); can && s.mayFail(step.Crashes) {
			return false, nil
		}
		if _, can, err := s.machine.Recover(p, l); err != nil || can {
			return false, err
		}
	}
	may, err := s.mayTick()
	return !may && err == nil, err
}

// Whole returns a copy of the state, as package step knows it. That of a large system is large.
func (s *State) Whole() *step.State {
	whole := &step.State{Processes: slices.Clone(s.locals), Faults: s.faults}
	for link := range s.protocol.NumberOfLinks() {
		whole.Channels = append(whole.Channels, s.Channel(link))
	}
	return whole
}

// Local returns the local state of a process, as processes see it.
func (s *State) Local(p int) ir.Local { return s.locals[p] }

// Sets returns what the values of wide set types refer to.
func (s *State) Sets() *ir.Sets { return s.sets }

// At implements ir.View.
func (s *State) At(p int) *ir.Point {
	at, _ := s.seen(p)
	return at.Point
}

// Var implements ir.View.
func (s *State) Var(p int, v *ir.Var) (int64, bool) {
	at, _ := s.seen(p)
	return at.Var(v)
}

// seen returns the local state of a process as properties see it, and whether it never acts again.
func (s *State) seen(p int) (ir.Local, bool) { return s.protocol.Ended(s.locals[p], s.sets) }

// Channel implements ir.View.
func (s *State) Channel(link int) []ir.Content {
	var all []ir.Content
	for _, f := range s.inbox[s.protocol.Link(link).To] {
		if f.link == link {
			all = append(all, s.content(f))
		}
	}
	if s.protocol.Channel != ir.FIFO {
		slices.SortStableFunc(all, ir.Content.Compare)
	}
	return all
}

// registers shows a state to processes: as it is, not as properties see it.
type registers struct{ *State }

// Var implements ir.View.
func (r registers) Var(p int, v *ir.Var) (int64, bool) { return r.locals[p].Var(v) }
