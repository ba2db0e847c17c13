package bisim

// splitUnder divides the block of slice q into the states that can, after inert transitions, do one of q and those
// that cannot. Those of its bottom states that have a transition in q are marked.
//
// If some states that can have lost all their inert transitions, because these lead to the part that cannot,
// the states that can are divided once more, into those that can get to that other part by inert transitions
// and a τ, and the rest. All new bottom states are among the first, and no old one is; so the first, which
// may not be stable, become a block that stabilize can deal with.
func (r *refiner) splitUnder(q uint32) {
	hit, miss := r.split(r.slices.list.at(q).block, splitter{slice: q})
	if miss != none && len(r.search.fresh) > 0 {
		r.destabilize(r.splitFresh(hit))
	}
	r.search.forget()
}

// splitFresh returns the part of a block from which a τ into another part of what was the same block can be
// reached.
func (r *refiner) splitFresh(b uint32) uint32 {
	fresh := r.search.fresh
	if blk := r.blocks.at(b); blk.bottom-blk.start == uint32(len(fresh)) {
		return b
	}
	for _, s := range fresh {
		r.mark(s)
	}
	awake, _ := r.split(b, splitter{slice: none, states: r.search.crossing})
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
	part, isHit := r.smallerPart(b, by)
	blk.marked = 0
	d := r.detach(b, part)
	r.loseInert(part, isHit, b)
	r.search.reset()
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
	if r.history != nil {
		r.history.split(b, front.start, front.end, r.blocks.at(b).end)
	}
	r.listCompound(front.constellation)
	for _, s := range part {
		r.blockOf[s] = d
		for t := r.offset[s]; t < r.offset[s+1]; t++ {
			r.effort.Tick()
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
	r.search.cross(s)
	r.inertOut[s]--
	if r.inertOut[s] == 0 {
		b := r.blocks.at(r.blockOf[s])
		r.swap(r.at[s], b.bottom)
		b.bottom++
		r.search.fresh = append(r.search.fresh, s)
	}
}

// A splitter is what a block is split by: a state is hit if it has a transition in a slice or, if slice is
// none, if it is one of some states, which have crossed.
type splitter struct {
	slice  uint32
	states []uint32
}

// A search finds the smaller part of a block that is to be split, without looking at more than a constant
// times the transitions of that part: two interleaved searches, one for the states that are hit and one for those that
// are missed, take steps in turn until one has found all its states. A search that has found more than half
// of the block is given up. (Groote et al. 2017, sect. 5; Jansen et al. 2020, sect. 4.)
type search struct {
	status  []uint8  // by state: flags
	left    []uint32 // by state: inert transitions not known to lead to missed states; 0 if none is known to
	touched []uint32 // states with left ≠ 0, at some time of this search
	hits    []uint32 // states found to be hit
	misses  []uint32 // states found not to be hit

	// What loseInert tells splitUnder.
	fresh    []uint32 // states that have become bottom states
	crossing []uint32 // states that have lost an inert transition
}

const (
	isHit uint8 = 1 << iota
	isMiss
	hasCrossed
)

func newSearch(states int) search {
	return search{status: make([]uint8, states), left: make([]uint32, states)}
}

// smallerPart returns the smaller part of block b, and whether it is the one that is hit. The result is valid
// until reset.
func (r *refiner) smallerPart(b uint32, by splitter) (part []uint32, hit bool) {
	blk := r.blocks.at(b)
	half := int(blk.size() / 2)
	h := newHitSearch(r, b, by)
	m := missSearch{refiner: r, block: b, by: by, next: blk.start + blk.marked, bottom: blk.bottom}
	hRuns := int(blk.marked) <= half
	mRuns := int(blk.bottom-blk.start-blk.marked) <= half
	for {
		r.effort.Tick()
		if hRuns {
			if h.step() {
				return r.search.hits, true
			}
			hRuns = len(r.search.hits) <= half
		}
		if mRuns {
			if m.step() {
				return r.search.misses, false
			}
			mRuns = len(r.search.misses) <= half
		}
	}
}

// reset forgets a search but for what loseInert has found.
func (c *search) reset() {
	for _, s := range c.hits {
		c.status[s] &^= isHit
	}
	for _, s := range c.misses {
		c.status[s] &^= isMiss
	}
	for _, s := range c.touched {
		c.left[s] = 0
	}
	c.hits, c.misses, c.touched = c.hits[:0], c.misses[:0], c.touched[:0]
}

// cross notes that s has lost an inert transition.
func (c *search) cross(s uint32) {
	if c.status[s]&hasCrossed == 0 {
		c.status[s] |= hasCrossed
		c.crossing = append(c.crossing, s)
	}
}

// forget forgets what loseInert has found.
func (c *search) forget() {
	for _, s := range c.crossing {
		c.status[s] &^= hasCrossed
	}
	c.crossing, c.fresh = c.crossing[:0], c.fresh[:0]
}

// A hitSearch finds the states that are hit: the sources of the splitter, and backwards along inert
// transitions from there.
type hitSearch struct {
	*refiner
	block   uint32
	sources []uint32 // states, or transitions of a slice, not looked at yet
	bySlice bool
	queue   int    // states of search.hits whose transitions have been looked at
	in, end uint32 // range in refiner.in of the transitions of the state being looked at
}

func newHitSearch(r *refiner, b uint32, by splitter) hitSearch {
	if by.slice == none {
		return hitSearch{refiner: r, block: b, sources: by.states}
	}
	s := r.slices.list.at(by.slice)
	return hitSearch{refiner: r, block: b, sources: r.slices.elem[s.start:s.end], bySlice: true}
}

// step looks at one transition. It returns true if there are no more.
func (h *hitSearch) step() bool {
	switch {
	case len(h.sources) > 0:
		s := h.sources[0]
		h.sources = h.sources[1:]
		if h.bySlice {
			s = h.source[s]
		}
		h.find(s)
	case h.in < h.end:
		s := h.source[h.refiner.in[h.in]]
		h.in++
		if h.blockOf[s] == h.block {
			h.find(s)
		}
	case h.queue < len(h.search.hits):
		s := h.search.hits[h.queue]
		h.queue++
		h.in, h.end = h.inAt[s], h.inTau[s]
	default:
		return true
	}
	return false
}

func (h *hitSearch) find(s uint32) {
	if h.search.status[s]&isHit == 0 {
		h.search.status[s] |= isHit
		h.search.hits = append(h.search.hits, s)
	}
}

// A missSearch finds the states that are not hit: the bottom states that are not marked, and backwards along
// inert transitions those that are not hit themselves and all of whose inert transitions lead to such.
type missSearch struct {
	*refiner
	block        uint32
	by           splitter
	next, bottom uint32 // range in elem of the bottom states not looked at yet
	queue        int    // states of search.misses whose transitions have been looked at
	in, end      uint32 // range in refiner.in of the transitions of the state being looked at
	candidate    uint32 // a state all of whose inert transitions lead to missed states, if out < outEnd
	out, outEnd  uint32 // range of its transitions that may be in the slice
}

// step looks at one transition. It returns true if there are no more.
func (m *missSearch) step() bool {
	switch {
	case m.next < m.bottom:
		m.find(m.elem[m.next])
		m.next++
	case m.out < m.outEnd:
		m.examine()
	case m.in < m.end:
		s := m.source[m.refiner.in[m.in]]
		m.in++
		if m.blockOf[s] == m.block {
			m.touch(s)
		}
	case m.queue < len(m.search.misses):
		s := m.search.misses[m.queue]
		m.queue++
		m.in, m.end = m.inAt[s], m.inTau[s]
	default:
		return true
	}
	return false
}

func (m *missSearch) find(s uint32) {
	m.search.status[s] |= isMiss
	m.search.misses = append(m.search.misses, s)
}

// touch notes that an inert transition from s leads to a missed state.
func (m *missSearch) touch(s uint32) {
	c := &m.search
	if c.status[s]&isHit != 0 {
		return
	}
	if c.left[s] == 0 {
		c.left[s] = m.inertOut[s]
		c.touched = append(c.touched, s)
	}
	c.left[s]--
	if c.left[s] > 0 {
		return
	}
	if m.by.slice != none {
		m.candidate, m.out, m.outEnd = s, m.offset[s], m.offset[s+1]
	} else if c.status[s]&hasCrossed == 0 {
		m.find(s)
	}
}

// examine looks at one transition of the candidate. If one is in the slice then the candidate is hit, and
// about to become a bottom state, which accounts for the time.
func (m *missSearch) examine() {
	if m.slices.of[m.out] == m.by.slice {
		m.out = m.outEnd
		return
	}
	m.out++
	if m.out == m.outEnd {
		m.find(m.candidate)
	}
}
