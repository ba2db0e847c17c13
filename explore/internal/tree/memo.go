package tree

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/intern"
)

// A record is what is known about one number of a node, for all workers. Expanding a state reads the records of its two
// halves and little else, so two of them fit a cache line: most parts have few moves, and projections are small numbers.
type record struct {
	pair uint64 // of the children's numbers
	// head tells from its last byte what inline holds: nothing is known yet (0), it is being written (busy), the Ref of
	// a run (long), or else one more than the number of moves. The other bytes are the tags of these.
	head atomic.Uint32
	// inline holds the projections, two to a word, and behind them the moves.
	inline [inlineWords]uint32
}

const (
	inlineWords  = 5
	inlineMoves  = 3 // whose tags fit into the head
	inlineValues = 4

	busy = 0xff
	long = 0xfe
)

// A successorMemo is what is known about a number of a node.
type successorMemo struct {
	number uint32
	pair   uint64   // of the children's numbers, if n is an inner node with projections
	moves  []uint32 // the numbers to which the subtree's own groups lead, once for each transition

	// The projections, of the parent's tabulated spanning groups, and the tags of the moves are as a record has them, or else as a
	// run has.
	packedValues [inlineValues / 2]uint32
	packedTags   uint32
	values, tags []uint32
}

func (f *successorMemo) projected(i int) uint32 {
	if f.values != nil {
		return f.values[i]
	}
	return f.packedValues[i/2] >> (i % 2 * 16) & 0xffff
}

// tag returns the tag of move i: see Worker.tagOf.
func (f *successorMemo) tag(i int) uint32 {
	if f.tags != nil {
		return f.tags[i]
	}
	return f.packedTags >> (i * 8) & 0xff
}

// load makes f what a run says: the projections, the moves and their tags.
func (f *successorMemo) load(run []uint32, projections int) {
	moves := (len(run) - projections) / 2
	f.values, f.moves, f.tags = run[:projections:projections], run[projections:projections+moves], run[projections+moves:]
}

// memoOf makes f what is known about a number of n, which is worked out the first time. The slices are good until the
// worker is asked about another number of n.
func (w *Worker) memoOf(n *node, number uint32, f *successorMemo) error {
	f.number = number
	switch {
	case !n.recorded():
		return nil
	case number >= n.kept:
		return w.cachedMemo(n, f)
	}
	r := n.records.At(number)
	f.pair = r.pair
	head := r.head.Load()
	if kind := head & 0xff; kind == 0 || kind == busy {
		run, err := w.work(n, number, r.pair)
		if err != nil {
			return err
		}
		head = w.publish(r, run, len(n.projections))
	}
	w.read(r, head, len(n.projections), f)
	return nil
}

// read makes f what a record says.
func (w *Worker) read(r *record, head uint32, projections int, f *successorMemo) {
	if head&0xff == long {
		run := w.Store.arena.At(r.inline[0])
		f.load(run[1:1+run[0]], projections)
		return
	}
	f.packedTags = head >> 8
	f.packedValues = [...]uint32{r.inline[0], r.inline[1]}
	first := (projections + 1) / 2
	f.moves = r.inline[first : first+int(head&0xff)-1]
}

// work works out the projections and the moves of a number of n with their tags, in this order. The run is good until the next
// one is made.
func (w *Worker) work(n *node, number uint32, pair uint64) ([]uint32, error) {
	x := w.acquire()
	defer w.release(x)
	var err error
	if n.leaf() {
		err = w.leafMoves(n, number, x)
	} else {
		err = w.moves(n, pair, x)
	}
	if err != nil {
		return nil, err
	}
	run := w.run[:0]
	for _, v := range n.projections {
		run = append(run, v.project(number))
	}
	for _, to := range x.to {
		run = append(run, uint32(to))
	}
	run = append(run, x.tags...)
	w.run = run
	return run, nil
}

// moves makes x the numbers to which the groups within an inner node lead.
func (w *Worker) moves(n *node, pair uint64, x *expansion) error {
	left, right := intern.Split(pair)
	if err := w.expand(n, left, right, 0, x); err != nil {
		return err
	}
	w.settle(n, x)
	for i, to := range x.to {
		x.to[i] = uint64(n.number(to))
	}
	return nil
}

// publish writes a record, and returns its head. If another worker is doing so it waits for that: both say the same.
func (w *Worker) publish(r *record, run []uint32, projections int) uint32 {
	var packed record
	head, ok := packed.pack(run, projections)
	if !ok {
		// Before the record is busy: whatever can go wrong must not leave the others waiting.
		head = long
		w.line = append(append(w.line[:0], uint32(len(run))), run...)
		packed.inline[0] = w.arena.Add(w.line)
	}
	if r.head.CompareAndSwap(0, busy) {
		r.inline = packed.inline
		r.head.Store(head)
	}
	for r.head.Load() == busy {
		runtime.Gosched()
	}
	return r.head.Load()
}

// pack fills r.inline, if that is possible.
func (r *record) pack(run []uint32, projections int) (head uint32, ok bool) {
	moves := (len(run) - projections) / 2
	first := (projections + 1) / 2
	if projections > inlineValues || moves > inlineMoves || first+moves > inlineWords {
		return 0, false
	}
	head = uint32(moves + 1)
	for i, v := range run[:projections] {
		if v > 0xffff {
			return 0, false
		}
		r.inline[i/2] |= v << (i % 2 * 16)
	}
	copy(r.inline[first:], run[projections:projections+moves])
	for i, tag := range run[projections+moves:] {
		if tag > 0xff {
			return 0, false
		}
		head |= tag << (8 + i*8)
	}
	return head, true
}

// An entry of a worker's cache for one node holds what is known about the last number, of those without a record that
// share the place, that was asked for.
type entry struct {
	number uint32 // plus one; 0 is none
	run    []uint32
}

// What a record takes, in bytes, and an entry, but for its run, and with a run of usual length.
const (
	recordBytes    = int64(unsafe.Sizeof(record{}))
	bareEntryBytes = int64(unsafe.Sizeof(entry{}))
	entryBytes     = 4 * bareEntryBytes
)

// Bound limits the memory for what is remembered about parts, which is most of what a store takes: records to a
// quarter of the given bytes for each node, and what the workers' caches hold beyond them to another quarter. Two
// nodes, the halves of the states, have most of the numbers. What is forgotten is worked out again. Bound is called before the
// store is used.
func (s *Store) Bound(bytes int64, workers int) {
	perNode := bytes / 4
	for _, n := range s.nodes {
		if n.recorded() && !n.leaf() {
			n.kept = uint32(min(perNode/recordBytes, all))
		}
	}
	s.cacheSize = 1 << (bits.Len64(uint64(max(1, perNode/entryBytes/int64(workers)))) - 1)
}

// entry returns the place for a number in the worker's cache.
func (w *Worker) entry(n *node, number uint32) *entry {
	if w.caches[n.id] == nil {
		w.caches[n.id] = make([]entry, w.cacheSize)
		w.cacheBytes.Add(bareEntryBytes * int64(w.cacheSize))
	}
	return &w.caches[n.id][int(number)&(w.cacheSize-1)]
}

// cachedMemo is memoOf for a number without a record.
func (w *Worker) cachedMemo(n *node, f *successorMemo) error {
	e := w.entry(n, f.number)
	f.pair = n.pair(f.number)
	if e.number != f.number+1 {
		e.number = 0
		run, err := w.work(n, f.number, f.pair)
		if err != nil {
			return err
		}
		before := cap(e.run)
		e.number, e.run = f.number+1, append(e.run[:0], run...)
		w.cacheBytes.Add(4 * int64(cap(e.run)-before))
	}
	f.load(e.run, len(n.projections))
	return nil
}
