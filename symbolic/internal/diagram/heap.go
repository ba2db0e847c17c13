package diagram

import "slices"

// A heap hands out the units of a store.
type heap struct {
	next   int   // units from here on were never used
	soft   int   // collect before units beyond are used
	gaps   []gap // between live nodes
	region gap   // where the next nodes go
}

// A gap is the units from first to end-1.
type gap struct{ first, end int }

func (g gap) len() int { return g.end - g.first }

// Sizes in units.
const (
	freshRegion = 1 << 12
	minGap      = 1 << 6 // smaller ones are left until their neighbours die, too
)

// crowded reports whether the unique table is as full as it should get.
func (s *Store) crowded() bool { return s.made > len(s.table)/8*5 }

// allocate returns the first of n fresh units, Empty if there are none even for a store that is halted.
func (s *Store) allocate(n int) Node {
	h := &s.heap
	for {
		full := s.crowded() && (!s.Halted() || s.made > len(s.table)/8*7)
		if !full && (h.region.len() >= n || s.refill(n)) {
			first := h.region.first
			h.region.first += n
			return Node(first)
		}
		if s.Halted() {
			return Empty
		}
		s.makeRoom(n)
	}
}

// refill finds another region of at least n units, without collecting garbage.
func (s *Store) refill(n int) bool {
	h := &s.heap
	if h.region.len() >= minGap {
		h.gaps = append(h.gaps, h.region)
	}
	h.region = gap{}
	defer s.publish()
	for i := len(h.gaps) - 1; i >= 0; i-- {
		if h.gaps[i].len() >= n {
			h.region = h.gaps[i]
			h.gaps = slices.Delete(h.gaps, i, i+1)
			return true
		}
	}
	limit := h.soft
	if s.Halted() {
		limit = len(s.units)
	}
	if h.next+n > limit {
		return false
	}
	h.region = gap{h.next, min(h.next+max(n, freshRegion), limit)}
	h.next = h.region.end
	return true
}

// publish tells the goroutines that watch the store how much there is in it.
func (s *Store) publish() {
	s.peak = max(s.peak, int64(s.made))
	s.nodes.Store(int64(s.made))
	s.bytes.Store(int64(s.heap.next)*int64(unitBytes) + int64(s.heap.next)/8 +
		int64(len(s.table))*8 + int64(len(s.cache))*int64(entryBytes))
}
