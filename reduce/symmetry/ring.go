package symmetry

import (
	"slices"

	"ringcheck/model"
)

// A ring is the arrangement of a system's slots around a ring: the cell of each process has the same kinds of slot in
// the same order.
type ring struct {
	n         int        // processes
	width     int        // slots of a cell
	slots     [][]int    // by process and place in the cell
	positions []position // by slot
}

// A position is the position of a slot in the ring.
type position struct{ process, index int }

func newRing(sys model.System) (*ring, error) {
	slots := sys.Slots()
	r := &ring{positions: make([]position, len(slots))}
	for i, s := range slots {
		if s.Process < 0 {
			return nil, asymmetric("rotation", "a part of the state is shared by all processes: %s", s.Name)
		}
		for s.Process >= len(r.slots) {
			r.slots = append(r.slots, nil)
		}
		r.positions[i] = position{s.Process, len(r.slots[s.Process])}
		r.slots[s.Process] = append(r.slots[s.Process], i)
	}
	r.n = len(r.slots)
	if r.n == 0 {
		return nil, asymmetric("rotation", "there are no processes")
	}
	r.width = len(r.slots[0])
	kind := func(slot int) model.SlotKind { return slots[slot].Kind }
	for p := range r.slots {
		sameKinds := slices.EqualFunc(r.slots[0], r.slots[p], func(a, b int) bool { return kind(a) == kind(b) })
		if !sameKinds {
			return nil, asymmetric("rotation", "process %d does not have the same channels as process 0", p)
		}
	}
	return r, nil
}

// wrap returns the process p places from process 0, p below 2n.
func (r *ring) wrap(p int) int {
	if p >= r.n {
		return p - r.n
	}
	return p
}

// rotateSlot returns the slot that corresponds to slot in the cell of the process by places further.
func (r *ring) rotateSlot(slot, by int) int {
	p := r.positions[slot]
	return r.slots[(p.process+by)%r.n][p.index]
}

// flat returns the index of slot in the concatenation of the cells.
func (r *ring) flat(slot int) int { return r.positions[slot].process*r.width + r.positions[slot].index }

// A class consists of the rotations of one group of process 0.
type class struct {
	number  int      // among the classes of Next
	members []member // by process
	next    nextFunc
	// environment says that they are groups of the environment.
	environment bool
	table       table[classTransitions] // by the values of the slots
}

// A nextFunc gives transitions as model.System's Next does.
type nextFunc func(g int, in []model.Value, out *model.Successors) error

// A member is one group of a class.
type member struct {
	process, group int
	// The slots of a class are the slots of process 0's group in the order that rotation gives, which need not be
	// ascending; order[i] is the index of slot i among the group's slots.
	order   []int
	from    []int // flat indices of the slots
	updates []cellUpdate
}

// A cellUpdate says which values of a transition go to which slots of one cell.
type cellUpdate struct {
	process int   // the process of the cell
	values  []int // places in the transition's values
	index   []int // places in the cell
}

// classes divides groups, whose transitions next returns, into classes. The groups must come process by process, in
// corresponding order.
func (r *ring) classes(groups []model.Group, next nextFunc) ([]*class, error) {
	if len(groups)%r.n != 0 {
		return nil, asymmetric("rotation", "the processes do not have the same transition groups")
	}
	all := make([]*class, len(groups)/r.n)
	for j := range all {
		first := groups[j].Slots
		c := &class{next: next, environment: groups[j].Environment, table: newTable[classTransitions](len(first))}
		for p := range r.n {
			m, ok := r.member(p*len(all)+j, groups, first, p)
			if !ok || groups[m.group].Environment != c.environment {
				return nil, asymmetric("rotation", "the channels are not arranged symmetrically around the ring: "+
					"%q is not the rotation of %q", groups[m.group].Name, groups[j].Name)
			}
			c.members = append(c.members, m)
		}
		all[j] = c
	}
	return all, nil
}

// member returns group g as the rotation by some places of a group with the slots first.
func (r *ring) member(g int, groups []model.Group, first []int, by int) (member, bool) {
	m := member{process: by, group: g}
	if len(groups[g].Slots) != len(first) {
		return m, false
	}
	for i, slot := range first {
		to := r.rotateSlot(slot, by)
		at, ok := slices.BinarySearch(groups[g].Slots, to)
		if !ok {
			return m, false
		}
		m.order = append(m.order, at)
		m.from = append(m.from, r.flat(to))
		m.addUpdate(r.positions[to], i)
	}
	return m, true
}

// addUpdate records that value i of a transition goes to a position.
func (m *member) addUpdate(to position, i int) {
	k := slices.IndexFunc(m.updates, func(p cellUpdate) bool { return p.process == to.process })
	if k < 0 {
		k = len(m.updates)
		m.updates = append(m.updates, cellUpdate{process: to.process})
	}
	m.updates[k].values = append(m.updates[k].values, i)
	m.updates[k].index = append(m.updates[k].index, to.index)
}

// apply writes the values of a transition to the cell.
func (p *cellUpdate) apply(cell, values []model.Value) {
	for i, at := range p.index {
		cell[at] = values[p.values[i]]
	}
}
