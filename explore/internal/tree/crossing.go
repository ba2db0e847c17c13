package tree

import (
	"slices"

	"ringcheck/internal/intern"
)

// A crossing is a group that spans both children of a node.
type crossing struct {
	group int
	class uint32 // of the group
	slots []int
	// A group that covers most of a node meets a combination of its slots about once. It is direct: the
	// system is asked every time. The others are tabulated.
	direct      bool
	left, right side
	// table maps the views of the two sides to nothing or to the Ref of a run: the number of transitions,
	// then for each the new views of both sides and its tag.
	table intern.Grid
}

// nothing is the entry of a crossing that has no transition. No Ref is as small.
const nothing intern.Ref = 1

// A side is what a crossing sees of one child.
type side struct {
	n     *node
	lens  lens
	inner innerLens // lens, unless n is a leaf
}

func newSide(n *node, slots []int) side {
	s := side{n: n, lens: newLens(n, slots)}
	s.inner, _ = s.lens.(innerLens)
	return s
}

func newCrossing(n *node, group int, slots []int) *crossing {
	c := &crossing{group: group, slots: slots}
	size := n.end - n.first
	c.direct = len(slots) == size || len(slots) > 3 && 2*len(slots) > size
	if c.direct {
		return c
	}
	k, _ := slices.BinarySearch(slots, n.right.first)
	c.left, c.right = newSide(n.left, slots[:k]), newSide(n.right, slots[k:])
	n.left.views = append(n.left.views, c.left.lens)
	n.right.views = append(n.right.views, c.right.lens)
	return c
}

func (c *crossing) bytes() int64 {
	if c.direct {
		return 0
	}
	return c.table.Bytes() + c.left.lens.bytes() + c.right.lens.bytes()
}

// fill works out what a tabulated crossing does for the views of its two sides.
func (w *Worker) fill(c *crossing, lview, rview uint32) (intern.Ref, error) {
	if err := w.askViews(c, lview, rview); err != nil {
		return 0, err
	}
	if w.out.Len() == 0 {
		return c.table.LoadOrStore(lview, rview, nothing), nil
	}
	run := append(w.run[:0], uint32(w.out.Len()))
	for i := range w.out.Len() {
		l, rest := c.left.lens.store(w.out.Values(i))
		r, _ := c.right.lens.store(rest)
		run = append(run, l, r, w.tagOf(c.group, i))
	}
	w.run = run
	return c.table.LoadOrStore(lview, rview, w.arena.Add(run)), nil
}

// ask adds what a direct crossing of n leads to from (left, right).
func (w *Worker) ask(n *node, c *crossing, left, right uint32, asleep Sleep, x *expansion) error {
	total, err := w.askWhole(n, c, left, right, asleep)
	if err != nil {
		return err
	}
	x.count += total
	if !w.awake && has(asleep, c.class) {
		return nil
	}
	before, next := w.state[n.first:n.end], w.next[n.first:n.end]
	copy(next, before)
	cut := n.right.first - n.first
	for i := range w.out.Len() {
		if values := w.out.Values(i); len(values) == len(next) { // all slots of the node
			next = values
		} else {
			for j, v := range values {
				next[c.slots[j]-n.first] = v
			}
		}
		l := x.leftParts.number(left, before[:cut], next[:cut], len(x.to))
		r := x.rightParts.number(right, before[cut:], next[cut:], len(x.to))
		x.add(intern.Pair(l, r), w.tagOf(c.group, i))
	}
	return nil
}

// leafMoves adds the values to which the groups of a leaf lead.
func (w *Worker) leafMoves(n *node, value uint32, x *expansion) error {
	for _, g := range n.groups {
		if err := w.askLeaf(g, value); err != nil {
			return err
		}
		for i := range w.out.Len() {
			v := value // of a group without slots
			if len(w.groups[g].Slots) == 1 {
				v = w.out.Values(i)[0]
			}
			x.add(uint64(v), w.tagOf(g, i))
		}
	}
	return nil
}
