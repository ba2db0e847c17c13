package tree

import (
	"math"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A node is a subtree: the slots from first up to end. Their values together have a number: at a leaf the value of its
// slot, 0 if it is empty; an inner node numbers the pairs of its children's numbers from 0.
type node struct {
	id          int // in Store.nodes
	first, end  int
	left, right *node // nil for a leaf

	numberedBy  *node                // the node that numbers the pairs of this node; nil for itself
	members     *members             // of a half of an overlay
	numbers     intern.Numbering     // of pairs; inner nodes only
	half        bool                 // left or right half of the states
	recordLimit uint32               // the numbers below have records
	records     intern.Array[record] // below recordLimit; only where they have data, except in halves
	pairs       intern.Array[uint64] // the pairs of the numbers whose pairs are not in records
	long        *intern.Arena        // the data of records that are too long

	writtenValues   *intern.Values[model.Value] // of a leaf: its values in pairs that have been written
	groups          []int                       // the groups of a leaf
	tabulatedGroups []*spanningGroup            // of the groups that span both children
	directGroups    []*spanningGroup            // the other groups that span both children
	projections     []projection                // of the parent's tabulated groups on this node, in their order
	own             bool                        // whether some group lies within this subtree
	classes         Sleep                       // the classes of the groups within this subtree
}

func (n *node) leaf() bool { return n.left == nil }

// empty reports whether n is a leaf without a slot, which exists because an inner node has two children.
func (n *node) empty() bool { return n.first == n.end }

// recorded reports whether records of n have data about transitions.
func (n *node) recorded() bool { return n.own || len(n.projections) > 0 }

// all is the value of node.recordLimit for all numbers; it is not a number itself.
const all = math.MaxUint32

// number returns the number of a pair of an inner node.
func (n *node) number(pair uint64) uint32 {
	if n.numberedBy != nil {
		return n.numberedBy.number(pair)
	}
	if k, ok := n.numbers.Load(pair); ok {
		return k
	}
	return n.numbers.LoadOrCreate(pair, func(k uint32) {
		if n.paired(k) {
			n.records.At(k).pair = pair
		} else {
			*n.pairs.At(k) = pair
		}
	})
}

// paired reports whether the pair of a number is in its record. Nearly every half is expanded, and then its pair and
// its other data are read together. Many numbers of other nodes are never read again, so they get no records.
func (n *node) paired(number uint32) bool {
	return n.half && number < n.recordLimit && n.numberedBy == nil
}

func (n *node) pair(number uint32) uint64 {
	if n.numberedBy != nil {
		return n.numberedBy.pair(number)
	}
	if n.paired(number) {
		return n.records.At(number).pair
	}
	return *n.pairs.At(number)
}

// record returns the record of a number, or nil if it has none.
func (n *node) record(number uint32) *record {
	if number < n.recordLimit {
		return n.records.At(number)
	}
	return nil
}

// touch reads from the record of a number, or from its pair if it has none: see intern.NumberingView.Touch.
func (n *node) touch(number uint32, r *record) uint32 {
	switch {
	case r != nil:
		return r.head.Load()
	case n.leaf():
		return 0
	case n.members != nil:
		return n.members.touch(n, number)
	}
	return uint32(n.pair(number))
}

func (n *node) children(number uint32) (left, right uint32) { return intern.Split(n.pair(number)) }

// encode numbers the part of a state that belongs to n.
func (n *node) encode(state []model.Value) uint32 {
	if n.leaf() {
		if n.empty() {
			return 0
		}
		return state[n.first]
	}
	return n.number(intern.Pair(n.left.encode(state), n.right.encode(state)))
}

// decode writes the part of a state with the given number.
func (n *node) decode(number uint32, state []model.Value) {
	if n.leaf() {
		if !n.empty() {
			state[n.first] = number
		}
		return
	}
	l, r := n.children(number)
	n.left.decode(l, state)
	n.right.decode(r, state)
}

func (n *node) bytes() int64 {
	b := n.numbers.Bytes() + n.records.Bytes() + n.pairs.Bytes()
	if n.members != nil {
		b += n.members.entries.Bytes()
	}
	for _, c := range n.tabulatedGroups {
		b += c.bytes()
	}
	if !n.leaf() {
		b += n.left.bytes() + n.right.bytes()
	} else if n.writtenValues != nil {
		b += n.writtenValues.Bytes()
	}
	return b
}

// A builder shapes the tree for a system's groups, in time proportional to the slots of the system and of all groups,
// times the height of the tree.
type builder struct {
	groups []model.Group
	effort effort.Effort
	splits map[[2]int]int // where to divide the slots from first up to end, if that is given
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
	n.own = true
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
		return &node{first: first, end: end, groups: groups, own: len(groups) > 0}
	}
	return b.inner(first, end, groups, height)
}

func (b *builder) inner(first, end int, groups []int, height int) *node {
	n := &node{first: first, end: end, own: len(groups) > 0}
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
		n.span(g, b.groups[g].Slots)
	}
	return n
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
// fewest groups, and as near to the middle as possible. The right side of a single slot is empty.
func (b *builder) split(first, end int, groups []int) int {
	size := end - first
	if size < 2 {
		return end
	}
	if mid, given := b.splits[[2]int{first, end}]; given {
		return mid
	}
	counts := b.counts(first, end, groups)
	best, bestCost := 0, [2]int{}
	for mid := first + 1; mid < end; mid++ {
		off := 2*mid - first - end // twice the distance from the middle
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

// splitCounts returns, for each of the positions first, first+1 and so on, the number of groups that a cut there
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
