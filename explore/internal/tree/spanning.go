package tree

import (
	"slices"
	"sync/atomic"

	"ringcheck/internal/intern"
)

// A spanningGroup is a group that spans both children of a node.
type spanningGroup struct {
	group       int
	slots       []int
	left, right side // of a tabulated group
	// table maps the projections of the two sides to nothing or to the Ref of a list: the number of transitions, then
	// for each the new projections of both sides and its tag.
	table  intern.Grid
	sample atomic.Int64 // the pairs in the table that isSampled holds for
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
func (n *node) span(group int, slots []int, guardSlot int) {
	g := &spanningGroup{group: group, slots: slots}
	size := n.end - n.first
	if len(slots) == size || len(slots) > 3 && 2*len(slots) > size {
		n.directGroups = append(n.directGroups, g)
		return
	}
	k, _ := slices.BinarySearch(slots, n.right.first)
	g.left, g.right = newSide(n.left, slots[:k]), newSide(n.right, slots[k:])
	n.left.addProjection(g.left.projection, slots[:k], newGuard(n.left, group, guardSlot))
	n.right.addProjection(g.right.projection, slots[k:], newGuard(n.right, group, guardSlot))
	n.tabulatedGroups = append(n.tabulatedGroups, g)
}

// addProjection adds a projection on some slots, with a guard.
func (n *node) addProjection(p projection, slots []int, g guard) {
	slot := -1
	if len(slots) == 1 {
		slot = slots[0]
	}
	n.projections, n.projectionSlots = append(n.projections, p), append(n.projectionSlots, slot)
	n.guards = append(n.guards, g)
}

// A guard tells by the value of a slot that a spanning group has no transitions: see model.Guarder.
type guard struct {
	group, slot int
	value       projection // on the slot; nil if there is no guard
}

// newGuard returns the guard of a group on a child of the node that it spans, if the slot that bars it is there.
func newGuard(child *node, group, slot int) guard {
	if slot < child.first || slot >= child.end {
		return guard{}
	}
	return guard{group, slot, newProjection(child, []int{slot})}
}

// barred takes the place of a projection if the guard of the spanning group bars it. A packed record has packedBarred
// instead.
const (
	barred       = all
	packedBarred = 0xffff
)

func (g *spanningGroup) bytes() int64 {
	return g.table.Bytes() + g.left.projection.bytes() + g.right.projection.bytes()
}

// A pair of projections in sixteen belongs to the sample by which a Store estimates how many pairs there are. Estimates
// begin with fewSampled pairs.
const (
	sampleBits = 4
	fewSampled = 1 << 10
)

// isSampled reports whether a pair belongs to the sample. Its hash is independent of the hash of the table.
func isSampled(left, right uint32) bool {
	return intern.Pair(left, right)*0xbf58476d1ce4e5b9>>(64-sampleBits) == 0
}

// rare reports whether most pairs of a tabulated group of n are met once: there are more than three of them for four
// expansions. Then a table saves little time and takes much memory. Pairs of the sample are tabulated anyway, so that
// the estimate stays right.
func (w *Worker) rare(n *node, g *spanningGroup) bool {
	sample := g.sample.Load()
	if sample < fewSampled || w.tabulates {
		return false
	}
	return 4*sample<<sampleBits > 3*n.expansions.Load()
}

// tabulate computes the transitions of a tabulated spanning group for the projections of its two sides.
func (w *Worker) tabulate(g *spanningGroup, left, right uint32) (intern.Ref, error) {
	g.right.projection.load(right, g.left.projection.load(left, w.in))
	if idler := w.source.idler; idler != nil && !g.table.HasPlace(left, right) &&
		idler.Idle(g.group, w.in[:len(g.slots)]) {
		return nothing, nil // a table of all these would take much memory
	}
	if isSampled(left, right) {
		g.sample.Add(1)
	}
	if err := w.askGroup(g.group); err != nil {
		return 0, err
	}
	if w.out.Len() == 0 {
		return g.table.LoadOrStore(left, right, nothing), nil
	}
	w.encoding = w.appendTransitions(append(w.encoding[:0], uint32(w.out.Len())), g)
	return g.table.LoadOrStore(left, right, w.arena.Add(w.encoding)), nil
}

// appendTransitions appends the transitions of a tabulated spanning group in the last answer of the system.
func (w *Worker) appendTransitions(list []uint32, g *spanningGroup) []uint32 {
	for i := range w.out.Len() {
		l, rest := g.left.projection.store(w.out.Values(i))
		r, _ := g.right.projection.store(rest)
		list = append(list, l, r, w.tagOf(g.group, i))
	}
	return list
}

// findSpanning sets m.spanning to the transitions of the tabulated spanning groups of n. Most groups have none, which
// Holds finds quickly.
func (w *Worker) findSpanning(n *node, m *moves) error {
	m.spanning, m.singles = m.spanning[:0], m.singles[:0]
	packed := m.left.encoding == nil && m.right.encoding == nil
	leftValues, rightValues := m.left.projections, m.right.projections
	for i, g := range n.tabulatedGroups {
		l, r := uint32(leftValues&0xffff), uint32(rightValues&0xffff)
		leftValues, rightValues = leftValues>>16, rightValues>>16
		if !packed {
			if l, r = m.left.projection(i), m.right.projection(i); l == barred || r == barred {
				continue
			}
		} else if l == packedBarred || r == packedBarred {
			continue
		}
		if g.table.Holds(l, r, nothing) {
			continue
		}
		list, err := w.spanningList(n, m, g, l, r)
		if err != nil {
			return err
		}
		if list != nil {
			m.spanning = append(m.spanning, spanningMoves{g, l, r, list})
		}
	}
	return nil
}

// spanningList returns the transitions of a tabulated spanning group of n, or nil if there are none. They may be in m.
func (w *Worker) spanningList(n *node, m *moves, g *spanningGroup, left, right uint32) ([]uint32, error) {
	ref, ok := g.table.Load(left, right)
	if !ok {
		var err error
		if w.rare(n, g) && !isSampled(left, right) {
			g.right.projection.load(right, g.left.projection.load(left, w.in))
			if err = w.askGroup(g.group); err != nil || w.out.Len() == 0 {
				return nil, err
			}
			first := len(m.singles)
			m.singles = w.appendTransitions(m.singles, g)
			return m.singles[first:], nil
		}
		if ref, err = w.tabulate(g, left, right); err != nil {
			return nil, err
		}
	}
	if ref == nothing {
		return nil, nil
	}
	data := w.Store.arena.At(ref)
	return data[1 : 1+3*data[0]], nil // another list may follow
}

// askWhole is askGroup for a direct spanning group of n, given a part, whose values are in w.state then.
func (w *Worker) askWhole(n *node, g *spanningGroup, h halves) error {
	if pair := intern.Pair(h.left, h.right); w.decodedNode != n || w.decodedPair != pair {
		n.left.decode(h.left, w.state)
		n.right.decode(h.right, w.state)
		w.decodedNode, w.decodedPair = n, pair
	}
	for i, s := range g.slots {
		w.in[i] = w.state[s]
	}
	return w.askGroup(g.group)
}

// expandDirect adds the successors of a part by a direct spanning group of n. If the group is asleep, it only counts
// them.
func (w *Worker) expandDirect(n *node, g *spanningGroup, h halves, asleep bool, x *successors) error {
	if err := w.askWhole(n, g, h); err != nil {
		return err
	}
	for i := range w.out.Len() {
		if !w.out.Step(i).Repeated {
			x.count++
		}
	}
	w.countWork(len(g.slots))
	if w.out.Len() == 0 || asleep {
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
				next[g.slots[j]-n.first] = v
			}
		}
		if x.large() {
			w.numberMissing(n, x)
		}
		w.countWork(len(next))
		l := x.leftValues.addChange(h.left, before[:split], next[:split], len(x.to))
		r := x.rightValues.addChange(h.right, before[split:], next[split:], len(x.to))
		x.add(intern.Pair(l, r), w.tagOf(g.group, i))
	}
	return nil
}

// leafMoves adds the values to which the groups of a leaf lead.
func (w *Worker) leafMoves(n *node, value uint32, x *successors) error {
	for _, g := range n.groups {
		w.in[0] = value
		if err := w.askGroup(g); err != nil {
			return err
		}
		for i := range w.out.Len() {
			v := value // for a group without slots
			if len(w.source.groups[g].Slots) == 1 {
				v = w.out.Values(i)[0]
			}
			x.add(uint64(v), w.tagOf(g, i))
		}
	}
	return nil
}
