package prob

import (
	"maps"
	"slices"
)

// Unfolded returns the process with a set of initial states of equal weight, which is all that files have: a state of
// greater weight is there several times, with the same choices and labels.
func (m *MDP) Unfolded() (*MDP, error) {
	weights, unit := make(map[uint32]uint64), uint64(0)
	for _, s := range m.initial {
		weights[s.state] += s.weight
	}
	for _, w := range weights {
		unit = gcd(unit, w)
	}
	out := &MDP{
		rows: slices.Clip(m.rows), to: slices.Clip(m.to), class: slices.Clip(m.class), classes: m.classes,
		Rewards: m.Rewards,
	}
	originals := slices.Sorted(maps.Keys(weights))
	var copied []uint32
	for _, s := range originals {
		out.initial = append(out.initial, start{s, 1})
		row, class := m.to[m.rows[s]:m.rows[s+1]], m.class[m.rows[s]:m.rows[s+1]]
		for range weights[s]/unit - 1 {
			if uint64(len(out.rows)) > maxStates || uint64(len(out.to)+len(row)) > maxBranches {
				return nil, ErrTooLarge
			}
			out.initial = append(out.initial, start{uint32(out.States()), 1})
			out.to, out.class = append(out.to, row...), append(out.class, class...)
			out.rows = append(out.rows, uint32(len(out.to)))
			copied = append(copied, s)
		}
	}
	unfolded := func(states Set) Set {
		set := NewSet(out.States())
		copy(set, states)
		for i, s := range copied {
			if states.Has(s) {
				set.Add(uint32(m.States() + i))
			}
		}
		return set
	}
	for _, l := range m.Labels {
		out.Labels = append(out.Labels, Label{l.Name, unfolded(l.States)})
	}
	if m.Stops != nil {
		out.Stops = unfolded(m.Stops)
	}
	return out, nil
}
