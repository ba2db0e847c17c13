package symmetry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A Quotient is the quotient of another system by rotation. A state is a vector of n cells, see the package
// documentation. It implements model.Quotient and is safe for concurrent use.
//
// A transition of the quotient is a transition of the representative, so its label names the process that acts there.
// In other states of the orbit that process is rotated. The label has no slot, because the quotient has no slot for the
// channel.
type Quotient struct {
	model.System // the other system
	*Automorphisms
	ring         *ring
	spans        []*span // for Next, the environment's spans last
	processSpans int     // number of spans in all before the environment's
	sleep        reduction.RotatedSleep
	hashes       []contentHashes // by place in a cell
	confluent    []*span         // for Confluent; nil if the other system has no such method
	cells        *cells
	slots        []model.Slot
	spare        sync.Pool // of *expansion

	check   atomic.Pointer[func() error] // see Interrupt
	pending atomic.Int64                 // approximate size in bytes of the transitions found by running calls of Next
}

var (
	_ model.Quotient      = (*Quotient)(nil)
	_ model.Holder        = (*Quotient)(nil)
	_ model.Cells         = (*Quotient)(nil)
	_ Orbits              = (*Quotient)(nil)
	_ reduction.Necklace  = (*Quotient)(nil)
	_ model.Interruptible = (*Quotient)(nil)
)

// Rotation returns the quotient of sys by rotation. An error wraps ErrAsymmetric if rotation is not a symmetry, or is
// an error of the initial states.
//
// The slots of sys must belong to processes 0 to n-1. The slots of each process have the same kinds in the same order,
// equal values in corresponding slots mean the same, and the groups come process by process in corresponding order.
// Rotation checks all of this. Next computes transitions for all processes at once. If they differ, it returns a
// *model.Error.
//
// Rotation visits all initial states. There can be many; it returns the context's error if the context ends first.
func Rotation(ctx context.Context, sys model.System) (*Quotient, error) {
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	r, err := newRing(sys)
	if err != nil {
		return nil, err
	}
	classes, err := r.classes(sys.Groups(), sys.Next)
	if err != nil {
		return nil, err
	}
	q := &Quotient{System: sys, ring: r, spans: newSpans(r.n, classes)}
	q.Automorphisms = &Automorphisms{group: allRotations(r.n)}
	if c, ok := model.As[*compile.System](sys); ok {
		q.Automorphisms = RotationsOf(c.Protocol())
	}
	others := slices.DeleteFunc(slices.Clone(q.spans), func(s *span) bool { return !s.environment })
	q.processSpans = len(q.spans) - len(others)
	q.spans = append(slices.DeleteFunc(q.spans, func(s *span) bool { return s.environment }), others...)
	if c, ok := model.As[model.Confluent](sys); ok {
		if classes, err = r.classes(sys.Groups(), c.Confluent); err != nil {
			return nil, err
		}
		q.confluent = newSpans(r.n, classes)
	}
	q.sleep = newSleep(r.n, q.spans, sys.Groups())
	text := func(values []model.Value) string { return q.formatCell(0, values) }
	q.cells = &cells{newTable[cell](r.width), text, text}
	if c, ok := model.As[model.Codec](sys); ok {
		q.cells.exact = func(values []model.Value) string { return string(cellCodec{q, c}.appendCell(nil, values)) }
	}
	q.hashes = make([]contentHashes, r.width)
	q.spare.New = func() any { return newExpansion(q) }
	for p := range r.n {
		name := fmt.Sprintf("process %d and its incoming channels", p)
		q.slots = append(q.slots, model.Slot{Name: name, Process: p})
	}
	return q, q.checkInitial(ctx)
}

// Slots implements model.System: a slot for each cell.
func (q *Quotient) Slots() []model.Slot { return q.slots }

// Groups implements model.System: one group, since a transition can rotate the whole state, and one of the environment.
func (q *Quotient) Groups() []model.Group {
	slots := make([]int, q.ring.n)
	for i := range slots {
		slots[i] = i
	}
	groups := []model.Group{{Name: "all processes", Slots: slots}}
	if q.processSpans < len(q.spans) {
		groups = append(groups, model.Group{Name: "the environment", Slots: slots, Environment: true})
	}
	return groups
}

// Initial implements model.System. It may yield a state more than once.
func (q *Quotient) Initial(yield func(state []model.Value) bool) error {
	cells := make([]model.Value, q.ring.n)
	return q.System.Initial(func(state []model.Value) bool {
		q.Encode(state, cells)
		return yield(cells)
	})
}

// OrbitSize implements model.Quotient.
func (q *Quotient) OrbitSize(state []model.Value) uint64 {
	return uint64(period(state))
}

// Bytes implements model.Holder.
func (q *Quotient) Bytes() int64 {
	n := model.Bytes(q.System) + q.cells.bytes() + q.pending.Load()
	for _, s := range slices.Concat(q.spans, q.confluent) {
		n += s.bytes()
	}
	for i := range q.hashes {
		n += q.hashes[i].Bytes()
	}
	return n
}

// Beneath implements Orbits.
func (q *Quotient) Beneath() model.System { return q.System }

// Member implements Orbits.
func (q *Quotient) Member(state []model.Value) []model.Value {
	member := make([]model.Value, len(q.ring.positions))
	q.Decode(state, 0, member)
	return member
}

// Label implements model.System.
func (q *Quotient) Label(l model.Label) model.LabelInfo {
	info := q.System.Label(l)
	info.Slot = -1
	return info
}

// FormatSlot implements model.System: the slots of the cell, separated by blanks.
func (q *Quotient) FormatSlot(slot int, v model.Value) string {
	return q.formatCell(slot, q.cells.at(v).values)
}

func (q *Quotient) formatCell(process int, values []model.Value) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(q.System.FormatSlot(q.ring.slots[process][i], v))
	}
	return b.String()
}

// Cell implements model.Cells: the values of a process's slots and of the channels to it.
func (q *Quotient) Cell(v model.Value) []model.Value { return q.cells.at(v).values }

// Encode writes the representative of a state of the other system to cells.
func (q *Quotient) Encode(state, cells []model.Value) {
	x := q.spare.Get().(*expansion)
	defer q.spare.Put(x)
	x.setState(state)
	x.representative(cells)
}

// Decode writes the state of the other system for a vector of cells, rotated by some places, to state.
func (q *Quotient) Decode(cells []model.Value, by int, state []model.Value) {
	for p, n := range cells {
		for i, v := range q.cells.at(n).values {
			state[q.ring.slots[(p+by)%q.ring.n][i]] = v
		}
	}
}

// Next implements model.System. The transitions are in the order of the representative's processes.
func (q *Quotient) Next(g int, in []model.Value, out *model.Successors) error {
	if g > 0 {
		return q.addTransitions(q.spans[q.processSpans:], in, out, true)
	}
	return q.addTransitions(q.spans[:q.processSpans], in, out, true)
}

// Confluent implements model.Confluent. It adds the confluent transitions that Next adds to out, and none if the other
// system does not implement model.Confluent. Diamonds that close in that system also close in the quotient, so package
// representative can reduce it. It omits transitions back to the same state of that system, since confluence does not
// depend on them; it keeps transitions to another state of its orbit.
func (q *Quotient) Confluent(_ int, in []model.Value, out *model.Successors) error {
	return q.addTransitions(q.confluent, in, out, false)
}

// addTransitions adds the transitions of spans, with or without loops, which change nothing.
func (q *Quotient) addTransitions(spans []*span, in []model.Value, out *model.Successors, loops bool) error {
	x := q.spare.Get().(*expansion)
	defer q.spare.Put(x)
	x.setCells(in)
	// All lookups come first, so that the memory reads overlap.
	if err := q.lookUp(spans, x); err != nil {
		return err
	}
	choice := uint32(0)
	pending := 0 // number of values in out that q.pending includes
	var err error
	for i, l := range x.transitions {
		x.addSpan(spans[i/q.ring.n], i%q.ring.n, l, choice, out, loops)
		choice += l.choices
		if values := q.ring.n * out.Len(); values-pending >= valuesPerCheck {
			q.pending.Add(int64(valueBytes * (values - pending)))
			pending = values
			if err = q.checkInterrupt(); err != nil {
				break
			}
		}
	}
	if pending > 0 {
		q.pending.Add(-int64(valueBytes * pending))
	}
	return err
}

const valuesPerCheck = 1 << 16 // are found in a millisecond or so

func (q *Quotient) checkInterrupt() error {
	if check := q.check.Load(); check != nil {
		return (*check)()
	}
	return nil
}

// Interrupt implements model.Interruptible, since a state of a large ring can have a million transitions.
func (q *Quotient) Interrupt(check func() error) {
	if i, ok := model.As[model.Interruptible](q.System); ok {
		i.Interrupt(check)
	}
	if check == nil {
		q.check.Store(nil)
		return
	}
	q.check.Store(&check)
}

// An orbit records which rotations of a representative are initial states.
type orbit struct {
	cells   []model.Value
	initial []bool
}

// checkInitial returns an error unless every rotation of every initial state is an initial state.
func (q *Quotient) checkInitial(ctx context.Context) error {
	orbits := newTable[orbit](q.ring.n)
	x := newExpansion(q)
	err := q.System.Initial(func(state []model.Value) bool {
		x.setState(state)
		start := x.leastRotation()
		cells := x.cells[start : start+q.ring.n]
		n, key, ok := orbits.find(cells)
		if !ok {
			n = orbits.add(key, orbit{slices.Clone(cells), make([]bool, period(cells))}, 0)
		}
		met := orbits.at(n).initial
		met[start%len(met)] = true
		return ctx.Err() == nil
	})
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return fmt.Errorf("compare the initial states: %w", err)
	}
	for i := range orbits.count {
		if o := orbits.at(i); slices.Contains(o.initial, false) {
			return asymmetric("rotation", "(%s) is an initial state, but not every rotation of it is one",
				q.formatOrbit(o))
		}
	}
	return nil
}

// formatOrbit returns an initial state of o.
func (q *Quotient) formatOrbit(o *orbit) string {
	n := len(o.cells)
	start := slices.Index(o.initial, true)
	var parts []string
	for p := range n {
		first := q.cells.at(o.cells[(p+n-start)%n]).values[0]
		parts = append(parts, fmt.Sprintf("%d: %s", p, q.System.FormatSlot(q.ring.slots[0][0], first)))
	}
	return strings.Join(parts, ", ")
}
