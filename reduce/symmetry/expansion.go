package symmetry

import "ringcheck/model"

// An expansion is a state, as a vector of cells, that one goroutine is expanding.
type expansion struct {
	ring     *ring
	start    []model.Value // the state
	values   []model.Value // of all slots, cell after cell, if fetched
	in       []model.Value // of one group
	cell     []model.Value // of one cell
	necklace               // the cells, as they are after a transition
	found    []*cellTransitions
}

func newExpansion(q *Quotient) *expansion {
	r := q.ring
	return &expansion{
		ring:     r,
		start:    make([]model.Value, r.n),
		values:   make([]model.Value, r.n*r.width),
		in:       make([]model.Value, r.n*r.width),
		cell:     make([]model.Value, r.width),
		necklace: newNecklace(r.n, q.cells),
	}
}

// load sets the state to a vector of cells.
func (x *expansion) load(cells []model.Value) {
	for p, n := range cells {
		x.start[p] = n
		x.put(p, n)
	}
}

// encode sets the state to a state of the other system.
func (x *expansion) encode(state []model.Value) {
	for p, slots := range x.ring.slots {
		for i, slot := range slots {
			x.cell[i] = state[slot]
		}
		x.put(p, x.known.number(x.cell))
	}
}

// fetch fills in the values of all slots.
func (x *expansion) fetch() {
	for p := range x.ring.n {
		copy(x.values[p*x.ring.width:], x.known.at(x.cells[p]).values)
	}
}

// view returns the values of a group's slots.
func (x *expansion) view(m *member) []model.Value {
	in := x.in[:len(m.from)]
	for i, at := range m.from {
		in[i] = x.values[at]
	}
	return in
}

// target returns the cell of a process after a transition of group g to the given values.
func (x *expansion) target(g *member, process int, values []model.Value) model.Value {
	copy(x.cell, x.values[process*x.ring.width:])
	for i := range g.cells {
		if g.cells[i].process == process {
			g.cells[i].apply(x.cell, values)
		}
	}
	return x.known.number(x.cell)
}

// follow adds the transitions l of span s from process p, with or without those that change nothing.
func (x *expansion) follow(s *span, p int, l *cellTransitions, choice uint32, out *model.Successors, loops bool) {
	for i := range l.jumps {
		if loops || x.changes(s, p, l, i) {
			x.jump(s, p, l, i, choice, out)
		}
	}
	if len(l.jumps) > 0 {
		x.reset(s, p)
	}
}

// changes reports whether transition i of l leads to another state of the other system.
func (x *expansion) changes(s *span, p int, l *cellTransitions, i int) bool {
	to := l.to[i*len(s.offsets):]
	for k, o := range s.offsets {
		if to[k] != x.start[x.ring.around(p+o)] {
			return true
		}
	}
	return false
}

// jump adds transition i of l.
func (x *expansion) jump(s *span, p int, l *cellTransitions, i int, choice uint32, out *model.Successors) {
	to := l.to[i*len(s.offsets):]
	for k, o := range s.offsets {
		x.put(x.ring.around(p+o), to[k])
	}
	step := l.jumps[i].steps[p]
	step.Choice += l.jumps[i].choice + choice
	x.representative(out.Add(step))
}

// reset restores the cells of span s from process p to those of the state.
func (x *expansion) reset(s *span, p int) {
	for _, o := range s.offsets {
		at := x.ring.around(p + o)
		x.put(at, x.start[at])
	}
}
