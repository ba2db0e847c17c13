package intern

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Words of an arena's chunk; longer runs get a chunk of their own.
const (
	chunkBits = 16
	chunkLen  = 1 << chunkBits
)

// A Ref addresses a run of words in an Arena. The zero Ref addresses nothing.
type Ref = uint32

// An Arena keeps runs of words for ever. Many goroutines may read; each goroutine that adds has a Writer of
// its own.
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

// At returns the run at r and everything behind it in its chunk: runs say themselves how long they are.
// The Ref must have reached the caller by way of an atomic operation or a lock.
func (a *Arena) At(r Ref) []uint32 {
	return (*a.chunks.At(r >> chunkBits))[r&(chunkLen-1):]
}

// Bytes returns the memory that a holds.
func (a *Arena) Bytes() int64 { return a.bytes.Load() + a.chunks.Bytes() }

// ErrFull is what whoever adds panics with when there are no more numbers: Refs reach 2^32 words, which are 16 GiB, and
// numbers 2^32-1. Nothing is locked or half written then, so what is there can still be read.
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
	words []uint32 // what is free of the current chunk
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
