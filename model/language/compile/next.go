package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Next implements model.System.
func (s *System) Next(g int, in []model.Value, out *model.Successors) error {
	grp := &s.groups[g]
	switch grp.Kind {
	case Receives:
		return s.receive(grp, in, out)
	case reads:
		return s.readAndAct(grp, in, out)
	case faults:
		return s.fail(grp, in, out)
	case ticks:
		return s.tick(grp, in, out)
	}
	own, err := s.own(in[grp.Self])
	if err != nil {
		return step.Blame(grp.Process, err)
	}
	for _, port := range grp.missing {
		if len(own.sends[port]) > 0 {
			return s.NoChannel(grp.Process, &own.sends[port][0])
		}
	}
	switch grp.Kind {
	case Sends:
		return s.act(grp, own.sends[grp.Port], in, out)
	case Mixed:
		return s.act(grp, own.mixed, in, out)
	}
	return s.act(grp, own.events, in, out)
}

// act adds the transitions of a process's own actions.
func (s *System) act(g *group, outcomes []Outcome, in []model.Value, out *model.Successors) error {
	for i := range outcomes {
		m := &outcomes[i]
		values := s.add(g, m, 0, in, out)
		if m.Target == NoTarget {
			continue
		}
		c := g.Channel
		if g.targets != nil {
			c = g.targets[m.Target]
		}
		if c < 0 {
			return s.NoChannel(g.Process, m)
		}
		after, err := s.Put(g.Process, in[c], m)
		if err != nil {
			return err
		}
		values[c] = after
	}
	return nil
}

// receive adds the transitions of a process that receives a message.
func (s *System) receive(g *group, in []model.Value, out *model.Successors) error {
	var first uint32 // choice of this message
	for _, r := range s.removals(in[g.Channel]) {
		outcomes, err := s.received(g, in, g.Port, r.message)
		if err != nil {
			return step.Blame(g.Process, err)
		}
		for i := range outcomes {
			values := s.add(g, &outcomes[i], first, in, out)
			values[g.Channel] = r.rest
		}
		first += choices(outcomes)
	}
	return nil
}

// add adds a transition that moves the process and returns its target for the caller to change other slots.
func (s *System) add(g *group, m *Outcome, firstChoice uint32, in []model.Value, out *model.Successors) []model.Value {
	values := out.Add(model.Step{
		Label:  s.label(m.Action, g.Process),
		Choice: firstChoice + m.Choice,
		Weight: m.Weight, Repeated: m.Repeated,
	})
	copy(values, in)
	values[g.Self] = m.Next
	return values
}

// The actions of a process that reads other processes' registers depend on more than its local state, so they are
// computed on every call.

// A neighbourhood shows the registers of the processes in a group.
type neighbourhood struct {
	*System
	group *group
	in    []model.Value
}

var _ ir.View = (*neighbourhood)(nil)

// Channel implements ir.View. Processes cannot inspect channels.
func (n *neighbourhood) Channel(int) []ir.Content { return nil }

// Seen implements ir.View.
func (n *neighbourhood) Seen(p int) ir.Local {
	if n.group.Kind == ticks {
		return n.Local(n.in[n.layout.processes[p]])
	}
	if p == n.group.Process {
		return n.Local(n.in[n.group.Self])
	}
	i, _ := slices.BinarySearch(n.group.reads, p) // those that are read are known
	return n.Local(n.in[n.group.read[i]])
}

// readAndAct adds the own actions of a process that reads other processes' registers.
func (s *System) readAndAct(g *group, in []model.Value, out *model.Successors) error {
	for _, inlet := range g.inbox {
		for _, r := range s.removals(in[inlet.channel]) {
			if !r.due {
				continue
			}
			if outcomes, err := s.received(g, in, inlet.port, r.message); err != nil || len(outcomes) > 0 {
				return err // whose place is where it is received
			}
		}
	}
	l := s.Local(in[g.Self])
	alternatives, err := s.machine.Own(l, step.Site{Process: g.Process, View: &neighbourhood{s, g, in}})
	if err != nil {
		return step.Blame(g.Process, err)
	}
	outcomes, err := s.all(alternatives, l.Point)
	if err != nil {
		return step.Blame(g.Process, err)
	}
	return s.act(g, outcomes, in, out)
}

// received returns the outcomes of a process receiving a message. The error is a fault that names no process yet.
func (s *System) received(g *group, in []model.Value, port int64, message uint32) ([]Outcome, error) {
	if g.reads == nil {
		return s.ReceiveOutcomes(in[g.Self], port, message)
	}
	l := s.Local(in[g.Self])
	site := step.Site{Process: g.Process, View: &neighbourhood{s, g, in}}
	alternatives, err := s.machine.Receive(l, site, port, *s.messages.at(message))
	if err != nil {
		return nil, err
	}
	return s.all(alternatives, l.Point)
}

// all returns alternatives as one list of outcomes.
func (s *System) all(alternatives []step.Distribution, point *ir.Point) (list []Outcome, err error) {
	for _, d := range alternatives {
		if list, err = s.outcomes(list, d, point); err != nil {
			return nil, err
		}
	}
	return list, nil
}
