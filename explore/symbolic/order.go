package symbolic

import (
	"slices"

	"ringcheck/model"
)

// Order returns an order of the slots of sys in which groups are short where the diagram is wide: there are few slots
// between the highest and the lowest slot of a group. A level of a diagram represents the dependencies of the slots
// above on those below, and a transition rebuilds the levels between its slots.
//
// It begins with the slots depth first, which unrolls a ring, and sifts them: it moves one slot after the other to its
// best position (Rudell: Dynamic variable ordering for ordered binary decision diagrams, 1993, with a cost in place of
// the size of a diagram). Breadth first (Cuthill and McKee 1969), which folds a ring, was hardly ever better.
func Order(sys model.System) []int {
	o := newOrdering(len(sys.Slots()), sys.Groups())
	order := o.depthFirst()
	o.sift(order)
	return order
}

// An ordering looks for an order of slots.
type ordering struct {
	groups [][]int // the slots of the groups with more than one slot
	of     [][]int // by slot: the indices of its groups
	level  []int   // by slot, for cost
	work   int
}

func newOrdering(slots int, groups []model.Group) *ordering {
	o := &ordering{of: make([][]int, slots), level: make([]int, slots)}
	for _, g := range groups {
		if len(g.Slots) < 2 {
			continue
		}
		for _, s := range g.Slots {
			o.of[s] = append(o.of[s], len(o.groups))
		}
		o.groups = append(o.groups, g.Slots)
	}
	return o
}

// depthFirst returns the slots depth first, from slot 0. Slots with a common group are neighbours.
func (o *ordering) depthFirst() []int {
	seen := make([]bool, len(o.of))
	var order []int
	var visit func(slot int)
	visit = func(slot int) {
		if seen[slot] {
			return
		}
		seen[slot] = true
		order = append(order, slot)
		for _, g := range o.of[slot] {
			for _, neighbour := range o.groups[g] {
				visit(neighbour)
			}
		}
	}
	for slot := range o.of {
		visit(slot)
	}
	return order
}

// cost returns the sum over the groups of length times weight, which grows with the distance of the highest slot from
// the nearer end of the order. It is a weighted event span (Siminiceanu and Ciardo: New metrics for static variable
// ordering in decision diagrams, TACAS 2006); in theirs, groups that begin at the top weigh most. But a diagram is
// narrow at both ends, and a group that begins at the top is taken once, however long it is.
func (o *ordering) cost(order []int) int {
	for l, slot := range order {
		o.level[slot] = l
	}
	sum := 0
	for _, g := range o.groups {
		first, last := o.level[g[0]], o.level[g[0]]
		for _, slot := range g[1:] {
			first, last = min(first, o.level[slot]), max(last, o.level[slot])
		}
		sum += (last - first) * (len(order)/4 + min(first, len(order)-first))
	}
	o.work += len(o.groups)
	return sum
}

// Limits of sifting.
const (
	siftDistance = 64      // the maximum distance that a slot is moved at once
	siftWork     = 1 << 26 // the maximum number of groups that are measured: about a second
)

// sift moves slots one by one to the position of least cost, until that no longer lowers the cost.
func (o *ordering) sift(order []int) {
	for cost, before := o.cost(order), 0; cost != before; {
		before = cost
		for slot := range o.of {
			if o.work > siftWork {
				return
			}
			cost = o.siftSlot(order, slices.Index(order, slot), cost)
		}
	}
}

// siftSlot moves the slot at a level to the position of least cost and returns that cost.
func (o *ordering) siftSlot(order []int, from, cost int) int {
	at, best := from, from
	for to := max(0, from-siftDistance); to < min(len(order), from+siftDistance+1); to++ {
		move(order, at, to)
		at = to
		if c := o.cost(order); c < cost {
			cost, best = c, to
		}
	}
	move(order, at, best)
	return cost
}

// move moves an element from one index to another.
func move(list []int, from, to int) {
	x := list[from]
	if from < to {
		copy(list[from:to], list[from+1:to+1])
	} else {
		copy(list[to+1:from+1], list[to:from])
	}
	list[to] = x
}
