package diagram

import "slices"

// makeRoom makes room for a node of n units: by collecting garbage if the heap is full, by enlarging the tables if they
// are. Garbage is often needed again, so that it is not collected before it takes memory that is wanted.
func (s *Store) makeRoom(n int) {
	s.publish()
	if !s.heap.fits(n) || s.crowded() && len(s.table) == s.shape.table {
		s.collect(n)
	}
	if s.crowded() {
		s.enlarge()
	}
	s.publish()
}

// collect frees what is not live, and grants the heap more where that is little. It halts the store if there is not
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

// cachePerSlot is how many entries the cache has for each slot of the unique table.
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

// sweep lists the gaps between the nodes that are marked. It returns how many nodes are live, and the units of the
// gaps.
func (s *Store) sweep() (live, free int) {
	h := &s.heap
	h.gaps = h.gaps[:0]
	end := firstUnit // of the node before
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
