package intern

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// firstBits is the logarithm of the size of an Array's first segment.
const firstBits = 4

// An Array is an array that grows on demand and whose elements never move, so that a pointer to one stays
// good. Elements start as the zero value. The zero Array is ready for use by many goroutines.
type Array[T any] struct {
	segments [32 - firstBits + 1]atomic.Pointer[[]T] // segment i holds 2^(i+firstBits) elements
	mu       sync.Mutex
	bytes    atomic.Int64
}

// At returns the address of element i. Concurrent access to the element itself is the caller's affair.
func (a *Array[T]) At(i uint32) *T {
	n := uint64(i) + 1<<firstBits
	s := bits.Len64(n) - 1
	seg := a.segments[s-firstBits].Load()
	if seg == nil {
		seg = a.grow(s)
	}
	return &(*seg)[n-1<<s]
}

func (a *Array[T]) grow(s int) *[]T {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := &a.segments[s-firstBits]
	if seg := p.Load(); seg != nil {
		return seg
	}
	seg := largepage.Make[T](1 << s)
	p.Store(&seg)
	var zero T
	a.bytes.Add(int64(unsafe.Sizeof(zero)) << s)
	return &seg
}

// Bytes returns the memory that a holds.
func (a *Array[T]) Bytes() int64 { return a.bytes.Load() }
