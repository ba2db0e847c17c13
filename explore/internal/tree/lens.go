package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A lens looks at some slots of a node: at the values they hold, as one number, and how to replace them.
type lens interface {
	// view returns the number of what the slots hold in the part with the given number.
	view(part uint32) uint32
	// load writes the values with a number to out, in slot order, and returns what is left of out.
	load(values uint32, out []model.Value) []model.Value
	// store numbers values and returns those that it did not need.
	store(values []model.Value) (uint32, []model.Value)
	// set returns the number of a part with its slots replaced by numbered values.
	set(part, values uint32) uint32
	bytes() int64
}

// An innerLens is a lens of an inner node.
type innerLens interface {
	lens
	// change is set, on the pair of the children's numbers.
	change(pair uint64, values uint32) uint64
}

// newLens returns a lens of n on slots, all of which n has.
func newLens(n *node, slots []int) lens {
	if n.leaf() {
		return leafLens{}
	}
	k, _ := slices.BinarySearch(slots, n.right.first)
	switch k {
	case len(slots):
		return &childLens{memo: memo{n: n}, isLeft: true, inner: newLens(n.left, slots)}
	case 0:
		return &childLens{memo: memo{n: n}, inner: newLens(n.right, slots)}
	}
	return &pairLens{memo: memo{n: n}, left: newLens(n.left, slots[:k]), right: newLens(n.right, slots[k:])}
}

// A leafLens looks at a leaf: its number is its value.
type leafLens struct{}

func (leafLens) view(part uint32) uint32                       { return part }
func (leafLens) set(_, values uint32) uint32                   { return values }
func (leafLens) bytes() int64                                  { return 0 }
func (leafLens) store(v []model.Value) (uint32, []model.Value) { return v[0], v[1:] }
func (leafLens) load(number uint32, out []model.Value) []model.Value {
	out[0] = number
	return out[1:]
}

// A memo remembers what set returned for the numbers of an inner node.
type memo struct {
	n     *node
	known intern.Map
}

func (m *memo) set(l innerLens, part, values uint32) uint32 {
	key := intern.Pair(part, values)
	if to, ok := m.known.Load(key); ok {
		return to
	}
	return m.known.LoadOrStore(key, m.n.number(l.change(m.n.pair(part), values)))
}

// A childLens looks at slots that are all on one side of an inner node.
type childLens struct {
	memo
	isLeft bool
	inner  lens
}

func (c *childLens) view(part uint32) uint32 {
	l, r := c.n.children(part)
	if c.isLeft {
		return c.inner.view(l)
	}
	return c.inner.view(r)
}

func (c *childLens) change(pair uint64, values uint32) uint64 {
	l, r := intern.Split(pair)
	if c.isLeft {
		return intern.Pair(c.inner.set(l, values), r)
	}
	return intern.Pair(l, c.inner.set(r, values))
}

func (c *childLens) set(part, values uint32) uint32 { return c.memo.set(c, part, values) }

func (c *childLens) load(values uint32, out []model.Value) []model.Value {
	return c.inner.load(values, out)
}

func (c *childLens) store(v []model.Value) (uint32, []model.Value) { return c.inner.store(v) }
func (c *childLens) bytes() int64                                  { return c.inner.bytes() + c.known.Bytes() }

// A pairLens looks at slots on both sides of an inner node and numbers the pairs of what they hold.
type pairLens struct {
	memo
	left, right lens
	values      intern.Pairs
}

func (p *pairLens) view(part uint32) uint32 {
	l, r := p.n.children(part)
	return p.values.Number(intern.Pair(p.left.view(l), p.right.view(r)))
}

func (p *pairLens) change(pair uint64, values uint32) uint64 {
	l, r := intern.Split(pair)
	vl, vr := intern.Split(p.values.At(values))
	return intern.Pair(p.left.set(l, vl), p.right.set(r, vr))
}

func (p *pairLens) set(part, values uint32) uint32 { return p.memo.set(p, part, values) }

func (p *pairLens) load(values uint32, out []model.Value) []model.Value {
	vl, vr := intern.Split(p.values.At(values))
	return p.right.load(vr, p.left.load(vl, out))
}

func (p *pairLens) store(v []model.Value) (uint32, []model.Value) {
	l, v := p.left.store(v)
	r, v := p.right.store(v)
	return p.values.Number(intern.Pair(l, r)), v
}

func (p *pairLens) bytes() int64 {
	return p.left.bytes() + p.right.bytes() + p.values.Bytes() + p.known.Bytes()
}
