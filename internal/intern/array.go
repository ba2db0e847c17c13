package intern

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// firstBits is the logarithm of the size of an Array's first segment. Each further segment is as large as all before it,
// up to 2^fineBits elements, and then a quarter of that: so little is empty that memory counts as held.
const (
	firstBits = 4
	fineBits  = 14
	coarse    = fineBits - firstBits // segments before those
	segments  = coarse + 4*(32-fineBits+1)
)

// An Array is an array that grows on demand and whose elements never move, so that a pointer to one stays
// good. Elements start as the zero value. The zero Array is ready for use by many goroutines.
type Array[T any] struct {
	first [segments]atomic.Pointer[T] // element of each segment
	mu    sync.Mutex
	bytes atomic.Int64
}

// At returns the address of element i. Concurrent access to the element itself is the caller's affair.
func (a *Array[T]) At(i uint32) *T {
	n := uint64(i) + 1<<firstBits
	s := bits.Len64(n) - 1
	segment, size := s-firstBits, uint64(1)<<(s&63)
	if s >= fineBits {
		size /= 4
		segment = coarse + 4*(s-fineBits) + int(n>>((s-2)&63)&3)
	}
	p := a.first[segment].Load()
	if p == nil {
		p = a.grow(segment, size)
	}
	// Segments have size elements: the offset is below.
	return (*T)(unsafe.Add(unsafe.Pointer(p), uintptr(n&(size-1))*unsafe.Sizeof(*p)))
}

func (a *Array[T]) grow(segment int, size uint64) *T {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.first[segment].Load(); p != nil {
		return p
	}
	p := &largepage.Make[T](int(size))[0]
	a.first[segment].Store(p)
	a.bytes.Add(int64(size) * int64(unsafe.Sizeof(*p)))
	return p
}

// Bytes returns the memory that a holds.
func (a *Array[T]) Bytes() int64 { return a.bytes.Load() }
