package diagram

import "slices"

// A Key identifies a result in the cache: an operation and its operands. Operation numbers below FirstFree belong to
// this package.
type Key struct {
	Operation, Parameter uint32
	A, B                 Node
}

// The operations of this package.
const (
	opUnion = iota + 1
	opIntersection
	opDifference
	// FirstFree is the first operation number for users of the package.
	FirstFree
)

// An entry is a result in the cache. An unwritten entry has no key.
type entry struct {
	key    Key
	result Node
}

// LookUp returns the result of an operation if it is in the cache.
func (s *Store) LookUp(k Key) (Node, bool) {
	e := s.entry(k)
	return e.result, e.key == k
}

// Cache puts a result into the cache, unless the store is halted and the result may be incomplete.
func (s *Store) Cache(k Key, result Node) {
	if !s.Halted() {
		*s.entry(k) = entry{k, result}
	}
}

func (s *Store) entry(k Key) *entry {
	operation := uint64(k.Operation)<<32 | uint64(k.Parameter)
	hash := mix(mix(0, operation), uint64(k.A)<<32|uint64(k.B))
	return &s.cache[int(hash)&(len(s.cache)-1)]
}

// forget clears the entries that refer to a node that is not live.
func (s *Store) forget() {
	for i := range s.cache {
		if e := &s.cache[i]; !s.live(e.key.A) || !s.live(e.key.B) || !s.live(e.result) {
			*e = entry{}
		}
	}
}

// Union returns the vectors that are in a or in b, which are sets of vectors of one length.
func (s *Store) Union(a, b Node) Node {
	switch {
	case a == b || b == Empty:
		return a
	case a == Empty:
		return b
	case a > b:
		a, b = b, a
	}
	return s.merge(opUnion, a, b)
}

// Intersection returns the vectors that are in a and in b.
func (s *Store) Intersection(a, b Node) Node {
	switch {
	case a == b:
		return a
	case a == Empty || b == Empty:
		return Empty
	case a > b:
		a, b = b, a
	}
	return s.merge(opIntersection, a, b)
}

// Difference returns the vectors that are in a and not in b.
func (s *Store) Difference(a, b Node) Node {
	switch {
	case a == b || a == Empty:
		return Empty
	case b == Empty:
		return a
	}
	return s.merge(opDifference, a, b)
}

// merge computes an operation on two different sets that are not empty: it iterates over the arcs of both in the order
// of their values.
func (s *Store) merge(operation uint32, a, b Node) Node {
	key := Key{Operation: operation, A: a, B: b}
	if n, ok := s.LookUp(key); ok {
		return n
	}
	left, right := operation != opIntersection, operation == opUnion // whether vectors of only this set stay
	if s.Halted() {
		if right {
			return a // a subset of the union
		}
		return Empty
	}
	x, y := s.Arcs(a), s.Arcs(b)
	base := s.Begin()
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Value < y[0].Value:
			if left {
				s.arcs = append(s.arcs, x[0])
			}
			x = x[1:]
		case x[0].Value > y[0].Value:
			if right {
				s.arcs = append(s.arcs, y[0])
			}
			y = y[1:]
		default:
			s.Append(x[0].Value, s.mergeBelow(operation, x[0].To, y[0].To))
			x, y = x[1:], y[1:]
		}
	}
	if left {
		s.arcs = append(s.arcs, x...)
	}
	if right {
		s.arcs = append(s.arcs, y...)
	}
	n := s.Finish(base)
	s.Cache(key, n)
	return n
}

func (s *Store) mergeBelow(operation uint32, a, b Node) Node {
	switch operation {
	case opUnion:
		return s.Union(a, b)
	case opIntersection:
		return s.Intersection(a, b)
	}
	return s.Difference(a, b)
}

// Product returns the set of the vectors that have one of some values at each level. The values of a level ascend
// strictly.
func (s *Store) Product(values [][]uint32) Node {
	n := Accept
	for _, level := range slices.Backward(values) {
		var arcs []Arc
		for _, v := range level {
			arcs = append(arcs, Arc{v, n})
		}
		n = s.Make(arcs)
	}
	return n
}

// Vector returns the set of one vector.
func (s *Store) Vector(values []uint32) Node {
	n := Accept
	for i := len(values) - 1; i >= 0; i-- {
		n = s.Make([]Arc{{values[i], n}})
	}
	return n
}
