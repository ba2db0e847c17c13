package product

import (
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model/ltl"
)

// reach leaves only reachable nodes alive.
func (m *product) reach() error {
	width := len(m.accepting)
	if err := m.checkMemory(uint64(2*width) * m.places / 8); err != nil {
		return err
	}
	clear(m.remaining)
	r := &reachable{m, make([]graph.Set[uint64], width), make([]graph.Set[uint64], width)}
	for q := range r.nodes {
		r.nodes[q], r.expandedNodes[q] = graph.NewSet(m.places), graph.NewSet(m.places)
	}
	initial := r.nodes[m.Automaton.Initial]
	if m.waitsInitially() {
		copy(initial, m.allPlaces())
	}
	for _, p := range m.starts {
		initial.Add(p)
	}
	for expanded := int64(1); expanded > 0; {
		var err error
		if expanded, err = m.sweep(false, explore.Selection{Place: r.hasUnexpanded}, r.expand); err != nil {
			return err
		}
	}
	for q, s := range m.alive {
		if s != nil {
			s.Intersect(r.nodes[q])
		}
	}
	return nil
}

// A reachable is a computation of the reachable nodes.
type reachable struct {
	*product
	nodes, expandedNodes []graph.Set[uint64] // by state of the automaton
}

// hasUnexpanded reports whether a node of a place has not been expanded.
func (r *reachable) hasUnexpanded(p uint64) bool {
	for q, reached := range r.nodes {
		if reached.Has(p) && !r.expandedNodes[q].Has(p) {
			return true
		}
	}
	return false
}

// expand returns the number of states that it expands.
func (r *reachable) expand(v *explore.Vertex) int64 {
	for q, reached := range r.nodes {
		if reached.Has(v.Place) && !r.expandedNodes[q].Has(v.Place) {
			r.expandedNodes[q].Add(v.Place)
			r.edges(v, q, 0, len(v.To), func(e edge) bool { r.nodes[e.To].Add(v.To[e.t]); return true })
			if s := r.alive[q]; s != nil && s.Has(v.Place) {
				r.remaining.Add(v.Number)
			}
		}
	}
	return 1
}

// waitsInitially reports whether the automaton can stay in its initial state with every letter.
func (m *product) waitsInitially() bool {
	q := m.Automaton.Initial
	loops := func(e ltl.Edge) bool { return e.To == q && e.Guard.Yes|e.Guard.No == 0 }
	return slices.ContainsFunc(m.Automaton.Edges[q], loops)
}

// cyclesReachable reports whether all nodes on accepting cycles are certainly reachable: the automaton can wait in
// every state, and go from there to every successor of such a node.
func (m *product) cyclesReachable() bool {
	if !m.waitsInitially() {
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
