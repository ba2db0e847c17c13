package product

import (
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model/ltl"
)

// reach leaves only reachable nodes alive.
func (m *multiplication) reach() error {
	width := len(m.accepting)
	if err := m.fits(uint64(2*width) * m.places / 8); err != nil {
		return err
	}
	clear(m.left)
	r := &reachable{m, make([]graph.Set[uint64], width), make([]graph.Set[uint64], width)}
	for q := range r.reached {
		r.reached[q], r.done[q] = graph.NewSet(m.places), graph.NewSet(m.places)
	}
	initial := r.reached[m.Automaton.Initial]
	if m.waits() {
		copy(initial, m.all())
	}
	for _, p := range m.starts {
		initial.Add(p)
	}
	for expanded := int64(1); expanded > 0; {
		var err error
		if expanded, err = m.sweep(false, explore.Selection{Place: r.open}, r.expand); err != nil {
			return err
		}
	}
	for q, s := range m.alive {
		if s != nil {
			s.Intersect(r.reached[q])
		}
	}
	return nil
}

// reachable computes which nodes are reachable.
type reachable struct {
	*multiplication
	reached, done []graph.Set[uint64] // by state of the automaton
}

// open reports whether a node with some place has not been expanded.
func (r *reachable) open(p uint64) bool {
	for q, reached := range r.reached {
		if reached.Has(p) && !r.done[q].Has(p) {
			return true
		}
	}
	return false
}

// expand returns the number of states that it expands.
func (r *reachable) expand(v *explore.Vertex) int64 {
	for q, reached := range r.reached {
		if reached.Has(v.Place) && !r.done[q].Has(v.Place) {
			r.done[q].Add(v.Place)
			r.each(v, q, 0, len(v.To), func(e edge) bool { r.reached[e.To].Add(v.To[e.t]); return true })
			if s := r.alive[q]; s != nil && s.Has(v.Place) {
				r.left.Add(v.Number)
			}
		}
	}
	return 1
}

// waits reports whether the automaton can stay in its initial state with every letter.
func (m *multiplication) waits() bool {
	q := m.Automaton.Initial
	loops := func(e ltl.Edge) bool { return e.To == q && e.Guard.Yes|e.Guard.No == 0 }
	return slices.ContainsFunc(m.Automaton.Edges[q], loops)
}

// cyclesReachable reports whether all nodes on accepting cycles are certain to be reachable: the automaton can wait in
// every state, and go from there wherever such a node leads.
func (m *multiplication) cyclesReachable() bool {
	if !m.waits() {
		return false
	}
	for q, edges := range m.Automaton.Edges {
		for _, e := range edges {
			leads := func(f ltl.Edge) bool { return f.To == e.To && e.Guard.Within(f.Guard) }
			if m.accepting[q] && m.accepting[e.To] &&
				!slices.ContainsFunc(m.Automaton.Edges[m.Automaton.Initial], leads) {
				return false
			}
		}
	}
	return true
}
