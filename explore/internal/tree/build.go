package tree

import (
	"slices"

	"ringcheck/model"
)

// A builder shapes the tree for a system's groups.
type builder struct{ groups []model.Group }

// build returns the subtree for the slots from first up to end, in which the given groups lie.
func (b *builder) build(first, end int, groups []int) *node {
	if end-first == 1 {
		return &node{first: first, end: end, groups: groups, own: len(groups) > 0}
	}
	return b.inner(first, end, groups)
}

func (b *builder) inner(first, end int, groups []int) *node {
	n := &node{first: first, end: end, own: len(groups) > 0}
	mid := b.cut(first, end, groups)
	var left, right, both []int
	for _, g := range groups {
		switch {
		case b.above(g, mid):
			right = append(right, g)
		case b.below(g, mid):
			left = append(left, g)
		default:
			both = append(both, g)
		}
	}
	n.left, n.right = b.build(first, mid, left), b.build(mid, end, right)
	for _, g := range both {
		n.cross = append(n.cross, newCrossing(n, g, b.groups[g].Slots))
	}
	return n
}

// below and above report whether all slots of group g are below mid, or from mid on. A group without slots
// is below.
func (b *builder) below(g, mid int) bool {
	s := b.groups[g].Slots
	return len(s) == 0 || s[len(s)-1] < mid
}

func (b *builder) above(g, mid int) bool {
	s := b.groups[g].Slots
	return len(s) > 0 && s[0] >= mid
}

// cut chooses where to divide the slots from first up to end: within a sixth of the middle, where the fewest
// groups are cut, and as near to the middle as possible.
func (b *builder) cut(first, end int, groups []int) int {
	size := end - first
	best, bestCost := 0, [2]int{}
	for mid := first + 1; mid < end; mid++ {
		off := 2*mid - first - end // twice the distance from the middle
		off = max(off, -off)
		if 3*off > size && off > 1 {
			continue
		}
		cost := [2]int{b.cutAt(mid, groups), off}
		if best == 0 || slices.Compare(cost[:], bestCost[:]) < 0 {
			best, bestCost = mid, cost
		}
	}
	return best
}

func (b *builder) cutAt(mid int, groups []int) int {
	n := 0
	for _, g := range groups {
		if !b.below(g, mid) && !b.above(g, mid) {
			n++
		}
	}
	return n
}
