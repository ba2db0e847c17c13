package product

import (
	"math/bits"
	"sync/atomic"
)

// A bitTable has a number for each place. A number has a few bits, a power of two. Methods may be called concurrently.
type bitTable struct {
	bits uint64
	list []uint64
}

func newBitTable(places uint64, width int) *bitTable {
	b := uint64(1)
	for b < uint64(width) {
		b *= 2
	}
	return &bitTable{b, make([]uint64, places*b/64+1)}
}

// bitTableBytes returns the memory of a bitTable of numbers of width bits, at least one byte a place.
func bitTableBytes(places uint64, width int) uint64 {
	return places * uint64(max(1, 1<<bits.Len(uint(max(0, width-1)))/8))
}

func (t *bitTable) at(p uint64) uint64 {
	bit := p * t.bits
	return atomic.LoadUint64(&t.list[bit/64]) >> (bit % 64) & (^uint64(0) >> (64 - t.bits))
}

// touch implements explore.Selection.Touch.
func (t *bitTable) touch(places []uint64) (read uint64) {
	for _, p := range places {
		read ^= atomic.LoadUint64(&t.list[p*t.bits/64])
	}
	return read
}

func (t *bitTable) or(p, v uint64) {
	bit := p * t.bits
	atomic.OrUint64(&t.list[bit/64], v<<(bit%64))
}

func (t *bitTable) clear() { clear(t.list) }
