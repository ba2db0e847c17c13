package level

import "slices"

// A stream is a sorted list of items read piece by piece. Its current item is items[at], unless it has ended.
type stream[H half] struct {
	items []item[H]
	at    int
	more  func() ([]item[H], error) // returns none at the end; nil if there are no more
}

// settle fetches the next piece if the current one is used up.
func (s *stream[H]) settle() (err error) {
	for s.at == len(s.items) && s.more != nil {
		s.at = 0
		if s.items, err = s.more(); err != nil {
			return err
		}
		if len(s.items) == 0 {
			s.more = nil
		}
	}
	return nil
}

func (s *stream[H]) ended() bool { return s.at == len(s.items) }

// stream returns the items of r as a stream.
func (r *runReader[H]) stream() *stream[H] {
	return &stream[H]{more: func() ([]item[H], error) {
		err := r.next()
		return r.items, err
	}}
}

// A merger merges streams with a loser tree (D. E. Knuth, The Art of Computer Programming, vol. 3, Sect. 5.4.1): the
// next item takes one comparison per round.
type merger[H half] struct {
	streams []*stream[H]
	losers  []int // by match: the stream that lost it; match i is played by the winners of 2i and 2i+1
	winner  int
}

func newMerger[H half](streams []*stream[H]) (*merger[H], error) {
	for _, s := range streams {
		if err := s.settle(); err != nil {
			return nil, err
		}
	}
	m := &merger[H]{streams: slices.DeleteFunc(streams, (*stream[H]).ended)}
	k := len(m.streams)
	if k == 0 {
		return m, nil
	}
	m.losers = make([]int, k)
	winners := make([]int, 2*k)
	for i := range k {
		winners[k+i] = i
	}
	for i := k - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if m.beats(b, a) {
			a, b = b, a
		}
		winners[i], m.losers[i] = a, b
	}
	m.winner = winners[1]
	if k == 1 {
		m.winner = 0
	}
	return m, nil
}

// beats reports whether stream a has a smaller item than b. A stream that has ended counts as infinite.
func (m *merger[H]) beats(a, b int) bool {
	x, y := m.streams[a], m.streams[b]
	if x.ended() || y.ended() {
		return !x.ended()
	}
	return x.items[x.at].precedes(&y.items[y.at])
}

// peek returns the least item, nil at the end.
func (m *merger[H]) peek() *item[H] {
	if len(m.streams) == 0 {
		return nil
	}
	s := m.streams[m.winner]
	if s.ended() {
		return nil
	}
	return &s.items[s.at]
}

// advance moves past the least item.
func (m *merger[H]) advance() error {
	s := m.streams[m.winner]
	s.at++
	if s.ended() {
		if err := s.settle(); err != nil {
			return err
		}
	}
	for i := (m.winner + len(m.streams)) / 2; i > 0; i /= 2 {
		if m.beats(m.losers[i], m.winner) {
			m.losers[i], m.winner = m.winner, m.losers[i]
		}
	}
	return nil
}

// eachItem calls do with the items in order, merging those with equal keys by uniting their sleep sets.
func (m *merger[H]) eachItem(do func(*item[H]) error) error {
	for p := m.peek(); p != nil; {
		x := *p
		if err := m.advance(); err != nil {
			return err
		}
		for p = m.peek(); p != nil && p.sameKey(&x); p = m.peek() {
			x.asleep |= p.asleep
			if err := m.advance(); err != nil {
				return err
			}
		}
		if err := do(&x); err != nil {
			return err
		}
	}
	return nil
}

// A lookup finds keys, queried in ascending order, in a run. It reads only chunks that may hold them, and decodes right
// halves only for the left halves that are queried.
type lookup[H half] struct {
	run    *runReader[H]
	group  int // of the chunk: left halves before it are passed
	first  int // the number of its first state
	rights []H // of the group, once they are needed
	at     int
}

func (l *lookup[H]) has(x *item[H]) (bool, error) {
	c := &l.run.columns
	for {
		for l.group < len(c.lefts) && lessHalf(c.lefts[l.group], x.left) {
			l.first += c.sizes[l.group]
			l.group++
			l.rights = l.rights[:0]
		}
		if l.group < len(c.lefts) && c.lefts[l.group] != x.left {
			return false, nil
		}
		if l.group < len(c.lefts) {
			found, beyond, err := l.inGroup(x)
			if !beyond || err != nil || l.group+1 < len(c.lefts) {
				return found, err
			}
		}
		// The rest of the states with this left half, or later ones, may be in the next chunk.
		if err := l.run.skip(x); err != nil {
			return false, err
		}
		if l.run.head.count == 0 {
			return false, nil
		}
		if _, err := l.run.load(); err != nil {
			return false, err
		}
		l.group, l.first, l.rights = 0, 0, l.rights[:0]
	}
}

// inGroup looks for x among the states with its left half in the chunk; beyond reports that x may be in the next chunk.
func (l *lookup[H]) inGroup(x *item[H]) (found, beyond bool, err error) {
	c := &l.run.columns
	if len(l.rights) == 0 {
		n := c.sizes[l.group]
		l.rights, l.at = slices.Grow(l.rights, n)[:n], 0
		if !gather(l.rights, c.rights, c.count, l.first, c.layout.right()) {
			return false, false, damagedError("a chunk cannot be read", nil)
		}
	}
	l.at = gallop(l.rights, l.at, x.right)
	if l.at == len(l.rights) {
		return false, true, nil
	}
	return l.rights[l.at] == x.right, false, nil
}

// gallop returns the first index from at on whose half is at least h, by exponential and then binary search.
func gallop[H half](list []H, at int, h H) int {
	step := 1
	for at+step <= len(list) && lessHalf(list[at+step-1], h) {
		at += step
		step *= 2
	}
	end := min(at+step-1, len(list))
	for at < end {
		mid := int(uint(at+end) / 2)
		if lessHalf(list[mid], h) {
			at = mid + 1
		} else {
			end = mid
		}
	}
	return at
}
