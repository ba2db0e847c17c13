package tree

import (
	"runtime"
	"sync/atomic"

	"ringcheck/internal/intern"
)

// A record is what is known about one number of a node, for all workers. It fills a cache line: expanding a state
// reads the records of its two halves and little else.
type record struct {
	pair uint64 // of the children's numbers
	// size is 0 until the rest is written, then one more than the number of moves.
	size atomic.Uint32
	// inline holds the views, the moves and their tags, as facts has them. If they do not fit, inline[0] is the Ref of a
	// run that holds them.
	inline [13]uint32
}

// facts are what is known about a number of a node.
type facts struct {
	number uint32
	pair   uint64   // of the children's numbers, if n is an inner node with views
	views  []uint32 // of the parent's tabulated crossings
	moves  []uint32 // the numbers to which the subtree's own groups lead, once for each transition
	tags   []uint32 // of the moves: see Worker.tag
}

// know makes f what is known about a number of n, which is worked out the first time. The slices are good until the
// worker is asked about another number of n.
func (w *Worker) know(n *node, number uint32, f *facts) error {
	f.number = number
	switch {
	case !n.recorded():
		return nil
	case number >= n.kept:
		return w.recall(n, f)
	}
	r := n.records.At(number)
	f.pair = r.pair
	size := r.size.Load()
	if size == 0 || size == busy {
		run, err := w.work(n, number, r.pair)
		if err != nil {
			return err
		}
		size = w.publish(r, run, uint32(w.movesIn(len(run)-len(n.views))+1))
	}
	w.split(f, w.words(r, len(n.views)+w.wordsOf(int(size-1))), len(n.views), int(size-1))
	return nil
}

// split says which words of a record or an entry are what.
func (w *Worker) split(f *facts, words []uint32, views, moves int) {
	f.views, f.moves, f.tags = words[:views], words[views:views+moves], words[views+moves:]
}

// words returns where the n words of a record are.
func (w *Worker) words(r *record, n int) []uint32 {
	if n > len(r.inline) {
		return w.Store.arena.At(r.inline[0])
	}
	return r.inline[:]
}

// work works out the views and the moves of a number of n with their tags, in this order. The run is good until the next
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
	for _, v := range n.views {
		run = append(run, v.view(number))
	}
	for _, to := range x.to {
		run = append(run, uint32(to))
	}
	run = w.appendTags(run, x.tags)
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

// busy is the size of a record that is being written.
const busy = ^uint32(0)

// publish writes a record. If another worker is doing so it waits for that: both say the same.
func (w *Worker) publish(r *record, run []uint32, size uint32) uint32 {
	if len(run) > len(r.inline) {
		// Before the record is busy: whatever can go wrong must not leave the others waiting.
		run = append(run[:0], w.arena.Add(run))
	}
	if r.size.CompareAndSwap(0, busy) {
		copy(r.inline[:], run)
		r.size.Store(size)
	}
	for r.size.Load() == busy {
		runtime.Gosched()
	}
	return size
}
