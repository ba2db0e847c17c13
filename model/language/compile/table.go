package compile

import (
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A table numbers things from 0 on. What is in it stays where it is, so reading takes no lock.
type table[T any] struct {
	mu      sync.Mutex
	numbers map[string]uint32
	entries intern.Array[T]
	count   atomic.Uint32
	keys    atomic.Int64 // their bytes
}

// spread is about how many times as many bytes what an entry refers to and its place in numbers take as its key,
// which encodes it, and entryCost what they take in any case.
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

// len returns how many entries there are.
func (t *table[T]) len() uint32 { return t.count.Load() }

// number returns the number of the thing that key stands for. If it has none yet, fill sets the new entry.
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

// add appends an entry that nobody looks for by key.
func (t *table[T]) add(entry T) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.count.Load()
	*t.entries.At(n) = entry
	t.count.Store(n + 1)
	return n
}

func (s *System) internMessage(c ir.Content) uint32 {
	return s.messages.number(step.AppendMessage(nil, c), func(m *ir.Content) {
		*m = ir.Content{Message: c.Message, Args: slices.Clone(c.Args), Age: c.Age}
	})
}

// A local is a local state, with what the process can do on its own there once that is known.
type local struct {
	ir.Local
	seen  ir.Local // by properties, see ir.Protocol.Ended
	ended bool
	own   atomic.Pointer[ownOutcomes]
}

func (s *System) internLocal(l ir.Local) uint32 {
	return s.locals.number(step.AppendLocal(nil, l), func(e *local) {
		e.Local = ir.Local{Point: l.Point, Env: slices.Clone(l.Env)}
		e.seen, e.ended = s.protocol.Ended(e.Local, nil)
	})
}
