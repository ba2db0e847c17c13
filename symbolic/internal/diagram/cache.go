package diagram

import "sync/atomic"

// A Key says what operation on which operands a result in the cache is of. Operation numbers below FirstFree belong to
// this package.
type Key struct {
	Operation, Parameter uint32
	A, B                 Node
}

// The operations of this package.
const (
	opUnion = iota + 1
	opIntersection
	opDifference
	// FirstFree is the first number that users of the package can give to operations of their own.
	FirstFree
)

// An entry is a result in the cache. Whoever writes it makes its version odd, so that a reader who finds it odd, or
// changed when he has read the rest, finds nothing. Version 0 has never been written.
type entry struct {
	version  atomic.Uint32
	result   atomic.Uint32
	op, args atomic.Uint64
}

func (k Key) words() (op, args uint64) {
	return uint64(k.Operation)<<32 | uint64(k.Parameter), uint64(k.A)<<32 | uint64(k.B)
}

// Load returns the result of an operation if it is in the cache.
func (w *Worker) Load(k Key) (Node, bool) {
	op, args := k.words()
	e := w.entry(op, args)
	version := e.version.Load()
	if version == 0 || version&1 != 0 || e.op.Load() != op || e.args.Load() != args {
		return Empty, false
	}
	result := Node(e.result.Load())
	w.store.received()
	return result, e.version.Load() == version
}

// Store puts a result into the cache, unless the store is halted and the result may be a part of what it should be.
func (w *Worker) Store(k Key, result Node) {
	op, args := k.words()
	e := w.entry(op, args)
	version := e.version.Load()
	if version&1 != 0 || w.store.Halted() || !e.version.CompareAndSwap(version, version|1) {
		return
	}
	w.store.published()
	e.op.Store(op)
	e.args.Store(args)
	e.result.Store(uint32(result))
	e.version.Store((version + 2) | 2) // not 0, whenever it wraps
}

func (w *Worker) entry(op, args uint64) *entry {
	cache := w.store.cache
	return &cache[int(mix(mix(0, op), args))&(len(cache)-1)]
}

// forget clears the entries that refer to a node that is not live. The cache must not be used concurrently.
func (s *Store) forget() {
	for i := range s.cache {
		e := &s.cache[i]
		if e.version.Load() == 0 {
			continue
		}
		args := e.args.Load()
		if !s.live(Node(args>>32)) || !s.live(Node(uint32(args))) || !s.live(Node(e.result.Load())) {
			e.version.Store(0)
		}
	}
}
