package replay

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// A Step is a transition of the network.
type Step struct {
	step.Action                   // its message is without its age
	Process      int              // the process that acts, -1 for none
	Age          int64            // of the message that is received or that a fault befalls
	Position     int              // of a message that a fault befalls in its channel, if that is a sequence
	Next         ir.Local         // of the process, afterwards
	ReceiverNext ir.Local         // of the receiver of a SyncAction, afterwards
	Writes       []step.Write     // to shared variables, by Slot
	DrawValues   []step.DrawValue // what was drawn, if that is known: see step.Site
	Counted      bool             // it is one of a limited number of faults; a crash of a process by itself is not

	at          int          // the index of the message in the inbox
	result      []ir.Content // of a fault: the messages that take its place
	place       *syntax.Pos  // of a send, for model errors
	environment bool         // it need not happen
}

// Link returns the link of the message of a step, -1 without a message.
func (d *Step) Link(p *ir.Protocol) int {
	switch d.Kind {
	case model.SendAction, model.SyncAction:
		return p.OutLink(d.Process, d.Port)
	case model.ReceiveAction:
		return p.InLink(d.Process, d.Port)
	case model.FaultAction:
		return int(d.Port)
	case model.Internal, model.EventAction, model.CrashAction, model.RecoverAction, model.TickAction: // of no message
	}
	return -1
}

// Receiver returns the process that receives the message of a SyncAction, -1 for other steps.
func (d *Step) Receiver(p *ir.Protocol) int {
	if d.Kind != model.SyncAction {
		return -1
	}
	return p.Link(d.Link(p)).To
}

// Place returns the place of a send in the text, nil for other steps.
func (d *Step) Place() *syntax.Pos { return d.place }

// A Transit is a message in transit.
type Transit struct {
	Link    int
	Message ir.Content // with its present age
	Serial  int        // counts the messages from 1 as they were sent, initial messages first
	Sender  int        // the number of the step that sent it, from 1; 0 if it was there from the beginning
}

// Enabled calls yield with the steps that are possible, process by process, then the tick, until it returns false.
// Equal messages give equal steps. An error is a *model.Error.
func (s *State) Enabled(yield func(*Step) bool) error {
	stopped, found := false, false
	each := func(d *Step) bool {
		found, stopped = true, !yield(d)
		return !stopped
	}
	for p := range s.locals {
		err := s.ownSteps(p, nil, each)
		for i := 0; i < len(s.inbox[p]) && err == nil && !stopped; i++ {
			if s.receivable(p, i) {
				err = s.receipts(p, i, each)
			}
		}
		for i := 0; i < len(s.inbox[p]) && err == nil && !stopped; i++ {
			err = s.channelFaults(p, i, each)
		}
		if err != nil || stopped {
			return err
		}
	}
	if due := s.waiting(); due != nil && !found {
		return s.machine.Timelock(due.link, s.content(*due))
	}
	return s.time(each)
}

// time calls yield with the tick, if time can go on.
func (s *State) time(yield func(*Step) bool) error {
	may, err := s.mayTick()
	if may && err == nil {
		yield(&Step{Action: step.Action{Kind: model.TickAction}, Process: -1})
	}
	return err
}

// ownSteps calls yield with the steps of process p that take no message out of a channel: its actions, unless it has to
// take a message first, then its crash and its recovery by the environment.
func (s *State) ownSteps(p int, drawn []step.DrawValue, yield func(*Step) bool) error {
	own, err := s.machine.Steps(s.site(p, drawn))
	if err != nil {
		return err
	}
	if len(own) > 0 {
		blocked, err := s.mustReceive(p)
		if err != nil {
			return err
		}
		if !blocked && !alternatives(own, Step{Process: p}, yield) {
			return nil
		}
	}
	if s.mayFail(ir.CrashFault) {
		after, can := s.machine.Crash(p, s.locals[p])
		crash := Step{Action: step.Action{Kind: model.CrashAction}, Process: p, Next: after, environment: true}
		if _, crash.Counted = s.machine.Limit(ir.CrashFault); can && !yield(&crash) {
			return nil
		}
	}
	after, can, err := s.machine.Recover(p, s.locals[p])
	if can && err == nil {
		yield(&Step{Action: step.Action{Kind: model.RecoverAction}, Process: p, Next: after, environment: true})
	}
	return err
}

// alternatives calls yield with the outcomes of distributions, and reports whether it always returned true.
func alternatives(all []step.Distribution, d Step, yield func(*Step) bool) bool {
	for _, x := range all {
		for i := range x {
			taken := d
			taken.Action, taken.Next, taken.Writes = x[i].Action, x[i].Next, x[i].Writes
			taken.ReceiverNext = x[i].ReceiverNext
			taken.place = x[i].Place
			if !yield(&taken) {
				return false
			}
		}
	}
	return true
}

// receipts calls yield with the steps in which process p receives message i of its inbox.
func (s *State) receipts(p, i int, yield func(*Step) bool) error {
	all, err := s.takes(p, s.inbox[p][i])
	if err == nil {
		alternatives(all, Step{Process: p, Age: s.content(s.inbox[p][i]).Age, at: i}, yield)
	}
	return err
}

// channelFaults calls yield with the faults that can befall message i in the inbox of process p.
func (s *State) channelFaults(p, i int, yield func(*Step) bool) error {
	f := s.inbox[p][i]
	c := s.content(f)
	for _, kind := range s.protocol.Faults.InChannels() {
		if !s.mayFail(kind) {
			continue
		}
		_, counted := s.machine.Limit(kind)
		for a, result := range s.machine.Befall(kind, f.link, c) {
			if len(result) > 1 && s.full(f.link) {
				continue // there is no room for a copy
			}
			if len(result) > 1 && s.overfull(f.link) {
				return s.machine.Overflow(kind, f.link)
			}
			d := Step{Action: a, Process: -1, Age: c.Age, Position: s.position(p, i), Counted: counted}
			d.at, d.result, d.environment = i, result, true
			if !yield(&d) {
				return nil
			}
		}
	}
	return nil
}

// take takes a step if the semantics allows it, and returns it as it was taken. Loosely, the process may reach another
// local state than the recorded one, and the message may have another age and position.
func (s *State) take(d *Step, loosely bool) (*Step, error) {
	var found *Step
	match := func(c *Step) bool {
		if c.Kind != d.Kind || c.Counted != d.Counted || !sameAction(&c.Action, &d.Action) {
			return true
		}
		exact := d.Process < 0 || s.equal(c.Next, d.Next) && s.equal(c.ReceiverNext, d.ReceiverNext) &&
			slices.Equal(c.Writes, d.Writes)
		if exact || loosely && found == nil {
			found = c
		}
		return !exact
	}
	var err error
	switch d.Kind {
	case model.TickAction:
		err = s.time(match)
	case model.ReceiveAction:
		if i := s.find(d, loosely); i >= 0 {
			err = s.receipts(d.Process, i, match)
		}
	case model.FaultAction:
		to := s.protocol.Link(int(d.Port)).To
		if i := s.find(d, loosely); i >= 0 {
			err = s.channelFaults(to, i, match)
		}
	case model.Internal, model.SendAction, model.SyncAction, model.EventAction, model.CrashAction,
		model.RecoverAction:
		err = s.ownSteps(d.Process, d.DrawValues, match)
	}
	if err == nil && found == nil {
		err = fmt.Errorf("there is no step %s", s.machine.Label(d.Action, d.Process).Text)
	}
	if err != nil {
		return nil, err
	}
	found.DrawValues = d.DrawValues
	return found, s.apply(found)
}

// sameAction reports whether two actions of a kind are the same. Wide sets have other numbers in other runs.
func sameAction(a, b *step.Action) bool {
	return a.Port == b.Port && a.Event == b.Event && a.Set == b.Set && a.Fault == b.Fault &&
		(a.Set != nil && a.Set.Type.Wide || slices.Equal(a.Args, b.Args)) &&
		sameMessage(a.Message, b.Message) && sameMessage(a.Into, b.Into)
}

// sameMessage reports whether two messages are equal apart from their age.
func sameMessage(a, b ir.Content) bool { return a.Message == b.Message && slices.Equal(a.Args, b.Args) }
