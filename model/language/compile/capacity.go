package compile

import (
	"slices"

	"ringcheck/model"
)

// fitting returns the outcomes of a process's own actions whose sends fit into their channels; see step.Site.Full.
func (s *System) fitting(g *group, outcomes []Outcome, in []model.Value) []Outcome {
	return possible(outcomes, func(target int64) bool {
		c := g.Channel
		if g.targets != nil {
			c = g.targets[target]
		}
		return c >= 0 && s.full(in[c])
	})
}

// full reports whether a channel with some contents has no room for another message.
func (s *System) full(contents model.Value) bool {
	return s.protocol.Capacity.Full(s.contents.length(contents))
}

// fullFrom reports whether process p has a channel to a target, which has no room in a state.
func (s *System) fullFrom(p int, target int64, in []model.Value) bool {
	link := s.protocol.OutLink(p, target)
	return link >= 0 && s.full(in[s.layout.channels[link]])
}

// someFits reports whether process p has the room in its channels for one of the choices of some outcomes.
func (s *System) someFits(p int, outcomes []Outcome, in []model.Value) bool {
	full := func(target int64) bool { return s.fullFrom(p, target, in) }
	return len(possible(outcomes, full)) > 0
}

// possible returns the outcomes of the choices that send nothing to a full channel.
func possible(outcomes []Outcome, full func(target int64) bool) []Outcome {
	isBlocked := func(m Outcome) bool { return m.Target != NoTarget && full(m.Target) }
	if !slices.ContainsFunc(outcomes, isBlocked) {
		return outcomes
	}
	var rest []Outcome
	for len(outcomes) > 0 {
		n := 1
		for n < len(outcomes) && outcomes[n].Choice == outcomes[0].Choice {
			n++
		}
		choice := outcomes[:n]
		outcomes = outcomes[n:]
		if slices.ContainsFunc(choice, isBlocked) {
			continue
		}
		before, number := rest, choices(rest)
		for _, m := range choice {
			m.Choice = number
			m.Repeated = m.Repeated && slices.ContainsFunc(before, func(o Outcome) bool {
				return o.transition() == m.transition()
			})
			rest = append(rest, m)
		}
	}
	return rest
}
