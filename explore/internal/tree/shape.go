package tree

import (
	"context"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model"
)

// A builder shapes the tree for a system's groups, in time proportional to the slots of the system and of all groups,
// times the height of the tree.
type builder struct {
	groups  []model.Group
	effort  effort.Effort
	guarder model.Guarder  // nil if no group has a guard
	splits  map[[2]int]int // where to divide the slots from first up to end, if that is given
	used    []int          // by position: the number of slots below it that some group has
}

// newBuilder returns a builder for groups over the given number of slots.
func newBuilder(ctx context.Context, groups []model.Group, width int, splits map[[2]int]int) *builder {
	b := &builder{groups: groups, effort: effort.Effort{Context: ctx}, splits: splits, used: make([]int, width+1)}
	for _, g := range groups {
		for _, slot := range g.Slots {
			b.effort.Tick()
			b.used[slot+1] = 1
		}
	}
	for i := range width {
		b.used[i+1] += b.used[i]
	}
	return b
}

// manyGroups is the number of groups from which on all are direct spanning groups of the root: their projections of a
// part of a state would take more memory than the part, and most groups have no transitions.
const manyGroups = 1 << 16

// root returns the tree for the given number of slots, in which no leaf is closer to the root than height.
func (b *builder) root(width, height int) *node {
	every := make([]int, len(b.groups))
	for g := range every {
		every[g] = g
	}
	if len(every) < manyGroups {
		return b.inner(0, width, every, height)
	}
	n := b.inner(0, width, nil, height)
	n.hasGroups = true
	for _, g := range every {
		b.effort.Tick()
		n.directGroups = append(n.directGroups, &spanningGroup{group: g, slots: b.groups[g].Slots})
	}
	return n
}

// build returns the subtree for the slots from first up to end, in which the given groups lie.
func (b *builder) build(first, end int, groups []int, height int) *node {
	b.effort.Tick()
	if end-first < 2 && height <= 0 {
		return &node{first: first, end: end, groups: groups, hasGroups: len(groups) > 0}
	}
	return b.inner(first, end, groups, height)
}

func (b *builder) inner(first, end int, groups []int, height int) *node {
	n := &node{first: first, end: end, hasGroups: len(groups) > 0}
	mid := b.split(first, end, groups)
	var left, right, both []int
	for _, g := range groups {
		switch {
		case b.isAbove(g, mid):
			right = append(right, g)
		case b.isBelow(g, mid):
			left = append(left, g)
		default:
			both = append(both, g)
		}
	}
	n.left, n.right = b.build(first, mid, left, height-1), b.build(mid, end, right, height-1)
	for _, g := range both {
		b.effort.Tick()
		n.span(g, b.groups[g].Slots, b.guard(g))
	}
	return n
}

// guard returns the slot that can bar group g, or -1.
func (b *builder) guard(g int) int {
	if b.guarder != nil {
		if i := b.guarder.Guard(g); i >= 0 {
			return b.groups[g].Slots[i]
		}
	}
	return -1
}

// isBelow and isAbove report whether all slots of group g are below mid, or from mid on. A group without slots is
// below.
func (b *builder) isBelow(g, mid int) bool {
	s := b.groups[g].Slots
	return len(s) == 0 || s[len(s)-1] < mid
}

func (b *builder) isAbove(g, mid int) bool {
	s := b.groups[g].Slots
	return len(s) > 0 && s[0] >= mid
}

// split chooses where to divide the slots from first up to end: within a sixth of the middle, where it splits the
// fewest groups, and as near to the middle as possible. Only slots that some group has count, if there are any, since
// the others never change. The right side of a single slot is empty.
func (b *builder) split(first, end int, groups []int) int {
	size := end - first
	if size < 2 {
		return end
	}
	if mid, given := b.splits[[2]int{first, end}]; given {
		return mid
	}
	place := func(i int) int { return b.used[i] }
	if size = place(end) - place(first); size == 0 {
		place = func(i int) int { return i }
		size = end - first
	}
	counts := b.counts(first, end, groups)
	best, bestCost := 0, [2]int{}
	for mid := first + 1; mid < end; mid++ {
		off := 2*place(mid) - place(first) - place(end) // twice the distance from the middle
		off = max(off, -off)
		if 3*off > size && off > 1 {
			continue
		}
		cost := [2]int{counts[mid-first], off}
		if best == 0 || slices.Compare(cost[:], bestCost[:]) < 0 {
			best, bestCost = mid, cost
		}
	}
	return best
}

// counts returns, for each of the positions first, first+1 and so on, the number of groups that a cut there
// splits.
func (b *builder) counts(first, end int, groups []int) []int {
	counts := make([]int, end-first+1) // first the differences between successive positions
	for _, g := range groups {
		b.effort.Tick()
		if s := b.groups[g].Slots; len(s) > 0 {
			counts[s[0]+1-first]++
			counts[s[len(s)-1]+1-first]--
		}
	}
	for i := range end - first {
		counts[i+1] += counts[i]
	}
	return counts
}
