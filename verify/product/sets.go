package product

import (
	"math/bits"
	"sync/atomic"
)

// A set is a set of places, or of numbers of states. It may be used by many goroutines at once.
type set []uint64

func newSet(places uint64) set { return make(set, places/64+1) }

func (s set) has(p uint64) bool { return atomic.LoadUint64(&s[p/64])>>(p%64)&1 != 0 }

func (s set) add(p uint64) { atomic.OrUint64(&s[p/64], 1<<(p%64)) }

func (s set) remove(p uint64) { atomic.AndUint64(&s[p/64], ^uint64(1<<(p%64))) }

// fill adds the first n.
func (s set) fill(n uint64) {
	for i := range n / 64 {
		s[i] = ^uint64(0)
	}
	s[n/64] |= 1<<(n%64) - 1
}

// all returns the set of all places of a system.
func all(sys System) set {
	s := newSet(sys.Places())
	for p := range sys.Places() {
		if sys.Has(p) {
			s[p/64] |= 1 << (p % 64)
		}
	}
	return s
}

// intersect and unite make s the intersection or union of itself and another one.
func (s set) intersect(other set) {
	for i, w := range other {
		s[i] &= w
	}
}

func (s set) unite(other set) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s set) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// packed are small numbers by place, of so many bits each, 8 to 64.
type packed struct {
	bits uint64
	list []uint64
}

func newPacked(places uint64, width int) *packed {
	b := uint64(8)
	for b < uint64(width) {
		b *= 2
	}
	return &packed{b, make([]uint64, places*b/64+1)}
}

// wordBytes returns what words take.
func wordBytes(places uint64, width int) uint64 {
	return places * uint64(max(1, 1<<bits.Len(uint(max(0, width-1)))/8))
}

func (w *packed) at(p uint64) uint64 {
	bit := p * w.bits
	return atomic.LoadUint64(&w.list[bit/64]) >> (bit % 64) & (^uint64(0) >> (64 - w.bits))
}

func (w *packed) or(p, v uint64) {
	bit := p * w.bits
	atomic.OrUint64(&w.list[bit/64], v<<(bit%64))
}

// change adds d to a number, which stays in range.
func (w *packed) change(p, d uint64) {
	bit := p * w.bits
	atomic.AddUint64(&w.list[bit/64], d<<(bit%64))
}

func (w *packed) clear() { clear(w.list) }
