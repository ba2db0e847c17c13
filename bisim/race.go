package bisim

// A splitter is what a block is split by: a state is hit if it has a transition in a slice or, if slice is
// none, if it is one of some states, which have crossed.
type splitter struct {
	slice  uint32
	states []uint32
}

// A race finds the smaller part of a block that is to be split, without looking at more than a constant
// times the transitions of that part: two searches, one for the states that are hit and one for those that
// are missed, take steps in turn until one has found all its states. A search that has found more than half
// of the block is given up. (Groote et al. 2017, sect. 5; Jansen et al. 2020, sect. 4.)
type race struct {
	status  []uint8  // by state: flags
	left    []uint32 // by state: inert transitions not known to lead to missed states; 0 if none is known to
	touched []uint32 // states with left ≠ 0, at some time of this race
	hits    []uint32 // states found to be hit
	misses  []uint32 // states found not to be hit

	// What loseInert tells cut.
	fresh    []uint32 // states that have become bottom states
	crossing []uint32 // states that have lost an inert transition
}

const (
	isHit uint8 = 1 << iota
	isMiss
	hasCrossed
)

func newRace(states int) race {
	return race{status: make([]uint8, states), left: make([]uint32, states)}
}

// runRace returns the smaller part of block b, and whether it is the one that is hit. The result is valid
// until reset.
func (r *refiner) runRace(b uint32, by splitter) (part []uint32, hit bool) {
	blk := r.blocks.at(b)
	half := int(blk.size() / 2)
	h := newHitSearch(r, b, by)
	m := missSearch{refiner: r, block: b, by: by, next: blk.start + blk.marked, bottom: blk.bottom}
	hRuns := int(blk.marked) <= half
	mRuns := int(blk.bottom-blk.start-blk.marked) <= half
	for {
		if hRuns {
			if h.step() {
				return r.race.hits, true
			}
			hRuns = len(r.race.hits) <= half
		}
		if mRuns {
			if m.step() {
				return r.race.misses, false
			}
			mRuns = len(r.race.misses) <= half
		}
	}
}

// reset forgets a race but for what loseInert has found.
func (c *race) reset() {
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
func (c *race) cross(s uint32) {
	if c.status[s]&hasCrossed == 0 {
		c.status[s] |= hasCrossed
		c.crossing = append(c.crossing, s)
	}
}

// forget forgets what loseInert has found.
func (c *race) forget() {
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
	queue   int    // states of race.hits whose transitions have been looked at
	in, end uint32 // range in refiner.in of the transitions of the state being looked at
}

func newHitSearch(r *refiner, b uint32, by splitter) hitSearch {
	if by.slice == none {
		return hitSearch{refiner: r, block: b, sources: by.states}
	}
	s := r.slices.list.at(by.slice)
	return hitSearch{refiner: r, block: b, sources: r.slices.order[s.start:s.end], bySlice: true}
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
	case h.queue < len(h.race.hits):
		s := h.race.hits[h.queue]
		h.queue++
		h.in, h.end = h.inAt[s], h.inTau[s]
	default:
		return true
	}
	return false
}

func (h *hitSearch) find(s uint32) {
	if h.race.status[s]&isHit == 0 {
		h.race.status[s] |= isHit
		h.race.hits = append(h.race.hits, s)
	}
}

// A missSearch finds the states that are not hit: the bottom states that are not marked, and backwards along
// inert transitions those that are not hit themselves and all of whose inert transitions lead to such.
type missSearch struct {
	*refiner
	block        uint32
	by           splitter
	next, bottom uint32 // range in elem of the bottom states not looked at yet
	queue        int    // states of race.misses whose transitions have been looked at
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
	case m.queue < len(m.race.misses):
		s := m.race.misses[m.queue]
		m.queue++
		m.in, m.end = m.inAt[s], m.inTau[s]
	default:
		return true
	}
	return false
}

func (m *missSearch) find(s uint32) {
	m.race.status[s] |= isMiss
	m.race.misses = append(m.race.misses, s)
}

// touch notes that an inert transition from s leads to a missed state.
func (m *missSearch) touch(s uint32) {
	c := &m.race
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
