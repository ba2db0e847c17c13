package graph

import (
	"math/bits"
	"sync/atomic"
)

// A Set is a set of numbers below a bound, a bit for each. Has, Add and Remove are for many goroutines at once, the
// rest for one.
type Set[N uint32 | uint64] []uint64

// NewSet returns the empty set of numbers below n.
func NewSet[N uint32 | uint64](n N) Set[N] { return make(Set[N], (uint64(n)+63)/64) }

// Has reports whether i is in the set.
func (s Set[N]) Has(i N) bool { return atomic.LoadUint64(&s[i/64])>>(i%64)&1 != 0 }

// Add adds i.
func (s Set[N]) Add(i N) { atomic.OrUint64(&s[i/64], 1<<(i%64)) }

// Remove removes i.
func (s Set[N]) Remove(i N) { atomic.AndUint64(&s[i/64], ^uint64(1<<(i%64))) }

// Fill adds the numbers below n.
func (s Set[N]) Fill(n N) {
	for i := range s[:n/64] {
		s[i] = ^uint64(0)
	}
	if n%64 != 0 {
		s[n/64] |= 1<<(n%64) - 1
	}
}

// Intersect removes what is not in another set of the same size.
func (s Set[N]) Intersect(other Set[N]) {
	for i, w := range other {
		s[i] &= w
	}
}

// Unite adds what is in another set of the same size.
func (s Set[N]) Unite(other Set[N]) {
	for i, w := range other {
		s[i] |= w
	}
}

// Len returns how many numbers are in the set.
func (s Set[N]) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether there is nothing in the set.
func (s Set[N]) Empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}
