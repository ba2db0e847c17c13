package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// An expansion has the successors of some pairs of numbers of a node, each with its tag. Until numberMissing, some of
// their halves are missing.
type expansion struct {
	to          []uint64
	tags        []uint32
	count       int // the number of transitions, including sleeping ones
	left, right missing

	leftParts, rightParts parts
}

// missing lists the halves of successors that are pairs without a number yet.
type missing struct {
	at    []int    // in expansion.to
	pairs []uint64 // pairs of numbers of the child's children
}

func (m *missing) clear() { m.at, m.pairs = m.at[:0], m.pairs[:0] }

// A memoPair holds the memos of the two halves of an expanded part.
type memoPair struct{ left, right successorMemo }

// expand adds the successors of (left, right) by the groups within n. Transitions of the classes in asleep are only
// counted.
func (w *Worker) expand(n *node, left, right uint32, asleep Sleep, x *expansion) error {
	return w.expandRecords(n, left, right, n.left.record(left), n.right.record(right), asleep, x)
}

// expandRecords is expand for halves with the given records, or none.
func (w *Worker) expandRecords(
	n *node, left, right uint32, lrecord, rrecord *record, asleep Sleep, x *expansion,
) error {
	m := &w.memos[n.id]
	l, r := &m.left, &m.right
	if err := w.memoOf(n.left, left, lrecord, l); err != nil {
		return err
	}
	if err := w.memoOf(n.right, right, rrecord, r); err != nil {
		return err
	}
	x.count += w.countMoves(l) + w.countMoves(r)
	if !n.left.sleeps(asleep) {
		for i, to := range l.moves {
			if tag := l.tag(i, w.tagBits); asleep == 0 || !has(asleep, w.classOfTag(tag)) {
				x.add(intern.Pair(to, right), tag)
			}
		}
	}
	if !n.right.sleeps(asleep) {
		for i, to := range r.moves {
			if tag := r.tag(i, w.tagBits); asleep == 0 || !has(asleep, w.classOfTag(tag)) {
				x.add(intern.Pair(left, to), tag)
			}
		}
	}
	if err := w.spanAll(n, l, r, asleep, x); err != nil {
		return err
	}
	for _, c := range n.directGroups {
		if err := w.expandDirect(n, c, left, right, asleep, x); err != nil {
			return err
		}
	}
	return nil
}

// spanAll adds the successors by the tabulated spanning groups of n. Most groups have none, which Holds finds quickly.
func (w *Worker) spanAll(n *node, l, r *successorMemo, asleep Sleep, x *expansion) error {
	packed := l.run == nil && r.run == nil
	lpacked, rpacked := l.values, r.values
	for i, c := range n.tabulatedGroups {
		lvalues, rvalues := uint32(lpacked&0xffff), uint32(rpacked&0xffff)
		lpacked, rpacked = lpacked>>16, rpacked>>16
		if !packed {
			lvalues, rvalues = l.projection(i), r.projection(i)
		}
		if c.table.Holds(lvalues, rvalues, nothing) {
			continue
		}
		if err := w.span(c, l, r, lvalues, rvalues, asleep, x); err != nil {
			return err
		}
	}
	return nil
}

func (x *expansion) add(to uint64, tag uint32) {
	x.to = append(x.to, to)
	x.tags = append(x.tags, tag)
}

// span adds the successors by a tabulated spanning group. The two sides have the given projections to its slots.
func (w *Worker) span(
	c *spanningGroup, left, right *successorMemo, lvalues, rvalues uint32, asleep Sleep, x *expansion,
) error {
	run, err := w.spanning(c, lvalues, rvalues)
	if err != nil || run == nil {
		return err
	}
	list := run[1 : 1+3*run[0]] // another list may follow
	if w.collects {
		for ; len(list) > 0; list = list[3:] {
			if w.awake(list[2], asleep) {
				x.cross(c, left, right, lvalues, rvalues, list)
			}
		}
		return nil
	}
	x.count += int(run[0])
	for i := 2; w.repeats.Load() && i < len(list); i += 3 {
		x.count -= int(list[i] >> 31)
	}
	if has(asleep, c.class) {
		return nil
	}
	for ; len(list) > 0; list = list[3:] {
		x.cross(c, left, right, lvalues, rvalues, list)
	}
	return nil
}

// spanning returns the run of transitions of a tabulated spanning group, or nil if there are none.
func (w *Worker) spanning(c *spanningGroup, lvalues, rvalues uint32) ([]uint32, error) {
	ref, ok := c.table.Load(lvalues, rvalues)
	if !ok {
		var err error
		if ref, err = w.tabulate(c, lvalues, rvalues); err != nil {
			return nil, err
		}
	}
	if ref == nothing {
		return nil, nil
	}
	return w.Store.arena.At(ref), nil
}

// cross adds the successor by a transition of a tabulated spanning group: to is its new projections and its tag.
func (x *expansion) cross(c *spanningGroup, left, right *successorMemo, lvalues, rvalues uint32, to []uint32) {
	l, r := left.number, right.number
	if to[0] != lvalues {
		l = c.left.replace(left, to[0], len(x.to), &x.left)
	}
	if to[1] != rvalues {
		r = c.right.replace(right, to[1], len(x.to), &x.right)
	}
	x.add(intern.Pair(l, r), to[2])
}

// replace returns the number of a part with the projection of a side replaced, or 0 if it is missing.
func (s *side) replace(part *successorMemo, values uint32, at int, later *missing) uint32 {
	if s.inner == nil {
		return values
	}
	later.at = append(later.at, at)
	later.pairs = append(later.pairs, s.inner.change(part.pair, values))
	return 0
}

// numberMissing numbers the missing halves in x.
func (w *Worker) numberMissing(n *node, x *expansion) {
	w.numberSide(n.left, &x.left, x.to, 32)
	w.numberSide(n.right, &x.right, x.to, 0)
	w.numberParts(n.left, &x.leftParts, x.to, 32)
	w.numberParts(n.right, &x.rightParts, x.to, 0)
}

// largeParts is the maximum number of values of parts that wait to be numbered together.
const largeParts = 1 << 22

// large reports whether the caller should call numberMissing before it adds more.
func (x *expansion) large() bool {
	return len(x.leftParts.values)+len(x.rightParts.values) > largeParts
}

// numberSide numbers the missing halves on the side of n, which is shifted in to.
func (w *Worker) numberSide(n *node, m *missing, to []uint64, shift uint) {
	w.run = slices.Grow(w.run[:0], len(m.at))[:len(m.at)]
	w.number(n, m.pairs, w.run)
	for i, at := range m.at {
		to[at] |= uint64(w.run[i]) << shift
	}
	m.clear()
}

// number looks up the numbers of pairs of n.
func (w *Worker) number(n *node, pairs []uint64, out []uint32) {
	w.countWork(len(pairs))
	if n.numberedBy != nil {
		n = n.numberedBy
	}
	w.lookup.Find(&n.numbers, pairs, out, n.number)
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

// askGroup gets the transitions of a group from the system, in w.out, given the values of its slots in w.in. It leaves
// out repeated ones if transitions are only counted.
func (w *Worker) askGroup(group int) error {
	err := model.Ask(w.sys, group, w.in[:len(w.groups[group].Slots)], &w.out)
	if w.set && err == nil {
		w.out.Filter(0, func(s model.Step) bool { return !s.Repeated })
	}
	return err
}

// askWhole is askGroup for a direct spanning group of n, given (left, right), whose values are in w.state then.
func (w *Worker) askWhole(n *node, c *spanningGroup, left, right uint32) error {
	if pair := intern.Pair(left, right); w.decodedNode != n || w.decodedPair != pair {
		n.left.decode(left, w.state)
		n.right.decode(right, w.state)
		w.decodedNode, w.decodedPair = n, pair
	}
	for i, s := range c.slots {
		w.in[i] = w.state[s]
	}
	return w.askGroup(c.group)
}

// parts are parts of states that belong to one node. They are numbered together, so that the independent lookups
// overlap.
type parts struct {
	at     []int         // in expansion.to
	values []model.Value // the values of all parts, one part after the other
}

func (p *parts) clear() { p.at, p.values = p.at[:0], p.values[:0] }

// number returns the number of a part if it has not changed. Otherwise it adds the part and returns 0.
func (p *parts) number(number uint32, before, part []model.Value, at int) uint32 {
	if slices.Equal(before, part) {
		return number
	}
	p.add(part, at)
	return 0
}

func (p *parts) add(part []model.Value, at int) {
	p.at = append(p.at, at)
	p.values = append(p.values, part...)
}

// numberParts numbers the halves that were added by direct spanning groups of n.
func (w *Worker) numberParts(n *node, p *parts, to []uint64, shift uint) {
	if len(p.at) == 0 {
		return
	}
	c := w.column(len(p.at))
	w.numbers(n, p.values, 0, c)
	for i, at := range p.at {
		to[at] |= uint64(c.numbers[i]) << shift
	}
	w.spare = append(w.spare, c)
	p.clear()
}

// A column is one value for each of some parts.
type column struct {
	numbers []uint32
	pairs   []uint64
}

func (w *Worker) column(n int) *column {
	var c *column
	if k := len(w.spare); k > 0 {
		c, w.spare = w.spare[k-1], w.spare[:k-1]
	} else {
		c = new(column)
	}
	c.numbers = slices.Grow(c.numbers[:0], n)[:n]
	c.pairs = slices.Grow(c.pairs[:0], n)[:n]
	return c
}

// numbers looks up the numbers of the values from offset on, which belong to n, of each of some parts.
func (w *Worker) numbers(n *node, values []model.Value, offset int, out *column) {
	k := len(out.numbers)
	if n.empty() {
		clear(out.numbers)
		return
	}
	if n.leaf() {
		for i, stride := 0, len(values)/k; i < k; i++ {
			out.numbers[i] = values[i*stride+offset]
		}
		return
	}
	right := w.column(k)
	w.numbers(n.left, values, offset, out)
	w.numbers(n.right, values, offset+n.right.first-n.first, right)
	for i, l := range out.numbers {
		out.pairs[i] = intern.Pair(l, right.numbers[i])
	}
	w.number(n, out.pairs, out.numbers)
	w.spare = append(w.spare, right)
}
