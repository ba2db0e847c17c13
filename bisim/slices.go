package bisim

import (
	"unsafe"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A slicing is a refinable partition of the transitions. It can divide several slices at once: transitions
// are moved, one by one, from a slice to its child, and when all are moved the children become slices.
type slicing struct {
	of          []uint32 // by transition: its slice
	arrangement          // of the transitions, slice by slice
	list        paged[slice]
}

// A slice is a range of elem. The first marked of its transitions are marked: they start in states that
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
func newSlices(f *effort.Effort, g *graph) slicing {
	m := len(g.edges)
	p := slicing{list: paged[slice]{effort: f}, of: make([]uint32, m), arrangement: arrangement{make([]uint32, m), make([]uint32, m)}}
	count := make([]uint32, g.labels)
	for _, e := range g.edges {
		f.Tick()
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
		f.Tick()
		s := p.list.at(number[e.Label])
		p.of[i], p.elem[s.end], p.at[i] = number[e.Label], uint32(i), s.end
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
	return p.list.put(child)
}

// revert gives a slice that has lost all its transitions to its child these back.
func (p *slicing) revert(q uint32) {
	s := p.list.at(q)
	child := s.child
	c := p.list.at(child)
	s.start, s.end, s.marked, s.child = c.start, c.end, c.marked, none
	for _, t := range p.elem[s.start:s.end] {
		p.of[t] = q
	}
	p.list.free = append(p.list.free, child)
}

// counters tell how many transitions each state has with a label to a constellation. (R. Paige and R. E.
// Tarjan, "Three partition refinement algorithms", SIAM J. Comput. 16, 1987, sect. 3.)
type counters struct {
	of   []uint32 // by transition
	list paged[counter]
	used []uint32 // counters with a peer
}

// A counter counts the transitions that share it. While a constellation is divided, the counters of
// transitions to its two parts know each other.
type counter struct{ count, peer uint32 }

// newCounters makes a counter for each state and label.
func newCounters(f *effort.Effort, g *graph) counters {
	k := counters{list: paged[counter]{effort: f}, of: make([]uint32, len(g.edges))}
	for s := range uint32(g.states()) {
		f.Tick()
		c := none
		for i := g.offset[s]; i < g.offset[s+1]; i++ {
			if i == g.offset[s] || g.edges[i].Label != g.edges[i-1].Label {
				c = k.list.add(counter{peer: none})
			}
			k.of[i] = c
			k.list.at(c).count++
		}
	}
	return k
}

// move says that transition t leads to the part that is taken out of a constellation.
func (k *counters) move(t uint32) {
	c := k.of[t]
	old := k.list.at(c)
	if old.peer == none {
		old.peer = k.list.put(counter{peer: c})
		k.used = append(k.used, c)
	}
	old.count--
	k.list.at(old.peer).count++
	k.of[t] = old.peer
}

// rest returns how many transitions, from the source of a moved transition t and with its label, have not
// been moved.
func (k *counters) rest(t uint32) uint32 {
	peer := k.list.at(k.of[t]).peer
	return k.list.at(peer).count
}

// settle forgets which transitions have been moved.
func (k *counters) settle() {
	for _, c := range k.used {
		old := k.list.at(c)
		k.list.at(old.peer).peer = none
		old.peer = none
		if old.count == 0 {
			k.list.free = append(k.list.free, c)
		}
	}
	k.used = k.used[:0]
}

// A paged list grows without moving its elements: pointers to them remain valid, and growing leaves nothing
// behind for the garbage collector, which matters for lists of gigabytes.
type paged[T any] struct {
	effort *effort.Effort // that its pages count for
	pages  [][]T
	n      int
	free   []uint32 // elements that put may replace
}

const (
	pageBits = 6
	pageSize = 1 << pageBits
)

func (p *paged[T]) len() int { return p.n }

func (p *paged[T]) at(i uint32) *T { return &p.pages[i>>pageBits][i&(pageSize-1)] }

// add appends an element and returns its index.
func (p *paged[T]) add(v T) uint32 {
	last := p.n >> pageBits
	if last == len(p.pages) {
		p.effort.Hold(pageSize * uint64(unsafe.Sizeof(v)))
		p.pages = append(p.pages, make([]T, 0, pageSize))
	}
	p.pages[last] = append(p.pages[last], v)
	p.n++
	return uint32(p.n - 1)
}

// put stores an element in the place of one that is free, or appends it, and returns its index.
func (p *paged[T]) put(v T) uint32 {
	last := len(p.free) - 1
	if last < 0 {
		return p.add(v)
	}
	i := p.free[last]
	p.free = p.free[:last]
	*p.at(i) = v
	return i
}
