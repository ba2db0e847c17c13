package diagram

import "sync"

// A heap hands out the units of a store, in regions of which each worker uses up its own.
type heap struct {
	mu   sync.Mutex
	next int   // units from here on were never used
	soft int   // collect before units beyond are used
	gaps []gap // between live nodes
}

// A gap is the units from first to end-1.
type gap struct{ first, end int }

func (g gap) len() int { return g.end - g.first }

// Sizes in units.
const (
	maxRegion = 1 << 12
	minGap    = 1 << 6 // smaller ones are left until their neighbours die, too
)

// region returns how much to hand out at a time: little enough for the unique table not to overflow between two looks.
func (s *Store) region() int {
	return min(max(len(s.table)/16/max(1, len(s.workers)), minGap), maxRegion)
}

// crowded reports whether the unique table is as full as it should get.
func (s *Store) crowded() bool { return int(s.count.Load()) > len(s.table)/8*5 }

// take returns a region of at least n units; an empty one if garbage has to be collected first.
func (s *Store) take(n int, rest gap) gap {
	h := &s.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.crowded() && (!s.Halted() || int(s.count.Load()) > len(s.table)/8*7) {
		return gap{}
	}
	if rest.len() >= minGap {
		h.gaps = append(h.gaps, rest)
	}
	size := max(n, s.region())
	for i := len(h.gaps) - 1; i >= 0; i-- {
		if g := &h.gaps[i]; g.len() >= n {
			r := gap{max(g.first, g.end-size), g.end}
			if g.end = r.first; g.len() < minGap {
				h.gaps[i] = h.gaps[len(h.gaps)-1]
				h.gaps = h.gaps[:len(h.gaps)-1]
			}
			return r
		}
	}
	limit := h.soft
	if s.Halted() {
		limit = len(s.units)
	}
	if h.next+n > limit {
		return gap{}
	}
	r := gap{h.next, min(h.next+size, limit)}
	h.next = r.end
	return r
}

// allocate returns the first of n fresh units, Empty if there are none even for a store that is halted.
func (w *Worker) allocate(n int) Node {
	if w.region.len() < n {
		w.refill(n)
	}
	if w.region.len() < n {
		return Empty
	}
	first := w.region.first
	w.region.first += n
	return Node(first)
}

// refill gets a region, if need be after garbage was collected.
func (w *Worker) refill(n int) {
	s := w.store
	s.count.Add(w.made)
	w.made = 0
	for {
		r := s.take(n, w.region)
		if r.len() > 0 {
			w.region = r
			return
		}
		if s.Halted() {
			return
		}
		s.wantRoom(n)
		w.pause()
	}
}
