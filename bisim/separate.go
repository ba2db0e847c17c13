package bisim

// A stage says what is left to do for a slice made by separate.
type stage uint8

const (
	settled     stage = iota
	splitByNew        // split the block under the slice, then go on to splitByRest if it has a rest
	splitByRest       // split the block under the slice's rest
)

// separate makes one block of a compound constellation, the smaller of its first and last, a constellation
// of its own, divides the slices to it and lists those under which a block may not be stable.
//
// Let a slice of transitions from block X to the old constellation be divided into one to the new one and a
// rest. X was stable under the whole, so a bottom state without transition to the new constellation has one
// in the rest; only those that have one to the new must be told apart by the rest, and their counters tell
// at once. So X is split under the new slice, which may be looked at in full, and then under the rest, of
// which only so much is looked at as the smaller part accounts for.
func (r *refiner) separate(c uint32) {
	b := r.smallBlock(c)
	blk, k := r.blocks.at(b), r.constellations.at(c)
	blk.constellation = r.constellations.add(constellation{start: blk.start, end: blk.end})
	if blk.start == k.start {
		k.start = blk.end
	} else {
		k.end = blk.start
	}
	if r.blocks.at(r.blockOf[r.elem[k.start]]).end < k.end {
		r.listCompound(c)
	}
	for _, s := range r.elem[blk.start:blk.end] {
		for _, t := range r.in[r.inAt[s]:r.inAt[s+1]] {
			r.effort.Tick()
			if q := r.slices.move(t); q != none {
				r.touched = append(r.touched, q)
			}
			r.counters.move(t)
		}
	}
	for _, q := range r.touched {
		r.divide(q, b, c)
	}
	r.touched = r.touched[:0]
	r.awaitOwn(b, c)
}

// awaitOwn lists the slice of τ's from block b to constellation c, which was its own, if there is one.
func (r *refiner) awaitOwn(b, c uint32) {
	for q := r.blocks.at(b).slices; q != none; q = r.slices.list.at(q).next {
		s := r.slices.list.at(q)
		if r.mayBeInert(s.label) && r.constellationOf(r.edges[r.slices.elem[s.start]].To) == c {
			r.await(q, none)
		}
	}
}

// smallBlock returns the first or the last block of a constellation, whichever is smaller.
func (r *refiner) smallBlock(c uint32) uint32 {
	k := r.constellations.at(c)
	first, last := r.blockOf[r.elem[k.start]], r.blockOf[r.elem[k.end-1]]
	if r.blocks.at(first).size() <= r.blocks.at(last).size() {
		return first
	}
	return last
}

func (r *refiner) listCompound(c uint32) {
	if k := r.constellations.at(c); !k.listed {
		k.listed = true
		r.compound = append(r.compound, c)
	}
}

// divide makes two slices of slice q, whose child has the transitions to block b, just taken out of
// constellation c.
func (r *refiner) divide(q, b, c uint32) {
	s := r.slices.list.at(q)
	x := s.block
	exempt := r.mayBeInert(s.label) && r.blocks.at(x).constellation == c // so x may not have been stable under the whole
	if s.size() == 0 {
		r.slices.revert(q)
		if exempt {
			r.await(q, none)
		}
		return
	}
	child := s.child
	s.child = none
	r.slices.link(child, &r.blocks.at(x).slices)
	switch {
	case r.mayBeInert(s.label) && x == b:
		// The child has the inert transitions of b; awaitOwn sees to q.
	case exempt:
		r.await(child, none)
	default:
		r.await(child, q)
	}
}

func (r *refiner) await(q, rest uint32) {
	s := r.slices.list.at(q)
	s.pending, s.rest = splitByNew, rest
	r.pending = append(r.pending, q)
}

// settle splits blocks until all are stable under the slices that separate made.
func (r *refiner) settle() {
	for len(r.pending) > 0 {
		q := r.pending[len(r.pending)-1]
		r.pending = r.pending[:len(r.pending)-1]
		if r.slices.list.at(q).pending == splitByNew {
			r.splitUnderNew(q)
		} else {
			r.splitUnderRest(q)
		}
		r.stabilize()
		r.effort.Tick()
	}
	r.counters.settle()
}

func (r *refiner) splitUnderNew(q uint32) {
	s := r.slices.list.at(q)
	for _, t := range r.slices.elem[s.start:s.end] {
		if v := r.source[t]; r.isBottom(v) {
			r.mark(v)
		}
	}
	if s.rest == none {
		s.pending = settled
	} else {
		s.pending = splitByRest
		r.pending = append(r.pending, q)
	}
	r.splitUnder(q)
}

func (r *refiner) splitUnderRest(q uint32) {
	s := r.slices.list.at(q)
	rest := s.rest
	s.pending, s.rest = settled, none
	if rest == none || r.slices.list.at(rest).block != s.block {
		return // no transition of the rest starts in this block any more
	}
	for _, t := range r.slices.elem[s.start:s.end] {
		if v := r.source[t]; r.isBottom(v) && r.counters.rest(t) > 0 {
			r.mark(v)
		}
	}
	r.splitUnder(rest)
}

// destabilize lists all slices of a block all of whose bottom states are new, and marks the bottom states'
// transitions in them. That happens once to every transition.
func (r *refiner) destabilize(b uint32) {
	blk := r.blocks.at(b)
	for _, s := range r.elem[blk.start:blk.bottom] {
		for t := r.offset[s]; t < r.offset[s+1]; t++ {
			r.effort.Tick()
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

// stabilize splits blocks until those that have been destabilized are stable under all their slices. When a slice
// is taken up, all bottom states of its block are new, and those with a transition in it are the sources of
// its marked transitions.
func (r *refiner) stabilize() {
	for len(r.unstable) > 0 {
		q := r.unstable[len(r.unstable)-1]
		r.unstable = r.unstable[:len(r.unstable)-1]
		s := r.slices.list.at(q)
		marked := r.slices.elem[s.start : s.start+s.marked]
		s.unstable, s.marked = false, 0
		if r.isExempt(s) {
			continue
		}
		for _, t := range marked {
			r.mark(r.source[t])
		}
		r.splitUnder(q)
		r.effort.Tick()
	}
}

// isExempt reports whether a slice has τ's to its block's own constellation.
func (r *refiner) isExempt(s *slice) bool {
	if !r.mayBeInert(s.label) {
		return false
	}
	to := r.edges[r.slices.elem[s.start]].To
	return r.constellationOf(to) == r.blocks.at(s.block).constellation
}
