package compile

import (
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
)

// A table numbers entries from 0 on. Entries never move, so reading takes no lock.
type table[T any] struct {
	mu      sync.Mutex
	numbers map[string]uint32
	entries intern.Array[T]
	count   atomic.Uint32
	keys    atomic.Int64 // their bytes
}

// An entry with what it refers to takes about spread times as many bytes as its key, which encodes it, and entryCost
// bytes more.
const (
	spread    = 16
	entryCost = 64
)

// bytes returns about how much memory t holds.
func (t *table[T]) bytes() int64 {
	return t.entries.Bytes() + spread*t.keys.Load() + entryCost*int64(t.count.Load())
}

// at returns entry n.
func (t *table[T]) at(n uint32) *T { return t.entries.At(n) }

// len returns the number of entries.
func (t *table[T]) len() uint32 { return t.count.Load() }

// number returns the number of the entry with a key. If no entry has it, fill sets a new one.
func (t *table[T]) number(key []byte, fill func(*T)) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok := t.numbers[string(key)]; ok {
		return n
	}
	if t.numbers == nil {
		t.numbers = make(map[string]uint32)
	}
	n := t.count.Load()
	fill(t.entries.At(n))
	t.keys.Add(int64(len(key)))
	t.numbers[string(key)] = n
	t.count.Store(n + 1)
	return n
}

// add appends an entry without a key.
func (t *table[T]) add(entry T) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.count.Load()
	*t.entries.At(n) = entry
	t.count.Store(n + 1)
	return n
}
