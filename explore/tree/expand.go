package tree

import (
	"runtime"
	"slices"

	"ringcheck/model/intern"
)

// An expansion is the successors of some pairs of a node's numbers. Until it is settled some of their halves
// are missing.
type expansion struct {
	to          []uint64
	left, right missing

	leftParts, rightParts parts
}

// missing is halves of successors that are pairs yet to be numbered.
type missing struct {
	at    []int    // in expansion.to
	pairs []uint64 // of the child's children's numbers
}

func (m *missing) clear() { m.at, m.pairs = m.at[:0], m.pairs[:0] }

// expand adds the successors of (left, right) by the groups within n.
func (w *Worker) expand(n *node, left, right uint32, x *expansion) error {
	var lviews, rviews []uint32
	var lrec, rrec *record
	if n.left.recorded() {
		views, moves, err := w.record(n.left, left, &lrec)
		if err != nil {
			return err
		}
		for _, to := range moves {
			x.to = append(x.to, intern.Pair(to, right))
		}
		lviews = views
	}
	if n.right.recorded() {
		views, moves, err := w.record(n.right, right, &rrec)
		if err != nil {
			return err
		}
		for _, to := range moves {
			x.to = append(x.to, intern.Pair(left, to))
		}
		rviews = views
	}
	view := 0
	for _, c := range n.cross {
		if c.direct {
			if err := w.ask(n, c, left, right, x); err != nil {
				return err
			}
			continue
		}
		lview, rview := lviews[view], rviews[view]
		view++
		ref, ok := c.table.Load(lview, rview)
		if !ok {
			var err error
			if ref, err = w.fill(c, lview, rview); err != nil {
				return err
			}
		}
		if ref != nothing {
			run := w.Store.arena.At(ref)
			for to := run[1 : 1+2*run[0]]; len(to) > 0; to = to[2:] {
				l, r := left, right
				if to[0] != lview {
					l = c.left.replace(left, lrec, to[0], len(x.to), &x.left)
				}
				if to[1] != rview {
					r = c.right.replace(right, rrec, to[1], len(x.to), &x.right)
				}
				x.to = append(x.to, intern.Pair(l, r))
			}
		}
	}
	return nil
}

// replace returns the number of a part with what the side sees replaced, or 0 if that is missing as yet.
func (s *side) replace(part uint32, rec *record, values uint32, at int, later *missing) uint32 {
	if s.inner == nil {
		return values
	}
	later.at = append(later.at, at)
	later.pairs = append(later.pairs, s.inner.change(rec.pair, values))
	return 0
}

// settle numbers what is missing in x.
func (w *Worker) settle(n *node, x *expansion) {
	w.settleSide(n.left, &x.left, x.to, 32)
	w.settleSide(n.right, &x.right, x.to, 0)
	w.settleParts(n.left, &x.leftParts, x.to, 32)
	w.settleParts(n.right, &x.rightParts, x.to, 0)
}

// settleSide numbers what is missing on the side of n, which is shifted in to.
func (w *Worker) settleSide(n *node, m *missing, to []uint64, shift uint) {
	w.run = slices.Grow(w.run[:0], len(m.at))[:len(m.at)]
	w.number(n, m.pairs, w.run)
	for i, at := range m.at {
		to[at] |= uint64(w.run[i]) << shift
	}
	m.clear()
}

// number makes out the numbers of pairs of n. All places where they may be are read before the first is needed.
func (w *Worker) number(n *node, pairs []uint64, out []uint32) {
	view := n.numbers.View()
	w.probes = w.probes[:0]
	touch := uint64(0)
	for _, pair := range pairs {
		p := view.Probe(pair)
		w.probes = append(w.probes, p)
		touch ^= view.Touch(p)
	}
	w.touch ^= uint32(touch)
	for i, pair := range pairs {
		k, ok := view.Find(w.probes[i])
		if !ok {
			k = n.number(pair)
		}
		out[i] = k
	}
}

// record returns the views and moves of a number of n, worked out the first time.
func (w *Worker) record(n *node, number uint32, rec **record) (views, moves []uint32, err error) {
	r := n.records.At(number)
	*rec = r
	size := r.size.Load()
	if size == 0 || size == busy {
		if size, err = w.work(n, number, r); err != nil {
			return nil, nil, err
		}
	}
	words := r.inline[:]
	k, m := len(n.views), int(size-1)
	if k+m > len(words) {
		words = w.Store.arena.At(words[0])
	}
	return words[:k], words[k : k+m], nil
}

// work works out the record of a number of n and returns its size.
func (w *Worker) work(n *node, number uint32, r *record) (uint32, error) {
	x := w.acquire()
	defer w.release(x)
	var err error
	if n.leaf() {
		x.to, err = w.leafMoves(n, number, x.to)
	} else {
		err = w.moves(n, r.pair, x)
	}
	if err != nil {
		return 0, err
	}
	run := w.run[:0]
	for _, v := range n.views {
		run = append(run, v.view(number))
	}
	for _, to := range x.to {
		run = append(run, uint32(to))
	}
	w.run = run
	return w.publish(r, run, uint32(len(x.to)+1)), nil
}

// moves makes x the numbers to which the groups within an inner node lead.
func (w *Worker) moves(n *node, pair uint64, x *expansion) error {
	left, right := intern.Split(pair)
	if err := w.expand(n, left, right, x); err != nil {
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

func (w *Worker) acquire() *expansion {
	n := len(w.free)
	if n == 0 {
		return new(expansion)
	}
	x := w.free[n-1]
	w.free = w.free[:n-1]
	x.to = x.to[:0]
	x.left.clear()
	x.right.clear()
	x.leftParts.clear()
	x.rightParts.clear()
	return x
}

func (w *Worker) release(x *expansion) { w.free = append(w.free, x) }
