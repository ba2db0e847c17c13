package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

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
		inner := newProjection(n.left, slots)
		return &childProjection{setMemo: setMemo{n: n}, isLeft: true, single: k == 1, inner: inner}
	case 0:
		inner := newProjection(n.right, slots)
		return &childProjection{setMemo: setMemo{n: n}, single: len(slots) == 1, inner: inner}
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
	single bool // whether there is one slot: then numbers are its values
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
	if c.single {
		out[0] = values
		return out[1:]
	}
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
