package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A spanningGroup is a group that spans both children of a node.
type spanningGroup struct {
	group       int
	class       uint32 // of the group
	slots       []int
	left, right side // of a tabulated group
	// table maps the projections of the two sides to nothing or to the Ref of a run: the number of transitions, then
	// for each the new projections of both sides and its tag.
	table intern.Grid
}

// nothing is the entry of a spanning group that has no transition. It is smaller than every Ref.
const nothing intern.Ref = 1

// A side has the projection of a spanning group on one child.
type side struct {
	n          *node
	projection projection
	inner      innerProjection // projection, unless n is a leaf
}

func newSide(n *node, slots []int) side {
	s := side{n: n, projection: newProjection(n, slots)}
	s.inner, _ = s.projection.(innerProjection)
	return s
}

// span adds a group that spans both children of n. A group that covers most of n sees most combinations of its slots
// only once. It is direct: the system is asked every time. The others are tabulated.
func (n *node) span(group int, slots []int) {
	c := &spanningGroup{group: group, slots: slots}
	size := n.end - n.first
	if len(slots) == size || len(slots) > 3 && 2*len(slots) > size {
		n.directGroups = append(n.directGroups, c)
		return
	}
	k, _ := slices.BinarySearch(slots, n.right.first)
	c.left, c.right = newSide(n.left, slots[:k]), newSide(n.right, slots[k:])
	n.left.projections = append(n.left.projections, c.left.projection)
	n.right.projections = append(n.right.projections, c.right.projection)
	n.tabulatedGroups = append(n.tabulatedGroups, c)
}

func (c *spanningGroup) bytes() int64 {
	return c.table.Bytes() + c.left.projection.bytes() + c.right.projection.bytes()
}

// tabulate computes the transitions of a tabulated spanning group for the projections of its two sides.
func (w *Worker) tabulate(c *spanningGroup, lvalues, rvalues uint32) (intern.Ref, error) {
	c.right.projection.load(rvalues, c.left.projection.load(lvalues, w.in))
	if err := w.askGroup(c.group); err != nil {
		return 0, err
	}
	if w.out.Len() == 0 {
		return c.table.LoadOrStore(lvalues, rvalues, nothing), nil
	}
	run := append(w.run[:0], uint32(w.out.Len()))
	for i := range w.out.Len() {
		l, rest := c.left.projection.store(w.out.Values(i))
		r, _ := c.right.projection.store(rest)
		run = append(run, l, r, w.tagOf(c.group, i))
	}
	w.run = run
	return c.table.LoadOrStore(lvalues, rvalues, w.arena.Add(run)), nil
}

// expandDirect adds the successors of (left, right) by a direct spanning group of n.
func (w *Worker) expandDirect(n *node, c *spanningGroup, left, right uint32, asleep Sleep, x *expansion) error {
	if err := w.askWhole(n, c, left, right); err != nil {
		return err
	}
	for i := range w.out.Len() {
		if !w.out.Step(i).Repeated {
			x.count++
		}
	}
	w.countWork(len(c.slots))
	if w.out.Len() == 0 || has(asleep, c.class) {
		return nil
	}
	before, next := w.state[n.first:n.end], w.next[n.first:n.end]
	copy(next, before)
	split := n.right.first - n.first
	for i := range w.out.Len() {
		if values := w.out.Values(i); len(values) == len(next) { // all slots of the node
			next = values
		} else {
			for j, v := range values {
				next[c.slots[j]-n.first] = v
			}
		}
		if x.large() {
			w.numberMissing(n, x)
		}
		w.countWork(len(next))
		l := x.leftParts.number(left, before[:split], next[:split], len(x.to))
		r := x.rightParts.number(right, before[split:], next[split:], len(x.to))
		x.add(intern.Pair(l, r), w.tagOf(c.group, i))
	}
	return nil
}

// leafMoves adds the values to which the groups of a leaf lead.
func (w *Worker) leafMoves(n *node, value uint32, x *expansion) error {
	for _, g := range n.groups {
		w.in[0] = value
		if err := w.askGroup(g); err != nil {
			return err
		}
		for i := range w.out.Len() {
			v := value // for a group without slots
			if len(w.groups[g].Slots) == 1 {
				v = w.out.Values(i)[0]
			}
			x.add(uint64(v), w.tagOf(g, i))
		}
	}
	return nil
}

// A projection represents the values of some slots of a node as one number, and can replace them.
type projection interface {
	// project returns the number of what the slots hold in the part with the given number.
	project(part uint32) uint32
	// load writes the values with a number to out, in slot order, and returns the rest of out.
	load(values uint32, out []model.Value) []model.Value
	// store numbers the first values and returns the rest.
	store(values []model.Value) (uint32, []model.Value)
	// set returns the number of a part with its slots replaced by numbered values.
	set(part, values uint32) uint32
	bytes() int64
}

// An innerProjection is a projection of an inner node.
type innerProjection interface {
	projection
	// change is set for a pair of numbers of the children.
	change(pair uint64, values uint32) uint64
}

// newProjection returns a projection of n on slots, all of which n has.
func newProjection(n *node, slots []int) projection {
	if n.leaf() {
		return leafProjection{}
	}
	k, _ := slices.BinarySearch(slots, n.right.first)
	switch k {
	case len(slots):
		return &childProjection{setMemo: setMemo{n: n}, isLeft: true, inner: newProjection(n.left, slots)}
	case 0:
		return &childProjection{setMemo: setMemo{n: n}, inner: newProjection(n.right, slots)}
	}
	left, right := newProjection(n.left, slots[:k]), newProjection(n.right, slots[k:])
	return &pairProjection{setMemo: setMemo{n: n}, left: left, right: right}
}

// A leafProjection is the projection of a leaf: its number is its value.
type leafProjection struct{}

func (leafProjection) project(part uint32) uint32                    { return part }
func (leafProjection) set(_, values uint32) uint32                   { return values }
func (leafProjection) bytes() int64                                  { return 0 }
func (leafProjection) store(v []model.Value) (uint32, []model.Value) { return v[0], v[1:] }
func (leafProjection) load(number uint32, out []model.Value) []model.Value {
	out[0] = number
	return out[1:]
}

// A setMemo caches the results of set for the numbers of an inner node.
type setMemo struct {
	n       *node
	results intern.Map
}

func (m *setMemo) set(l innerProjection, part, values uint32) uint32 {
	key := intern.Pair(part, values)
	if to, ok := m.results.Load(key); ok {
		return to
	}
	return m.results.LoadOrStore(key, m.n.number(l.change(m.n.pair(part), values)))
}

// A childProjection is a projection on slots that are all on one side of an inner node.
type childProjection struct {
	setMemo
	isLeft bool
	inner  projection
}

func (c *childProjection) project(part uint32) uint32 {
	l, r := c.n.children(part)
	if c.isLeft {
		return c.inner.project(l)
	}
	return c.inner.project(r)
}

func (c *childProjection) change(pair uint64, values uint32) uint64 {
	l, r := intern.Split(pair)
	if c.isLeft {
		return intern.Pair(c.inner.set(l, values), r)
	}
	return intern.Pair(l, c.inner.set(r, values))
}

// set caches nothing above a leaf, where a cache would take one look-up, too.
func (c *childProjection) set(part, values uint32) uint32 {
	if _, leaf := c.inner.(leafProjection); leaf {
		return c.n.number(c.change(c.n.pair(part), values))
	}
	return c.setMemo.set(c, part, values)
}

func (c *childProjection) load(values uint32, out []model.Value) []model.Value {
	return c.inner.load(values, out)
}

func (c *childProjection) store(v []model.Value) (uint32, []model.Value) { return c.inner.store(v) }
func (c *childProjection) bytes() int64                                  { return c.inner.bytes() + c.results.Bytes() }

// A pairProjection is a projection on slots on both sides of an inner node. It numbers pairs of projections.
type pairProjection struct {
	setMemo
	left, right projection
	values      intern.Pairs
}

func (p *pairProjection) project(part uint32) uint32 {
	l, r := p.n.children(part)
	return p.values.Number(intern.Pair(p.left.project(l), p.right.project(r)))
}

func (p *pairProjection) change(pair uint64, values uint32) uint64 {
	l, r := intern.Split(pair)
	vl, vr := intern.Split(p.values.At(values))
	return intern.Pair(p.left.set(l, vl), p.right.set(r, vr))
}

func (p *pairProjection) set(part, values uint32) uint32 { return p.setMemo.set(p, part, values) }

func (p *pairProjection) load(values uint32, out []model.Value) []model.Value {
	vl, vr := intern.Split(p.values.At(values))
	return p.right.load(vr, p.left.load(vl, out))
}

func (p *pairProjection) store(v []model.Value) (uint32, []model.Value) {
	l, v := p.left.store(v)
	r, v := p.right.store(v)
	return p.values.Number(intern.Pair(l, r)), v
}

func (p *pairProjection) bytes() int64 {
	return p.left.bytes() + p.right.bytes() + p.values.Bytes() + p.results.Bytes()
}
