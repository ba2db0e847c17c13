package tree

import (
	"runtime"
	"sync/atomic"

	"ringcheck/internal/intern"
)

// A record is what is known about one number of a node, for all workers. Expanding a state reads the records of its two
// halves and little else, so two of them fit a cache line: most parts have few moves, and views are small numbers.
type record struct {
	pair uint64 // of the children's numbers
	// head tells from its last byte what inline holds: nothing is known yet (0), it is being written (busy), the Ref of
	// a run (long), or else one more than the number of moves. The other bytes are the tags of these.
	head atomic.Uint32
	// inline holds the views, two to a word, and behind them the moves.
	inline [inlineWords]uint32
}

const (
	inlineWords = 5
	inlineMoves = 3 // whose tags fit into the head
	inlineViews = 4

	busy = 0xff
	long = 0xfe
)

// facts are what is known about a number of a node.
type facts struct {
	number uint32
	pair   uint64   // of the children's numbers, if n is an inner node with views
	moves  []uint32 // the numbers to which the subtree's own groups lead, once for each transition

	// The views, of the parent's tabulated crossings, and the tags of the moves are as a record has them, or else as a
	// run has.
	packedViews [inlineViews / 2]uint32
	packedTags  uint32
	views, tags []uint32
}

func (f *facts) view(i int) uint32 {
	if f.views != nil {
		return f.views[i]
	}
	return f.packedViews[i/2] >> (i % 2 * 16) & 0xffff
}

// tag returns the tag of move i: see Worker.tagOf.
func (f *facts) tag(i int) uint32 {
	if f.tags != nil {
		return f.tags[i]
	}
	return f.packedTags >> (i * 8) & 0xff
}

// load makes f what a run says: the views, the moves and their tags.
func (f *facts) load(run []uint32, views int) {
	moves := (len(run) - views) / 2
	f.views, f.moves, f.tags = run[:views:views], run[views:views+moves], run[views+moves:]
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
	head := r.head.Load()
	if kind := head & 0xff; kind == 0 || kind == busy {
		run, err := w.work(n, number, r.pair)
		if err != nil {
			return err
		}
		head = w.publish(r, run, len(n.views))
	}
	w.read(r, head, len(n.views), f)
	return nil
}

// read makes f what a record says.
func (w *Worker) read(r *record, head uint32, views int, f *facts) {
	if head&0xff == long {
		run := w.Store.arena.At(r.inline[0])
		f.load(run[1:1+run[0]], views)
		return
	}
	f.packedTags = head >> 8
	f.packedViews = [...]uint32{r.inline[0], r.inline[1]}
	first := (views + 1) / 2
	f.moves = r.inline[first : first+int(head&0xff)-1]
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
func (w *Worker) publish(r *record, run []uint32, views int) uint32 {
	var packed record
	head, ok := packed.pack(run, views)
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
func (r *record) pack(run []uint32, views int) (head uint32, ok bool) {
	moves := (len(run) - views) / 2
	first := (views + 1) / 2
	if views > inlineViews || moves > inlineMoves || first+moves > inlineWords {
		return 0, false
	}
	head = uint32(moves + 1)
	for i, v := range run[:views] {
		if v > 0xffff {
			return 0, false
		}
		r.inline[i/2] |= v << (i % 2 * 16)
	}
	copy(r.inline[first:], run[views:views+moves])
	for i, tag := range run[views+moves:] {
		if tag > 0xff {
			return 0, false
		}
		head |= tag << (8 + i*8)
	}
	return head, true
}
