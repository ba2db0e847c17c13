package bisim

// cut divides the block of slice q into the states that can, after inert transitions, do one of q and those
// that cannot. Those of its bottom states that have a transition in q are marked.
//
// If some states that can have lost all their inert transitions, because these lead to the part that cannot,
// the states that can are divided once more, into those that can get to that other part by inert transitions
// and a τ, and the rest. All new bottom states are among the first, and no old one is; so the first, which
// may not be stable, become a block that stabilize can deal with.
func (r *refiner) cut(q uint32) {
	hit, miss := r.split(r.slices.list.at(q).block, splitter{slice: q})
	if miss != none && len(r.race.fresh) > 0 {
		r.awaken(r.splitFresh(hit))
	}
	r.race.forget()
}

// splitFresh returns the part of a block from which a τ into another part of what was the same block can be
// reached.
func (r *refiner) splitFresh(b uint32) uint32 {
	fresh := r.race.fresh
	if blk := r.blocks.at(b); blk.bottom-blk.start == uint32(len(fresh)) {
		return b
	}
	for _, s := range fresh {
		r.mark(s)
	}
	awake, _ := r.split(b, splitter{slice: none, states: r.race.crossing})
	return awake
}

// split divides block b by a splitter that hits all marked bottom states of b and no other of its bottom
// states. It returns the two blocks, the second of which is none if all states are hit, and unmarks all.
func (r *refiner) split(b uint32, by splitter) (hit, miss uint32) {
	blk := r.blocks.at(b)
	if blk.marked == blk.bottom-blk.start {
		blk.marked = 0
		return b, none
	}
	part, isHit := r.runRace(b, by)
	blk.marked = 0
	d := r.detach(b, part)
	r.loseInert(part, isHit, b)
	r.race.reset()
	if isHit {
		return d, b
	}
	return b, d
}

// detach makes a new block of some states of block b.
func (r *refiner) detach(b uint32, part []uint32) uint32 {
	front := r.arrange(b, part)
	d := r.blocks.add(front)
	r.blocks.at(b).start = front.end
	r.listCompound(front.constellation)
	for _, s := range part {
		r.blockOf[s] = d
		for t := r.offset[s]; t < r.offset[s+1]; t++ {
			if q := r.slices.move(t); q != none {
				r.touched = append(r.touched, q)
			}
		}
	}
	for _, q := range r.touched {
		r.inheritRest(q, b)
	}
	for _, q := range r.touched {
		r.inherit(q, b, d)
	}
	r.touched = r.touched[:0]
	return d
}

// arrange moves some states to the beginning of their block's range, the bottom states first, and returns
// that beginning as a block. The other bottom states come behind it.
func (r *refiner) arrange(b uint32, part []uint32) block {
	blk := r.blocks.at(b)
	bottom := blk.start // behind the bottom states of part
	for _, s := range part {
		if r.at[s] < blk.bottom {
			r.swap(r.at[s], bottom)
			bottom++
		}
	}
	end := blk.bottom // behind the other states of part
	for _, s := range part {
		if r.at[s] >= blk.bottom {
			r.swap(r.at[s], end)
			end++
		}
	}
	// Between the two are the bottom states that stay: exchange as many as the shorter stretch has.
	for i := range min(blk.bottom-bottom, end-blk.bottom) {
		r.swap(bottom+i, end-1-i)
	}
	others := end - blk.bottom
	d := block{start: blk.start, bottom: bottom, end: bottom + others, constellation: blk.constellation, slices: none}
	blk.bottom = end
	return d
}

// inherit makes a slice of the transitions that have been moved out of slice q, because their sources have
// moved from block b to d.
func (r *refiner) inherit(q, b, d uint32) {
	s := r.slices.list.at(q)
	if s.size() == 0 {
		r.slices.revert(q)
		r.slices.unlink(q, &r.blocks.at(b).slices)
		r.slices.link(q, &r.blocks.at(d).slices)
		s.block = d
		return
	}
	child := s.child
	s.child = none
	c := r.slices.list.at(child)
	c.block = d
	r.slices.link(child, &r.blocks.at(d).slices)
	if s.unstable {
		r.upset(child)
	}
	if s.pending != settled {
		c.pending = s.pending
		r.pending = append(r.pending, child)
	}
}

// inheritRest finds the rests of slice q, which is pending, and of its child: each has its own block's part
// of the rest of q.
func (r *refiner) inheritRest(q, b uint32) {
	s := r.slices.list.at(q)
	if s.rest == none || r.slices.list.at(s.rest).block != b {
		s.rest = none
		return
	}
	stays, moved := s.rest, r.slices.list.at(s.rest).child
	if r.slices.list.at(stays).size() == 0 {
		stays, moved = none, stays // its child will be reverted
	}
	if s.size() == 0 {
		s.rest = moved
		return
	}
	s.rest = stays
	r.slices.list.at(s.child).rest = moved
}

// loseInert accounts for the inert transitions that are inert no more, since part has been detached from
// block b. They lead from the states that are hit to those that are not.
func (r *refiner) loseInert(part []uint32, isHit bool, b uint32) {
	if !r.inert {
		return
	}
	for _, s := range part {
		if !isHit {
			for _, t := range r.in[r.inAt[s]:r.inTau[s]] {
				if v := r.source[t]; r.blockOf[v] == b {
					r.lose(v)
				}
			}
			continue
		}
		for _, e := range r.row(s) {
			if !r.mayBeInert(e.Label) {
				break
			}
			if r.blockOf[e.To] == b {
				r.lose(s)
			}
		}
	}
}

// lose takes away an inert transition of s.
func (r *refiner) lose(s uint32) {
	r.race.cross(s)
	r.inertOut[s]--
	if r.inertOut[s] == 0 {
		b := r.blocks.at(r.blockOf[s])
		r.swap(r.at[s], b.bottom)
		b.bottom++
		r.race.fresh = append(r.race.fresh, s)
	}
}
