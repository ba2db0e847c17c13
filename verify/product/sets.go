package product

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/graph"
)

// everywhere yields all places, until the context ends.
func (m *multiplication) everywhere(yield func(place uint64) bool) {
	const some = 1 << 20
	for first := uint64(0); first < m.places && m.ctx.Err() == nil; first += some {
		for p := first; p < min(first+some, m.places); p++ {
			if !yield(p) {
				return
			}
		}
	}
}

// all returns the set of all places of the system; not of all if the context has ended.
func (m *multiplication) all() graph.Set[uint64] {
	s := graph.NewSet(m.places)
	for p := range m.everywhere {
		if m.System.Has(p) {
			s[p/64] |= 1 << (p % 64)
		}
	}
	return s
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
