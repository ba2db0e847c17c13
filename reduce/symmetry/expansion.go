package symmetry

import "ringcheck/model"

// An expansion is a state, as a vector of cells, being expanded by one goroutine.
type expansion struct {
	ring   *ring
	known  *cells
	values []model.Value // of all slots, cell after cell
	in     []model.Value // of one group
	cell   []model.Value // of one cell
	// cells holds the cells, as they are after a transition, twice, one copy after the other: a rotation is a slice
	// of it.
	cells []model.Value
	ranks []uint64
}

func newExpansion(r *ring, c *cells) *expansion {
	return &expansion{
		ring:   r,
		known:  c,
		values: make([]model.Value, r.n*r.width),
		in:     make([]model.Value, r.n*r.width),
		cell:   make([]model.Value, r.width),
		cells:  make([]model.Value, 2*r.n),
		ranks:  make([]uint64, 2*r.n),
	}
}

// load makes a vector of cells the state.
func (x *expansion) load(cells []model.Value) {
	for p, n := range cells {
		c := x.known.at(n)
		copy(x.values[p*x.ring.width:], c.values)
		x.put(p, n, c.rank)
	}
}

// encode makes a state of the other system the state.
func (x *expansion) encode(state []model.Value) {
	for p, slots := range x.ring.slots {
		for i, slot := range slots {
			x.cell[i] = state[slot]
		}
		n := x.known.number(x.cell)
		copy(x.values[p*x.ring.width:], x.cell)
		x.put(p, n, x.known.at(n).rank)
	}
}

// put makes number n the cell of process p.
func (x *expansion) put(p int, n uint32, rank uint64) {
	x.cells[p], x.cells[p+x.ring.n] = n, n
	x.ranks[p], x.ranks[p+x.ring.n] = rank, rank
}

// view returns the values of a group's slots.
func (x *expansion) view(m *member) []model.Value {
	in := x.in[:len(m.from)]
	for i, at := range m.from {
		in[i] = x.values[at]
	}
	return in
}

// inner adds the transitions m of process p within its cell.
func (x *expansion) inner(m *own, p int, choice uint32, out *model.Successors) {
	number, rank := x.cells[p], x.ranks[p]
	for i, to := range m.to {
		x.put(p, to.number, to.rank)
		x.add(m.steps[i*x.ring.n+p], choice, out)
	}
	x.put(p, number, rank)
}

// outer adds the transitions m of the group g, which changes several cells of the state.
func (x *expansion) outer(m *moves, g *member, state []model.Value, choice uint32, out *model.Successors) {
	width := len(g.order)
	for i := range len(m.steps) / x.ring.n {
		for k := range g.cells {
			c := &g.cells[k]
			copy(x.cell, x.values[c.process*x.ring.width:])
			c.apply(x.cell, m.values[i*width:])
			n := x.known.number(x.cell)
			x.put(c.process, n, x.known.at(n).rank)
		}
		x.add(m.steps[i*x.ring.n+g.process], choice, out)
	}
	if len(m.steps) > 0 {
		for _, c := range g.cells {
			x.put(c.process, state[c.process], x.known.at(state[c.process]).rank)
		}
	}
}

// add adds a transition to the representative of the cells.
func (x *expansion) add(step model.Step, choice uint32, out *model.Successors) {
	step.Choice += choice
	x.representative(out.Add(step))
}
