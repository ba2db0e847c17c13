package tree

import (
	"slices"

	"ringcheck/internal/intern"
)

// An expansion is the successors of some pairs of a node's numbers, each with its tag. Until it is settled some of
// their halves are missing.
type expansion struct {
	to          []uint64
	tags        []uint32
	count       int // of transitions, those that were left out included
	left, right missing

	leftParts, rightParts parts
}

// missing is halves of successors that are pairs yet to be numbered.
type missing struct {
	at    []int    // in expansion.to
	pairs []uint64 // of the child's children's numbers
}

func (m *missing) clear() { m.at, m.pairs = m.at[:0], m.pairs[:0] }

// expand adds the successors of (left, right) by the groups within n, but for those of the classes in asleep, which are
// only counted.
func (w *Worker) expand(n *node, left, right uint32, asleep Sleep, x *expansion) error {
	var l, r facts
	if err := w.know(n.left, left, &l); err != nil {
		return err
	}
	if err := w.know(n.right, right, &r); err != nil {
		return err
	}
	x.count += len(l.moves) + len(r.moves)
	for i, to := range l.moves {
		if tag := l.tag(i); !has(asleep, tag) {
			x.add(intern.Pair(to, right), tag)
		}
	}
	for i, to := range r.moves {
		if tag := r.tag(i); !has(asleep, tag) {
			x.add(intern.Pair(left, to), tag)
		}
	}
	view := 0
	for _, c := range n.cross {
		if c.direct {
			if err := w.ask(n, c, left, right, asleep, x); err != nil {
				return err
			}
			continue
		}
		if err := w.cross(c, &l, &r, view, asleep, x); err != nil {
			return err
		}
		view++
	}
	return nil
}

func (x *expansion) add(to uint64, tag uint32) {
	x.to = append(x.to, to)
	x.tags = append(x.tags, tag)
}

// cross adds the successors by a tabulated crossing, of which the views of the two sides have the given index.
func (w *Worker) cross(c *crossing, left, right *facts, view int, asleep Sleep, x *expansion) error {
	lview, rview := left.view(view), right.view(view)
	ref, ok := c.table.Load(lview, rview)
	if !ok {
		var err error
		if ref, err = w.fill(c, lview, rview); err != nil {
			return err
		}
	}
	if ref == nothing {
		return nil
	}
	run := w.Store.arena.At(ref)
	x.count += int(run[0])
	if has(asleep, c.class) {
		return nil
	}
	for to := run[1 : 1+3*run[0]]; len(to) > 0; to = to[3:] {
		l, r := left.number, right.number
		if to[0] != lview {
			l = c.left.replace(left, to[0], len(x.to), &x.left)
		}
		if to[1] != rview {
			r = c.right.replace(right, to[1], len(x.to), &x.right)
		}
		x.add(intern.Pair(l, r), to[2])
	}
	return nil
}

// replace returns the number of a part with what the side sees replaced, or 0 if that is missing as yet.
func (s *side) replace(part *facts, values uint32, at int, later *missing) uint32 {
	if s.inner == nil {
		return values
	}
	later.at = append(later.at, at)
	later.pairs = append(later.pairs, s.inner.change(part.pair, values))
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

func (w *Worker) acquire() *expansion {
	n := len(w.free)
	if n == 0 {
		return new(expansion)
	}
	x := w.free[n-1]
	w.free = w.free[:n-1]
	x.to, x.tags, x.count = x.to[:0], x.tags[:0], 0
	x.left.clear()
	x.right.clear()
	x.leftParts.clear()
	x.rightParts.clear()
	return x
}

func (w *Worker) release(x *expansion) { w.free = append(w.free, x) }
