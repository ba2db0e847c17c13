package compile

import (
	"ringcheck/model"
	"ringcheck/model/language/step"
)

// Next implements model.System.
func (s *System) Next(g int, in []model.Value, out *model.Successors) error {
	grp := &s.groups[g]
	switch grp.kind {
	case receives:
		return s.receive(grp, in, out)
	case reads:
		return s.readAndAct(grp, in, out)
	case faults:
		return s.fail(grp, in, out)
	case ticks:
		return s.tick(grp, in, out)
	}
	own, err := s.own(in[grp.self])
	if err != nil {
		return step.Blame(grp.process, err)
	}
	for _, port := range grp.missing {
		if len(own.sends[port]) > 0 {
			return s.noChannel(grp, &own.sends[port][0])
		}
	}
	switch grp.kind {
	case sends:
		return s.act(grp, own.sends[grp.port], in, out)
	case mixed:
		return s.act(grp, own.mixed, in, out)
	}
	return s.act(grp, own.events, in, out)
}

// act adds the transitions by which a process acts on its own.
func (s *System) act(g *group, outcomes []outcome, in []model.Value, out *model.Successors) error {
	for i := range outcomes {
		m := &outcomes[i]
		values := s.add(g, m, 0, in, out)
		if m.port == nowhere {
			continue
		}
		c := g.channel
		if g.targets != nil {
			c = g.targets[m.port]
		}
		if c < 0 {
			return s.noChannel(g, m)
		}
		after, ok := s.insert(in[c], m.message)
		if !ok {
			return s.overfull(g, m)
		}
		values[c] = after
	}
	return nil
}

// receive adds the transitions by which a process takes a message.
func (s *System) receive(g *group, in []model.Value, out *model.Successors) error {
	var first uint32 // choice of this message
	for _, r := range s.removals(in[g.channel]) {
		outcomes, err := s.received(g, in, g.port, r.message)
		if err != nil {
			return step.Blame(g.process, err)
		}
		for i := range outcomes {
			values := s.add(g, &outcomes[i], first, in, out)
			values[g.channel] = r.rest
		}
		first += choices(outcomes)
	}
	return nil
}

// add adds a transition that moves the process, and returns the values for what else changes.
func (s *System) add(g *group, m *outcome, firstChoice uint32, in []model.Value, out *model.Successors) []model.Value {
	values := out.Add(model.Step{
		Label:  s.label(m.action, g.process),
		Choice: firstChoice + m.choice,
		Weight: m.weight,
	})
	copy(values, in)
	values[g.self] = m.next
	return values
}

func (s *System) noChannel(g *group, m *outcome) error {
	return step.Blame(g.process, s.machine.NoChannel(m.port, m.place))
}

func (s *System) overfull(g *group, m *outcome) error {
	return s.machine.Overfull(g.process, m.port, m.place)
}
