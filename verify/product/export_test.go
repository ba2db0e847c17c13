package product

// Nodes calls yield with the nodes that were left: a place, and a state of the automaton.
func (r *Remains) Nodes(yield func(place uint64, q int) bool) {
	for q, s := range r.alive {
		for i := range uint64(64 * len(s)) {
			if s.Has(i) && !yield(i, q) {
				return
			}
		}
	}
}

// Begun reports whether a search has begun with the one before.
func (s *Search) Begun() bool { return s.begun != nil }
