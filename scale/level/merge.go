package level

import "slices"

// A stream is a sorted list of items that comes in pieces. Its current item is items[at], unless it has ended.
type stream[H half] struct {
	items []item[H]
	at    int
	more  func() ([]item[H], error) // returns none at the end; nil if there are no more
}

// settle gets the next piece where the current one has ended.
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

// of returns the stream of a reader.
func (r *runReader[H]) stream() *stream[H] {
	return &stream[H]{more: func() ([]item[H], error) {
		err := r.next()
		return r.items, err
	}}
}

// A merger merges streams: a tournament of which the losers are kept (D. E. Knuth, The Art of Computer Programming, vol. 3,
// Sect. 5.4.1), so that the next item is found with one comparison a round.
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

// beats reports whether stream a has a smaller item than b. One that has ended has the largest.
func (m *merger[H]) beats(a, b int) bool {
	x, y := m.streams[a], m.streams[b]
	if x.ended() || y.ended() {
		return !x.ended()
	}
	return x.items[x.at].before(&y.items[y.at])
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

// advance passes over the least item.
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

// each calls do with the items in order. Of items with the same key there is one, with what is asleep in any.
func (m *merger[H]) each(do func(*item[H]) error) error {
	for p := m.peek(); p != nil; {
		x := *p
		if err := m.advance(); err != nil {
			return err
		}
		for p = m.peek(); p != nil && p.same(&x); p = m.peek() {
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

// A lookup finds keys, in ascending order, in a run. It reads those chunks only in which they can be.
type lookup[H half] struct {
	run *runReader[H]
	at  int
}

func (l *lookup[H]) has(x *item[H]) (bool, error) {
	for {
		items := l.run.items
		l.at = gallop(items, l.at, x)
		switch {
		case l.at < len(items):
			return items[l.at].same(x), nil
		case l.run.head.count == 0:
			return false, nil
		}
		if err := l.run.skip(x); err != nil {
			return false, err
		}
		if err := l.run.next(); err != nil {
			return false, err
		}
		l.at = 0
	}
}

// gallop returns the first place from at on with an item that is not before x: in steps that double, and then by halves.
func gallop[H half](items []item[H], at int, x *item[H]) int {
	step := 1
	for at+step <= len(items) && items[at+step-1].before(x) {
		at += step
		step *= 2
	}
	end := min(at+step-1, len(items))
	for at < end {
		mid := int(uint(at+end) / 2)
		if items[mid].before(x) {
			at = mid + 1
		} else {
			end = mid
		}
	}
	return at
}
