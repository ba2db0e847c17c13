package bisim

// awaken lists all slices of a block all of whose bottom states are new, and marks the bottom states'
// transitions in them. That happens once to every transition.
func (r *refiner) awaken(b uint32) {
	blk := r.blocks.at(b)
	for _, s := range r.elem[blk.start:blk.bottom] {
		for t := r.offset[s]; t < r.offset[s+1]; t++ {
			r.slices.mark(t)
		}
	}
	for q := blk.slices; q != none; q = r.slices.list.at(q).next {
		r.upset(q)
	}
}

func (r *refiner) upset(q uint32) {
	if s := r.slices.list.at(q); !s.unstable {
		s.unstable = true
		r.unstable = append(r.unstable, q)
	}
}

// stabilize cuts blocks until those that have been awakened are stable under all their slices. When a slice
// is taken up, all bottom states of its block are new, and those with a transition in it are the sources of
// its marked transitions.
func (r *refiner) stabilize() error {
	for len(r.unstable) > 0 {
		q := r.unstable[len(r.unstable)-1]
		r.unstable = r.unstable[:len(r.unstable)-1]
		s := r.slices.list.at(q)
		marked := r.slices.order[s.start : s.start+s.marked]
		s.unstable, s.marked = false, 0
		if r.isExempt(s) {
			continue
		}
		for _, t := range marked {
			r.mark(r.source[t])
		}
		r.cut(q)
		if err := r.cancelled(); err != nil {
			return err
		}
	}
	return nil
}

// isExempt reports whether a slice has τ's to its block's own constellation.
func (r *refiner) isExempt(s *slice) bool {
	if !r.mayBeInert(s.label) {
		return false
	}
	to := r.edges[r.slices.order[s.start]].To
	return r.constellationOf(to) == r.blocks.at(s.block).constellation
}
