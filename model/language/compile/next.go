package compile

import (
	"ringcheck/model"
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
