package tree

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A record is the data of one number of a node. Expanding a state reads the records of its two halves and little else,
// so two of them fit a cache line: most parts have few moves, and projections are small numbers.
type record struct {
	pair uint64 // of the children's numbers
	// The last byte of head describes inline: empty (0), being written (busy), the Ref of a run (long), or otherwise
	// the number of moves plus one. The other bytes are the tags of these moves; wide tags continue in the last word.
	head atomic.Uint32
	// inline holds the projections, two to a word, and after them the moves.
	inline [inlineWords]uint32
}

const (
	inlineWords  = 5
	inlineMoves  = 3 // the number of moves whose tags fit into the head
	inlineValues = 4

	narrow = 8                  // bits of a tag
	wide   = model.SleepTagBits // of a store of a quotient by rotation

	busy = 0xff
	long = 0xfe
)

// A successorMemo is the data of a number of a node. The projections, of the parent's tabulated spanning groups, and
// the tags of the moves are as a record has them, unless there is a run.
type successorMemo struct {
	number uint32
	tags   uint64
	pair   uint64 // of the children's numbers, if n is an inner node with projections
	values uint64
	moves  []uint32 // the numbers to which the subtree's own groups lead, once for each transition
	run    []uint32 // projections, moves and tags; or nil
}

// projection returns projection i.
func (f *successorMemo) projection(i int) uint32 {
	if f.run != nil {
		return f.run[i]
	}
	return uint32(f.values>>(i%inlineValues*16)) & 0xffff
}

// tag returns the tag of move i, which has the given number of bits in a record: see Worker.tagOf.
func (f *successorMemo) tag(i int, bits uint) uint32 {
	if f.run != nil {
		return f.run[len(f.run)-len(f.moves)+i]
	}
	return uint32(f.tags >> (uint(i) * bits & 63) & (1<<bits - 1))
}

// countMoves returns the number of transitions of the moves of a number.
func (w *Worker) countMoves(f *successorMemo) int {
	n := len(f.moves)
	for i := 0; w.repeats.Load() && i < len(f.moves); i++ {
		n -= int(f.tag(i, w.tagBits) >> 31)
	}
	return n
}

// load sets f to the data in a run.
func (f *successorMemo) load(run []uint32, projections int) {
	moves := (len(run) - projections) / 2
	f.run, f.moves = run, run[projections:projections+moves]
}

// loadLong sets f to the data at a Ref in n.long.
func (f *successorMemo) loadLong(n *node, ref intern.Ref) {
	run := n.long.At(ref)
	f.load(run[1:1+run[0]], len(n.projections))
}

// addLong adds a run to n.long, after its length.
func (w *Worker) addLong(n *node, run []uint32) intern.Ref {
	w.line = append(append(w.line[:0], uint32(len(run))), run...)
	return w.writer(n).Add(w.line)
}

// memoOf sets f to the data of a number of n with record r, which may be nil, and computes it the first time. The
// slices are valid until the next call for a number of n.
func (w *Worker) memoOf(n *node, number uint32, r *record, f *successorMemo) error {
	f.number = number
	switch {
	case r != nil:
	case n.members != nil && n.recorded():
		return w.memberMemo(n, f)
	case n.recorded():
		return w.cachedMemo(n, f)
	default:
		f.run, f.moves = nil, nil
		return nil
	}
	head := r.head.Load()
	if kind := head & 0xff; kind == 0 || kind == busy {
		run, err := w.computeRun(n, number)
		if err != nil {
			return err
		}
		head = w.publish(n, number, r, run)
	}
	f.pair = r.pair
	if head&0xff == long {
		f.loadLong(n, r.inline[0])
		return nil
	}
	f.tags = uint64(head>>8) | uint64(r.inline[inlineWords-1])<<24
	f.values = uint64(r.inline[1])<<32 | uint64(r.inline[0])
	first := uint(len(n.projections)+1) / 2
	f.run, f.moves = nil, r.inline[first:first+uint(head&0xff)-1]
	return nil
}

// computeRun computes the projections and the moves of a number of n with their tags, in this order. The run is valid
// until the next one is made.
func (w *Worker) computeRun(n *node, number uint32) ([]uint32, error) {
	x := w.acquire()
	defer w.release(x)
	var err error
	if n.leaf() {
		err = w.leafMoves(n, number, x)
	} else {
		left, right := n.children(number)
		err = w.expand(n, left, right, 0, x)
	}
	if err != nil {
		return nil, err
	}
	return w.runOf(n, number, w.moveNumbers(n, x), x.tags), nil
}

// moveNumbers returns the numbers of n to which the moves in x lead. The slice is valid until the next call.
func (w *Worker) moveNumbers(n *node, x *expansion) []uint32 {
	w.moves = slices.Grow(w.moves[:0], len(x.to))[:len(x.to)]
	if n.leaf() {
		for i, to := range x.to {
			w.moves[i] = uint32(to)
		}
		return w.moves
	}
	w.numberMissing(n, x)
	w.number(n, x.to, w.moves)
	return w.moves
}

// runOf returns the data of a number of n as a run.
func (w *Worker) runOf(n *node, number uint32, moves, tags []uint32) []uint32 {
	run := w.run[:0]
	for _, v := range n.projections {
		run = append(run, v.project(number))
	}
	w.run = append(append(run, moves...), tags...)
	return w.run
}

// publish writes the record of a number of n, and returns its head. If another worker is writing the same record, it
// waits.
func (w *Worker) publish(n *node, number uint32, r *record, run []uint32) uint32 {
	var packed record
	head, ok := packed.pack(run, len(n.projections), w.tagBits)
	if !ok {
		// Do this before the record is busy: a panic must not leave other workers waiting.
		head = long
		packed.inline[0] = w.addLong(n, run)
	}
	if r.head.CompareAndSwap(0, busy) {
		if !n.leaf() && !n.paired(number) {
			r.pair = n.pair(number)
		}
		r.inline = packed.inline
		r.head.Store(head)
	}
	for r.head.Load() == busy {
		runtime.Gosched()
	}
	return r.head.Load()
}

// pack fills r.inline, if that is possible.
func (r *record) pack(run []uint32, projections int, tagBits uint) (head uint32, ok bool) {
	moves := (len(run) - projections) / 2
	first := (projections + 1) / 2
	words := inlineWords
	if tagBits == wide {
		words--
	}
	if projections > inlineValues || moves > inlineMoves || first+moves > words {
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
	tags := uint64(0)
	for i, tag := range run[projections+moves:] {
		if tag>>tagBits != 0 {
			return 0, false
		}
		tags |= uint64(tag) << (uint(i) * tagBits)
	}
	if tagBits == wide {
		r.inline[inlineWords-1] = uint32(tags >> 24)
	}
	return head | uint32(tags)<<8, true
}

// An entry of a worker's cache for one node holds the run of the last number without a record that mapped to it.
type entry struct {
	number uint32 // plus one; 0 for none
	run    []uint32
}

// The sizes in bytes of a record, of an entry without its run, and of an entry with a run of usual length.
const (
	recordBytes    = int64(unsafe.Sizeof(record{}))
	bareEntryBytes = int64(unsafe.Sizeof(entry{}))
	entryBytes     = 4 * bareEntryBytes
)

// Bound limits the memory for records, which are most of a store: to a quarter of the given bytes for each node, and
// the workers' caches for other numbers to a 64th. Two nodes, the halves of the states, have most of the numbers.
// Dropped data are computed again. Bound is called before the store is used.
func (s *Store) Bound(bytes int64, workers int) {
	perNode := bytes / 4
	for _, n := range s.nodes {
		if n.recorded() && !n.leaf() {
			n.recordLimit = uint32(min(perNode/recordBytes, all))
		}
	}
	s.cacheSize = 1 << (bits.Len64(uint64(max(1, perNode/16/entryBytes/int64(workers)))) - 1)
}

// Economize makes the store take less memory, and more time: the first time nodes with many numbers compact them, and
// make no more records; the second time the records of the halves go. Dropped data are computed again, as beyond the
// limit of Bound, which was called before. It reports whether it has done anything. The store must not be used
// concurrently.
func (s *Store) Economize() bool {
	done := s.economized
	s.economized++
	for _, n := range s.nodes {
		switch {
		case n.leaf() || done == 0 && n.numbers.Len() < fewNumbers && !n.half:
		case done == 0:
			n.numbers.Compact(n.pair)
			if n.recorded() {
				n.recordLimit = min(n.recordLimit, uint32(n.numbers.Len()))
			}
		case done == 1 && n.half && n.recorded():
			n.forget()
		}
	}
	return done < 2
}

// fewNumbers take little memory: a node with fewer, unless it is a half, is not compacted.
const fewNumbers = 1 << 12

// forget drops the records of n except the pairs.
func (n *node) forget() {
	for i := range n.recordLimit {
		*n.pairs.At(i) = n.pair(i)
	}
	n.recordLimit = 0
	n.records.Release()
	n.long.Release()
}

// writer returns the worker's writer to n.long.
func (w *Worker) writer(n *node) *intern.Writer {
	if n.long == &w.Store.arena {
		return w.arena
	}
	if w.longs[n.id] == nil {
		w.longs[n.id] = n.long.Writer()
	}
	return w.longs[n.id]
}

// entry returns the entry for a number in the worker's cache.
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
		run, err := w.computeRun(n, f.number)
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
