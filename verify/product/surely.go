package product

import (
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// keepAlmostSure keeps the starts from which a scheduler can reach the alive nodes with probability one. They are in
// the greatest set of nodes from each of which the alive nodes can be reached by draws without an outcome outside the
// set (de Alfaro 1997, Sect. 3.1). From alive nodes the scheduler can stay among alive nodes, and reach an end
// component, for all outcomes of draws.
//
// If a suitable automaton is not deterministic, only its breakpoints are accepting. A scheduler need not move to a
// breakpoint before it can stay there (see ltl.Automaton.Suitable): breakpoints that are not alive are excluded.
func (m *product) keepAlmostSure() error {
	width := len(m.accepting)
	if err := m.checkMemory(uint64(2*width) * m.places / 8); err != nil {
		return err
	}
	outer, postponed := make([]graph.Set[uint64], width), !m.Automaton.IsDeterministic()
	for q := range outer {
		if postponed && m.accepting[q] {
			outer[q] = slices.Clone(m.alive[q])
		} else {
			outer[q] = m.allPlaces()
		}
	}
	for {
		inner := make([]graph.Set[uint64], len(outer))
		for q := range inner {
			inner[q] = graph.NewSet(m.places)
			copy(inner[q], m.alive[q])
		}
		if err := m.attract(outer, inner); err != nil {
			return err
		}
		if slices.EqualFunc(outer, inner, slices.Equal[graph.Set[uint64]]) {
			break
		}
		outer = inner
	}
	m.starts = slices.DeleteFunc(m.starts, func(p uint64) bool { return !outer[m.Automaton.Initial].Has(p) })
	return nil
}

// attract adds to inner the nodes of outer with a draw that can stay in outer and lead to inner, until nothing changes.
func (m *product) attract(outer, inner []graph.Set[uint64]) error {
	open := func(p uint64) bool {
		for q := range outer {
			if outer[q].Has(p) && !inner[q].Has(p) {
				return true
			}
		}
		return false
	}
	for {
		added, err := m.sweep(true, explore.Selection{Place: open}, func(v *explore.Vertex) (added int64) {
			for q := range outer {
				if outer[q].Has(v.Place) && !inner[q].Has(v.Place) && m.chooses(v, q, outer, inner) {
					inner[q].Add(v.Place)
					added++
				}
			}
			return added
		})
		if err != nil || added == 0 {
			return err
		}
	}
}

// chooses reports whether a node has a draw that can stay in outer and lead to inner.
func (m *product) chooses(v *explore.Vertex, q int, outer, inner []graph.Set[uint64]) bool {
	leads := func(t int, to []graph.Set[uint64]) bool {
		return !m.edges(v, q, t, t+1, func(e edge) bool { return !to[e.To].Has(v.To[t]) })
	}
	for first := 0; first < len(v.To); {
		end := m.distribution(v, first)
		stays, comes := true, false
		for t := first; t < end; t++ {
			stays = stays && leads(t, outer)
			comes = comes || leads(t, inner)
		}
		if stays && comes {
			return true
		}
		first = end
	}
	return false
}
