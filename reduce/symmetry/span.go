package symmetry

import (
	"slices"
	"unsafe"

	"ringcheck/model"
)

// A span is a range of neighbouring cells relative to any process, with the classes of groups on them. It caches their
// transitions by the numbers of the cells.
type span struct {
	offsets []int // of the cells from the process, ascending
	classes []*class
	// environment says that all are groups of the environment; otherwise none is.
	environment bool
	// whole says that the span covers all cells. Then each state is met only once, and nothing is cached.
	whole bool
	table table[cellTransitions]
}

// bytes returns the memory that s and the tables of its classes hold.
func (s *span) bytes() int64 {
	n := s.table.bytes()
	for _, c := range s.classes {
		n += c.table.bytes()
	}
	return n
}

// cellTransitions are the transitions within the cells of a span.
type cellTransitions struct {
	list    []cellTransition
	ranges  []classRange  // of the transitions
	targets []model.Value // for each transition the cells afterwards
	choices uint32
}

// A cellTransition is a transition, for each of the n processes, without its target.
type cellTransition struct {
	steps  []model.Step // by process
	choice uint32       // added to the choice of the step
}

// newSpans groups classes by their cells, and separates classes of the environment from the others.
func newSpans(n int, classes []*class) []*span {
	var spans []*span
	for _, c := range classes {
		offsets := c.anchor(n)
		i := slices.IndexFunc(spans, func(s *span) bool {
			return slices.Equal(s.offsets, offsets) && s.environment == c.environment
		})
		if i < 0 {
			i = len(spans)
			whole := n > 1 && len(offsets) == n
			spans = append(spans, &span{
				offsets: offsets, environment: c.environment, whole: whole,
				table: newTable[cellTransitions](len(offsets)),
			})
		}
		spans[i].classes = append(spans[i].classes, c)
	}
	return spans
}

// anchor rotates the members so that members[p] has the cells p, p+1 and so on, or as near to that as possible, and
// returns their offsets from p.
func (c *class) anchor(n int) []int {
	var best []int
	first := 0
	for _, from := range c.members[0].updates {
		var offsets []int
		for _, p := range c.members[0].updates {
			offsets = append(offsets, (p.process-from.process+n)%n)
		}
		slices.Sort(offsets)
		if best == nil || slices.Compare(offsets, best) < 0 {
			best, first = offsets, from.process
		}
	}
	c.members = slices.Concat(c.members[(n-first)%n:], c.members[:(n-first)%n])
	return best
}

// lookUp finds the transitions of each span from each process in the state of x.
func (q *Quotient) lookUp(spans []*span, x *expansion) error {
	x.transitions = x.transitions[:0]
	for _, s := range spans {
		for p := range q.ring.n {
			l, err := q.spanTransitions(s, p, x)
			if err != nil {
				return err
			}
			x.transitions = append(x.transitions, l)
		}
	}
	return nil
}

// spanTransitions returns the transitions of span s from process p in the state of x.
func (q *Quotient) spanTransitions(s *span, p int, x *expansion) (*cellTransitions, error) {
	if s.whole {
		return q.computeSpan(s, p, x)
	}
	in := x.in[:len(s.offsets)]
	for i, o := range s.offsets {
		in[i] = x.cells[p+o]
	}
	n, key, ok := s.table.find(in)
	if !ok {
		l, err := q.computeSpan(s, p, x)
		if err != nil {
			return nil, err
		}
		bytes := cellTransitionBytes*len(l.list) + valueBytes*len(l.targets) + classRangeBytes*len(l.ranges)
		n = s.table.add(key, *l, bytes)
	}
	return s.table.at(n), nil
}

const (
	cellTransitionBytes = int(unsafe.Sizeof(cellTransition{}))
	classRangeBytes     = int(unsafe.Sizeof(classRange{}))
)

// computeSpan computes the transitions of span s from process p in the state of x.
func (q *Quotient) computeSpan(s *span, p int, x *expansion) (*cellTransitions, error) {
	l := &cellTransitions{}
	x.loadValues()
	for _, c := range s.classes {
		g := &c.members[p]
		m, err := q.classTransitions(c, p, x.groupValues(g))
		if err != nil {
			return nil, err
		}
		for i := range len(m.steps) / q.ring.n {
			l.list = append(l.list, cellTransition{m.steps[i*q.ring.n : (i+1)*q.ring.n], l.choices})
			for _, o := range s.offsets {
				l.targets = append(l.targets, x.targetCell(g, (p+o)%q.ring.n, m.values[i*len(g.order):]))
			}
		}
		if len(m.steps) > 0 {
			l.ranges = append(l.ranges, classRange{c.number, q.weigh(c, g, x.groupValues(g)), len(l.list)})
		}
		l.choices += m.choices
	}
	return l, nil
}

// An expansion is a state, as a vector of cells, that one goroutine is expanding.
type expansion struct {
	ring        *ring
	start       []model.Value // the state
	values      []model.Value // of all slots, cell after cell, if loaded
	in          []model.Value // of one group
	cell        []model.Value // of one cell
	necklace                  // the cells, as they are after a transition
	transitions []*cellTransitions
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

// setCells sets the state to a vector of cells.
func (x *expansion) setCells(cells []model.Value) {
	for p, n := range cells {
		x.start[p] = n
		x.put(p, n)
	}
}

// setState sets the state to a state of the other system.
func (x *expansion) setState(state []model.Value) {
	for p, slots := range x.ring.slots {
		for i, slot := range slots {
			x.cell[i] = state[slot]
		}
		x.put(p, x.table.number(x.cell))
	}
}

// loadValues fills in the values of all slots.
func (x *expansion) loadValues() {
	for p := range x.ring.n {
		copy(x.values[p*x.ring.width:], x.table.at(x.cells[p]).values)
	}
}

// groupValues returns the values of a group's slots.
func (x *expansion) groupValues(m *member) []model.Value {
	in := x.in[:len(m.from)]
	for i, at := range m.from {
		in[i] = x.values[at]
	}
	return in
}

// targetCell returns the cell of a process after a transition of group g to the given values.
func (x *expansion) targetCell(g *member, process int, values []model.Value) model.Value {
	copy(x.cell, x.values[process*x.ring.width:])
	for i := range g.updates {
		if g.updates[i].process == process {
			g.updates[i].apply(x.cell, values)
		}
	}
	return x.table.number(x.cell)
}

// addSpan adds the transitions l of span s from process p, with or without loops, which change nothing.
func (x *expansion) addSpan(s *span, p int, l *cellTransitions, choice uint32, out *model.Successors, loops bool) {
	for i := range l.list {
		if loops || x.changes(s, p, l, i) {
			x.addTransition(s, p, l, i, choice, out)
		}
	}
	if len(l.list) > 0 {
		x.reset(s, p)
	}
}

// changes reports whether transition i of l leads to another state of the other system.
func (x *expansion) changes(s *span, p int, l *cellTransitions, i int) bool {
	to := l.targets[i*len(s.offsets):]
	for k, o := range s.offsets {
		if to[k] != x.start[x.ring.wrap(p+o)] {
			return true
		}
	}
	return false
}

// addTransition adds transition i of l.
func (x *expansion) addTransition(s *span, p int, l *cellTransitions, i int, choice uint32, out *model.Successors) {
	to := l.targets[i*len(s.offsets):]
	for k, o := range s.offsets {
		x.put(x.ring.wrap(p+o), to[k])
	}
	step := l.list[i].steps[p]
	step.Choice += l.list[i].choice + choice
	x.representative(out.Add(step))
}

// reset restores the cells of span s from process p to the cells of the state.
func (x *expansion) reset(s *span, p int) {
	for _, o := range s.offsets {
		at := x.ring.wrap(p + o)
		x.put(at, x.start[at])
	}
}
