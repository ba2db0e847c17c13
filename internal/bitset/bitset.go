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
