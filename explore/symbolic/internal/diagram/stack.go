package diagram

import (
	"cmp"
	"math/bits"
	"slices"
)

// A stack holds the nodes that running operations protect.
type stack struct {
	arcs      []Arc      // of the nodes under construction, the innermost last
	heldNodes []Node     // the nodes that callers protect, the innermost last
	Items     []Item     // scratch space of callers, the innermost last; the nodes are protected
	builders  []*Builder // all builders, those in use first
	building  int
}

// An Item is a node with a key to sort it by.
type Item struct {
	Key  uint64
	Node Node
}

// Make returns the node with the given arcs, of which none leads to Empty, ascending by value. Their nodes are
// protected.
func (s *Store) Make(arcs []Arc) Node {
	base := s.Begin()
	s.arcs = append(s.arcs, arcs...)
	return s.Finish(base)
}

// Begin begins a node that is constructed arc by arc, with Append. Constructions may be nested.
func (s *Store) Begin() (base int) { return len(s.arcs) }

// Append adds an arc to the node that was begun last, unless it leads to Empty; the values ascend. Its node is
// protected from then on.
func (s *Store) Append(value uint32, to Node) {
	if to != Empty {
		s.arcs = append(s.arcs, Arc{value, to})
	}
}

// Finish returns the node with the arcs that were appended since Begin.
func (s *Store) Finish(base int) Node {
	n := s.unique(s.arcs[base:])
	s.arcs = s.arcs[:base]
	return n
}

// unique returns the node with the given arcs, which it creates if it does not exist.
func (s *Store) unique(arcs []Arc) Node {
	if len(arcs) == 0 {
		return Empty
	}
	hash := hashArcs(arcs)
	n, i := s.find(hash, arcs)
	if n != Empty {
		return n
	}
	rebuilt := s.rebuilt
	if n = s.allocate(len(arcs) + 1); n == Empty {
		return Empty
	}
	if s.rebuilt != rebuilt { // the unique table has been rebuilt
		_, i = s.find(hash, arcs)
	}
	s.units[n] = Arc{uint32(len(arcs)), Node(hash)}
	copy(s.units[n+1:], arcs)
	s.table[i] = uint64(hash)<<32 | uint64(n)
	s.made++
	return n
}

// Hold protects a node until Release. It returns the node.
func (s *Store) Hold(n Node) Node {
	s.heldNodes = append(s.heldNodes, n)
	return n
}

// Mark returns the argument with which Release ends the protection of all nodes that are held from now on.
func (s *Store) Mark() int { return len(s.heldNodes) }

// Release ends the protection of what was held since Mark.
func (s *Store) Release(mark int) { s.heldNodes = s.heldNodes[:mark] }

// roots calls visit for all protected nodes.
func (s *Store) roots(visit func(Node)) {
	for n := range s.pins {
		visit(n)
	}
	for _, n := range s.heldNodes {
		visit(n)
	}
	for _, a := range s.arcs {
		visit(a.To)
	}
	for _, i := range s.Items {
		visit(i.Node)
	}
	for _, b := range s.builders[:s.building] {
		for _, a := range b.Arcs {
			visit(a.To)
		}
	}
}

// eachLive calls f for all nodes that are marked, in the order of the heap.
func (s *Store) eachLive(f func(Node)) {
	for i, word := range s.marks[:s.heap.next/64+1] {
		for ; word != 0; word &= word - 1 {
			f(Node(i*64 + bits.TrailingZeros64(word)))
		}
	}
}

// A Builder is a node under construction: a set to which others are added. Its arcs are protected; they are in the
// order in which their values were added. It is a sparse set (Briggs and Torczon 1993), so the time to begin one does
// not depend on the number of values.
type Builder struct {
	Arcs   []Arc
	index  []uint32 // by value: the index of its arc, if there is one
	queue  []int    // the indices of arcs that are new or have changed
	head   int      // of the queue
	queued []bool   // by arc
}

// Builder returns an empty builder. Builders are finished in the reverse order.
func (s *Store) Builder() *Builder {
	if s.building == len(s.builders) {
		s.builders = append(s.builders, new(Builder))
	}
	b := s.builders[s.building]
	s.building++
	return b
}

// Add adds the vectors that begin with a value and continue in n, which is protected.
func (b *Builder) Add(s *Store, value uint32, n Node) {
	if n == Empty {
		return
	}
	i := b.find(value)
	if i < len(b.Arcs) {
		more := s.Union(b.Arcs[i].To, n)
		if more == b.Arcs[i].To {
			return
		}
		b.Arcs[i].To = more
	} else {
		b.index[value] = uint32(i)
		b.Arcs = append(b.Arcs, Arc{value, n})
		b.queued = append(b.queued, false)
	}
	if !b.queued[i] {
		b.queued[i] = true
		b.queue = append(b.queue, i)
	}
}

// Target returns the union of the sets that were added under a value.
func (b *Builder) Target(value uint32) Node {
	if i := b.find(value); i < len(b.Arcs) {
		return b.Arcs[i].To
	}
	return Empty
}

// find returns the index of the arc with a value, which it adds if necessary.
func (b *Builder) find(value uint32) int {
	if int(value) >= len(b.index) {
		b.index = append(b.index, make([]uint32, int(value)+1-len(b.index))...)
		b.index = b.index[:cap(b.index)]
	}
	if i := int(b.index[value]); i < len(b.Arcs) && b.Arcs[i].Value == value {
		return i
	}
	return len(b.Arcs)
}

// Next removes the oldest arc from the queue, which has new arcs and arcs that have changed since they were last
// removed. It returns false if the queue is empty.
func (b *Builder) Next() (arc Arc, ok bool) {
	if b.head == len(b.queue) {
		b.queue, b.head = b.queue[:0], 0
		return Arc{}, false
	}
	i := b.queue[b.head]
	b.head++
	b.queued[i] = false
	return b.Arcs[i], true
}

// Node returns the node as it is now.
func (b *Builder) Node(s *Store) Node {
	arcs := slices.Clone(b.Arcs)
	slices.SortFunc(arcs, byValue)
	return s.Make(arcs)
}

func byValue(x, y Arc) int { return cmp.Compare(x.Value, y.Value) }

// Finish returns the node and ends the use of the builder.
func (b *Builder) Finish(s *Store) Node {
	slices.SortFunc(b.Arcs, byValue)
	n := s.Make(b.Arcs)
	b.Arcs, b.queue, b.head, b.queued = b.Arcs[:0], b.queue[:0], 0, b.queued[:0]
	s.building--
	return n
}
