// Package bitset has sets of small numbers, a bit for each, for many goroutines at once.
package bitset

import "sync/atomic"

// A Set is a set of numbers below a bound.
type Set []uint64

// New returns the empty set of numbers below n.
func New(n uint64) Set { return make(Set, n/64+1) }

// Has reports whether i is in the set.
func (s Set) Has(i uint64) bool { return atomic.LoadUint64(&s[i/64])>>(i%64)&1 != 0 }

// Add adds i.
func (s Set) Add(i uint64) { atomic.OrUint64(&s[i/64], 1<<(i%64)) }

// Remove removes i.
func (s Set) Remove(i uint64) { atomic.AndUint64(&s[i/64], ^uint64(1<<(i%64))) }

// Fill adds the numbers below n. This and what follows are for one goroutine.
func (s Set) Fill(n uint64) {
	for i := range n / 64 {
		s[i] = ^uint64(0)
	}
	s[n/64] |= 1<<(n%64) - 1
}

// Intersect removes what is not in another set of the same size.
func (s Set) Intersect(other Set) {
	for i, w := range other {
		s[i] &= w
	}
}

// Unite adds what is in another set of the same size.
func (s Set) Unite(other Set) {
	for i, w := range other {
		s[i] |= w
	}
}

// Empty reports whether there is nothing in the set.
func (s Set) Empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}
