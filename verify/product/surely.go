package product

import (
	"slices"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/graph"
)

// surely keeps those starts from which a scheduler can come to the nodes that are alive with probability one: those in
// the greatest set of nodes from each of which there is a way to them by draws of which no outcome leaves the set (de
// Alfaro 1997, Sect. 3.1). Among those that are alive it can stay, and come to an end component, whatever is drawn.
func (m *multiplication) surely() error {
	width := len(m.accepting)
	if err := m.fits(uint64(2*width) * m.places / 8); err != nil {
		return err
	}
	outer := make([]graph.Set[uint64], width)
	for q := range outer {
		outer[q] = m.all()
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
		if same := slices.EqualFunc(outer, inner, func(a, b graph.Set[uint64]) bool { return slices.Equal(a, b) }); same {
			break
		}
		outer = inner
	}
	m.starts = slices.DeleteFunc(m.starts, func(p uint64) bool { return !outer[m.Automaton.Initial].Has(p) })
	return nil
}

// attract adds to inner the nodes of outer with a draw that can stay in outer and lead to inner, until nothing changes.
func (m *multiplication) attract(outer, inner []graph.Set[uint64]) error {
	open := func(p uint64) bool {
		for q := range outer {
			if outer[q].Has(p) && !inner[q].Has(p) {
				return true
			}
		}
		return false
	}
	for {
		var added atomic.Bool
		err := m.System.Sweep(m.ctx, true, explore.Selection{Place: open}, func(v *explore.Vertex) {
			for q := range outer {
				if outer[q].Has(v.Place) && !inner[q].Has(v.Place) && m.chooses(v, q, outer, inner) {
					inner[q].Add(v.Place)
					added.Store(true)
				}
			}
		})
		if err != nil || !added.Load() {
			return err
		}
	}
}

// chooses reports whether a node has a draw that can stay in outer and lead to inner.
func (m *multiplication) chooses(v *explore.Vertex, q int, outer, inner []graph.Set[uint64]) bool {
	leads := func(t int, to []graph.Set[uint64]) bool {
		return !m.each(v, q, t, t+1, func(e edge) bool { return !to[e.To].Has(v.To[t]) })
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
