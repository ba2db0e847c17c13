package bisim

import "ringcheck/lts"

// A slicing is a refinable partition of the transitions. It can divide several slices at once: transitions
// are moved, one by one, from a slice to its child, and when all are moved the children become slices.
type slicing struct {
	of    []uint32 // by transition: its slice
	order []uint32 // the transitions, slice by slice
	at    []uint32 // by transition: its index in order
	list  paged[slice]
	free  []uint32 // slices not in use
}

// A slice is a range of order. The first marked of its transitions are marked: they start in states that
// have become bottom states since the block was last stable under the slice.
type slice struct {
	start, end uint32
	marked     uint32
	block      uint32
	label      lts.Label
	child      uint32 // the slice being taken out of this one, or none
	next, prev uint32 // in the list of the block
	rest       uint32 // see separate: transitions of the same block and label to the constellation divided
	pending    stage
	unstable   bool // in refiner.unstable
}

func (s *slice) size() uint32 { return s.end - s.start }

// newSlices makes a slice of the transitions of each label, from block 0, by counting sort.
func newSlices(g *graph) slicing {
	m := len(g.edges)
	p := slicing{of: make([]uint32, m), order: make([]uint32, m), at: make([]uint32, m)}
	count := make([]uint32, g.labels)
	for _, e := range g.edges {
		count[e.Label]++
	}
	number := make([]uint32, g.labels)
	start := uint32(0)
	for a, c := range count {
		if c == 0 {
			continue
		}
		number[a] = p.list.add(slice{start: start, end: start, label: lts.Label(a), child: none, rest: none, next: none, prev: none})
		start += c
	}
	for i, e := range g.edges {
		s := p.list.at(number[e.Label])
		p.of[i], p.order[s.end], p.at[i] = number[e.Label], uint32(i), s.end
		s.end++
	}
	return p
}

// all links all slices to a list, for block 0, and returns its first.
func (p *slicing) all() uint32 {
	first := none
	for q := range uint32(p.list.len()) {
		p.link(q, &first)
	}
	return first
}

func (p *slicing) link(q uint32, first *uint32) {
	p.list.at(q).next, p.list.at(q).prev = *first, none
	if *first != none {
		p.list.at(*first).prev = q
	}
	*first = q
}

func (p *slicing) unlink(q uint32, first *uint32) {
	s := p.list.at(q)
	if s.prev == none {
		*first = s.next
	} else {
		p.list.at(s.prev).next = s.next
	}
	if s.next != none {
		p.list.at(s.next).prev = s.prev
	}
}

// swap exchanges the transitions at two indices of order.
func (p *slicing) swap(i, j uint32) {
	t, u := p.order[i], p.order[j]
	p.order[i], p.order[j] = u, t
	p.at[t], p.at[u] = j, i
}

// mark moves a transition to the marked ones of its slice.
func (p *slicing) mark(t uint32) {
	s := p.list.at(p.of[t])
	if first := s.start + s.marked; p.at[t] >= first {
		p.swap(p.at[t], first)
		s.marked++
	}
}

// move takes a transition out of its slice into the slice's child. It returns the slice if the child is new,
// else none. The child grows behind its last transition, at the cost of the slice's first.
func (p *slicing) move(t uint32) (divided uint32) {
	q := p.of[t]
	divided = none
	s := p.list.at(q)
	if s.child == none {
		s.child = p.newChild(q)
		divided = q
	}
	c := p.list.at(s.child)
	p.of[t] = s.child
	if first := s.start + s.marked; p.at[t] >= first {
		p.swap(p.at[t], first)
		p.swap(first, s.start)
	} else {
		p.swap(p.at[t], s.start)
		p.swap(s.start, c.start+c.marked)
		c.marked++
		s.marked--
	}
	s.start++
	c.end++
	return divided
}

func (p *slicing) newChild(q uint32) uint32 {
	s := p.list.at(q)
	child := slice{start: s.start, end: s.start, block: s.block, label: s.label, child: none, rest: none, next: none, prev: none}
	n := len(p.free)
	if n == 0 {
		return p.list.add(child)
	}
	c := p.free[n-1]
	p.free = p.free[:n-1]
	*p.list.at(c) = child
	return c
}

// revert gives a slice that has lost all its transitions to its child these back.
func (p *slicing) revert(q uint32) {
	s := p.list.at(q)
	child := s.child
	c := p.list.at(child)
	s.start, s.end, s.marked, s.child = c.start, c.end, c.marked, none
	for _, t := range p.order[s.start:s.end] {
		p.of[t] = q
	}
	p.free = append(p.free, child)
}
