package intern

import (
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// chunkLen is the size of an arena's chunk in words; longer runs get a chunk of their own.
const (
	chunkBits = 16
	chunkLen  = 1 << chunkBits
)

// A Ref addresses a run of words in an Arena. The zero Ref addresses nothing.
type Ref = uint32

// An Arena is append-only storage for runs of words. Many goroutines may read; each goroutine that adds runs uses a
// Writer of its own.
type Arena struct {
	chunks Array[[]uint32]
	mu     sync.Mutex
	next   uint32 // the number of the next chunk
	bytes  atomic.Int64
	shared struct {
		sync.Mutex
		Writer
	}
}

// At returns the run at r and everything after it in its chunk: a run must tell its own length.
// The Ref must have reached the caller through an atomic operation or a lock.
func (a *Arena) At(r Ref) []uint32 {
	return (*a.chunks.At(r >> chunkBits))[r&(chunkLen-1):]
}

// Bytes returns the memory that a holds, in bytes.
func (a *Arena) Bytes() int64 { return a.bytes.Load() + a.chunks.Bytes() }

// Release discards all runs. The arena must not be used concurrently, and existing writers must not be used afterwards.
func (a *Arena) Release() {
	a.chunks.Release()
	a.next = 0
	a.bytes.Store(0)
}

// ErrFull is the value of the panic when numbers run out: Refs address 2^32 words (16 GiB), and numbers are below
// 2^32-1. Nothing stays locked or half written, so existing entries can still be read.
var ErrFull = errors.New("a table is full")

// newChunk adds a chunk of at least n words.
func (a *Arena) newChunk(n int) (number uint32, words []uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == 0 {
		a.next = 1 // so that no Ref is 0
	}
	if a.next >= 1<<(32-chunkBits) {
		panic(ErrFull)
	}
	words = make([]uint32, max(n, chunkLen))
	number = a.next
	a.next++
	*a.chunks.At(number) = words
	a.bytes.Add(int64(len(words)) * 4)
	return number, words
}

// Add copies a run into the arena on behalf of any goroutine.
func (a *Arena) Add(run []uint32) Ref {
	a.shared.Lock()
	defer a.shared.Unlock()
	a.shared.arena = a
	return a.shared.Writer.Add(run)
}

// A Writer adds runs to an Arena for one goroutine.
type Writer struct {
	arena *Arena
	words []uint32 // the free part of the current chunk
	ref   Ref      // of words[0]
}

// Writer returns a new writer.
func (a *Arena) Writer() *Writer { return &Writer{arena: a} }

// Add copies a run into the arena.
func (w *Writer) Add(run []uint32) Ref {
	if len(run) > len(w.words) {
		number, words := w.arena.newChunk(len(run))
		w.words, w.ref = words, number<<chunkBits
	}
	r := w.ref
	copy(w.words, run)
	w.words = w.words[len(run):]
	w.ref += uint32(len(run))
	return r
}

// The first segment of an Array has 2^firstBits elements. Each further segment is as large as all before it, up to
// 2^fineBits elements in all, and then a quarter of that, so that little allocated memory is unused.
const (
	firstBits = 4
	fineBits  = 14
	coarse    = fineBits - firstBits // number of doubling segments
	fine      = 4 * (32 - fineBits + 1)
)

// An Array is an array that grows on demand and whose elements never move, so pointers to them stay valid. Elements
// start as the zero value. The zero Array is ready for concurrent use.
type Array[T any] struct {
	first  [coarse]atomic.Pointer[T]               // the first element of each segment
	beyond atomic.Pointer[[fine]atomic.Pointer[T]] // the first element of each segment after the segments that double
	mu     sync.Mutex
	bytes  atomic.Int64
	mapped bool // outside the Go heap
	unmap  []func()
}

// Map makes an empty array of a type without pointers keep its elements outside the Go heap, until Release.
func (a *Array[T]) Map() { a.mapped = true }

// Release discards all elements. The array must not be used concurrently, nor pointers to elements afterwards.
func (a *Array[T]) Release() {
	for _, unmap := range a.unmap {
		unmap()
	}
	clear(a.first[:])
	a.beyond.Store(nil)
	a.unmap = nil
	a.bytes.Store(0)
}

// At returns the address of element i. The caller must synchronise access to the element itself.
func (a *Array[T]) At(i uint32) *T {
	n := uint64(i) + 1<<firstBits
	s := bits.Len64(n) - 1
	segment, size := s-firstBits, uint64(1)<<(s&63)
	var p *T
	if s < fineBits {
		p = a.first[segment].Load()
	} else {
		size /= 4
		segment = 4*(s-fineBits) + int(n>>((s-2)&63)&3)
		if beyond := a.beyond.Load(); beyond != nil {
			p = beyond[segment].Load()
		}
	}
	if p == nil {
		p = a.grow(s >= fineBits, segment, size)
	}
	// The offset is in range: it is below size, the number of elements in the segment.
	return (*T)(unsafe.Add(unsafe.Pointer(p), uintptr(n&(size-1))*unsafe.Sizeof(*p)))
}

// grow makes a segment, one of those beyond if it is so large.
func (a *Array[T]) grow(beyond bool, segment int, size uint64) *T {
	a.mu.Lock()
	defer a.mu.Unlock()
	var place *atomic.Pointer[T]
	switch {
	case !beyond:
		place = &a.first[segment]
	case a.beyond.Load() == nil:
		a.beyond.Store(new([fine]atomic.Pointer[T]))
		fallthrough
	default:
		place = &a.beyond.Load()[segment]
	}
	if p := place.Load(); p != nil {
		return p
	}
	p := a.segment(int(size))
	place.Store(p)
	a.bytes.Add(int64(size) * int64(unsafe.Sizeof(*p)))
	return p
}

// segment returns the first of some new elements.
func (a *Array[T]) segment(size int) *T {
	if !a.mapped {
		return &largepage.Make[T](size)[0]
	}
	block, unmap := largepage.Map[T](size)
	a.unmap = append(a.unmap, unmap)
	return &block[0]
}

// Bytes returns the memory that a holds, in bytes.
func (a *Array[T]) Bytes() int64 { return a.bytes.Load() }

// Mapped returns the part of Bytes outside the Go heap, to within a few MiB: small segments are always in the heap.
func (a *Array[T]) Mapped() int64 {
	if !a.mapped || !largepage.Mapped {
		return 0
	}
	return a.bytes.Load()
}
