package diagram

import "slices"

// A heap allocates the units of a store.
type heap struct {
	next   int   // the units from here on have never been used
	soft   int   // the heap collects garbage before it uses units from here on
	gaps   []gap // between live nodes
	region gap   // the region for the next nodes
}

// A gap is the units from first to end-1.
type gap struct{ first, end int }

func (g gap) len() int { return g.end - g.first }

// Sizes in units.
const (
	freshRegion = 1 << 12
	minGap      = 1 << 6 // smaller gaps are not reused until they grow
)

// tableFull reports whether the unique table has reached its maximum load.
func (s *Store) tableFull() bool { return s.made > len(s.table)/8*5 }

// allocate returns the index of the first of n fresh units, Empty if even the reserve for halted stores is exhausted.
func (s *Store) allocate(n int) Node {
	h := &s.heap
	for {
		full := s.tableFull() && (!s.Halted() || s.made > len(s.table)/8*7)
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

// publish makes the size of the store visible to other goroutines.
func (s *Store) publish() {
	s.peak = max(s.peak, int64(s.made))
	s.nodes.Store(int64(s.made))
	s.bytes.Store(int64(s.heap.next)*int64(unitBytes) + int64(s.heap.next)/8 +
		int64(len(s.table))*8 + int64(len(s.cache))*int64(entryBytes))
}

// makeRoom makes room for a node of n units: by collecting garbage if the heap is full, by enlarging the tables if they
// are. Garbage is often needed again, so it is collected only when its memory is needed.
func (s *Store) makeRoom(n int) {
	s.publish()
	if !s.heap.fits(n) || s.tableFull() && len(s.table) == s.shape.table {
		s.collect(n)
	}
	if s.tableFull() {
		s.enlarge()
	}
	s.publish()
}

// collect frees the nodes that are not live, and enlarges the heap if these are few. It halts the store if there is not
// enough room then for a node of n units and an eighth of the heap, or in the unique table.
func (s *Store) collect(n int) {
	h := &s.heap
	h.region = gap{}
	s.rebuilt++
	s.mark()
	s.forget()
	live, free := s.sweep()
	s.made = live
	clear(s.table)
	s.eachLive(s.enter)
	hard := len(s.units) - s.shape.reserve
	room := free + h.soft - h.next
	for (room < h.soft/2 || !h.fits(n)) && h.soft < hard {
		more := min(h.soft, hard-h.soft)
		h.soft += more
		room += more
	}
	if room+hard-h.soft < hard/8 || !h.fits(n) || live > s.shape.table/2 {
		s.full.Store(true)
		s.Halt()
	}
}

// enlarge doubles the unique table, and the cache with it.
func (s *Store) enlarge() {
	s.rebuilt++
	var nodes []Node
	for i := range s.table {
		if e := s.table[i]; e != 0 {
			nodes = append(nodes, Node(uint32(e)))
		}
	}
	s.table = s.table[:min(2*len(s.table), s.shape.table)]
	clear(s.table)
	for _, n := range nodes {
		s.enter(n)
	}
	s.cache = s.cache[:max(len(s.cache), min(cachePerSlot*len(s.table), s.shape.cache))]
}

// fits reports whether there is room for a node of n units.
func (h *heap) fits(n int) bool {
	return h.next+n <= h.soft || slices.ContainsFunc(h.gaps, func(gap gap) bool { return gap.len() >= n })
}

// cachePerSlot is the number of cache entries for each slot of the unique table.
const cachePerSlot = 2

func (s *Store) live(n Node) bool { return n < firstUnit || s.marks[n/64]>>(n%64)&1 != 0 }

// mark sets the marks of the live nodes.
func (s *Store) mark() {
	clear(s.marks[:s.heap.next/64+1])
	var todo []Node
	reach := func(n Node) {
		if !s.live(n) {
			s.marks[n/64] |= 1 << (n % 64)
			todo = append(todo, n)
		}
	}
	visit := func(n Node) {
		for reach(n); len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, a := range s.Arcs(n) {
				reach(a.To)
			}
		}
	}
	s.roots(visit)
}

// sweep lists the gaps between the nodes that are marked. It returns the number of live nodes, and the units of the
// gaps.
func (s *Store) sweep() (live, free int) {
	h := &s.heap
	h.gaps = h.gaps[:0]
	end := firstUnit // the end of the previous live node
	gap := func(to int) {
		if r := (gap{end, to}); r.len() >= minGap {
			h.gaps = append(h.gaps, r)
			free += r.len()
		}
	}
	s.eachLive(func(n Node) {
		gap(int(n))
		end = int(n) + 1 + int(s.units[n].Value)
		live++
	})
	if end < h.next {
		h.next = end
	}
	return live, free
}
