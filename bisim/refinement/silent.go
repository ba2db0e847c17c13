package refinement

import (
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// silent is the part of a system that τ's lead to from a state, in breadth-first order.
type silent struct {
	states []uint32          // of the system; the first is the beginning
	places map[uint32]uint32 // of states
	from   []uint32          // the place before, on a shortest path
	to     [][]uint32        // by place: the places of the τ-successors
	part   []uint32          // by place: the strongly connected component
}

// silent returns the part of A that τ's lead to from a state.
func (s *search) silent(state uint32) *silent {
	r := &silent{states: []uint32{state}, places: map[uint32]uint32{state: 0}, from: []uint32{0}}
	for i := uint32(0); i < uint32(len(r.states)); i++ {
		s.tick()
		var to []uint32
		for _, e := range s.edgesOf(r.states[i]) {
			if e.Label != lts.Tau {
				continue
			}
			place, known := r.places[e.To]
			if !known {
				place = uint32(len(r.states))
				r.places[e.To] = place
				r.states, r.from = append(r.states, e.To), append(r.from, i)
			}
			to = append(to, place)
		}
		r.to = append(r.to, to)
	}
	components := graph.NewSearch(&effort.Effort{Context: s.effort.Context}, len(r.states),
		func(v, from uint32) (to, edge uint32, ok bool) {
			if int(from) >= len(r.to[v]) {
				return 0, 0, false
			}
			return r.to[v][from], from, true
		})
	components.Visit(0)
	r.part, _ = components.Components()
	return r
}

// path returns a shortest path to a place.
func (r *silent) path(place uint32) []lts.Edge {
	edges := []lts.Edge{}
	for ; place != 0; place = r.from[place] {
		edges = append(edges, lts.Edge{Label: lts.Tau, To: r.states[place]})
	}
	slices.Reverse(edges)
	return edges
}

// cycle returns a shortest cycle through a place, nil if it is on no cycle.
func (r *silent) cycle(place uint32) []lts.Edge {
	from := map[uint32]uint32{}
	queue := []uint32{place}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range r.to[at] {
			if _, known := from[to]; known || r.part[to] != r.part[place] {
				continue
			}
			from[to] = at
			if to != place {
				queue = append(queue, to)
				continue
			}
			edges := []lts.Edge{{Label: lts.Tau, To: r.states[place]}}
			for ; at != place; at = from[at] {
				edges = append(edges, lts.Edge{Label: lts.Tau, To: r.states[at]})
			}
			slices.Reverse(edges)
			return edges
		}
	}
	return nil
}
