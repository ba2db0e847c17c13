package tree

import (
	"slices"
	"sync/atomic"

	"ringcheck/model"
)

// A Sleep is a sleep set: a set of classes of groups whose transitions need not be generated from a state. Bit i
// represents class i.
type Sleep = uint64

// classes is the maximum number of classes.
const classes = 64

func has(s Sleep, class uint32) bool { return s>>class&1 != 0 }

// sleepClasses are the classes of the groups of a system, by which a breadth-first search omits transitions: sleep sets
// (P. Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996), adapted to
// breadth-first order.
//
// The groups are divided into ordered classes; two classes are independent if no group of one shares a slot with a
// group of the other. Let a state s of level d be found by a transition of class u from a state of level d-1. Then the
// transitions of every class t < u that is independent of u are asleep at s: they are counted, not generated. With
// several such u, all that any of them puts to sleep are asleep. Nothing is lost:
//
// Claim: every reachable state is found at its distance from the initial states. By induction over the distance. Let w
// have distance d+1, so that there is an s of distance d, found at level d, with a transition a of class t to w. If a
// is not asleep at s, w is found. If it is, it is so because of a transition b of class u > t, independent of t, from
// an r of level d-1 to s. The slots of a hold the same in r as in s, so a leads from r to some q. The slots of b hold
// the same in q as in r, so b leads from q to w. As w has distance d+1, q has distance d, and was found at level d. So
// w has a predecessor at level d by a transition of a class above t. The same argument applies to this transition, but
// only finitely often, because there are finitely many classes. So w has a predecessor from which it is generated.
//
// As every state is expanded at the same level as without sleep sets, and all its transitions are counted, states,
// transitions, terminal states, levels and errors of the system are the same.
//
// No transition of the environment is ever asleep, and its groups have separate classes, so that each state shows
// whether transitions other than the environment's are possible.
type sleepClasses struct {
	of          []uint32 // by group
	puts        []Sleep  // by class: the classes that it puts to sleep; empty for the last class, none
	left, right Sleep    // the classes of the groups within each half
	tags        *[1 << 12]atomic.Uint32
}

// none is a class without groups, above all classes of groups.
const none = classes

// environmentClasses are enough for the groups of the environment, if there are many.
const environmentClasses = classes / 4

// assign sets the class of the groups whose steps have a tag. The classes of tags are stored in tags, plus one; 0 means
// that no steps have the tag. A tag that is too large is in the class none. That is sound, because none never sleeps.
func (c *sleepClasses) assign(tag, class uint32) {
	if int(tag) < len(c.tags) && !c.tags[tag].CompareAndSwap(0, class+1) && c.tags[tag].Load() != class+1 {
		panic("tree: groups of two classes give one tag")
	}
}

// ofTag returns the class of the groups whose steps have a tag.
func (c *sleepClasses) ofTag(tag uint32) uint32 {
	if int(tag) >= len(c.tags) {
		return none
	}
	return c.tags[tag].Load() - 1
}

// sleeps reports whether some class puts another one to sleep.
func (c *sleepClasses) sleeps() bool {
	return slices.ContainsFunc(c.puts, func(s Sleep) bool { return s != 0 })
}

// newSleepClasses divides groups into classes. Groups that are expanded first have the highest classes: most states are
// found by one of them before they are found by a lower one.
func newSleepClasses(root *node, groups []model.Group) sleepClasses {
	var processes, others []int
	for _, g := range root.order(nil) {
		if groups[g].Environment {
			others = append(others, g)
		} else {
			processes = append(processes, g)
		}
	}
	s := sleepClasses{of: make([]uint32, len(groups)), tags: new([1 << 12]atomic.Uint32)}
	users := make([]Sleep, root.end) // by slot: the classes of its groups
	n := 0
	number := func(order []int, most int) {
		m := min(len(order), most)
		for i, g := range order {
			class := n + m - 1 - i*m/len(order)
			s.of[g] = uint32(class)
			for _, slot := range groups[g].Slots {
				users[slot] |= 1 << class
			}
		}
		n += m
	}
	number(processes, classes-min(len(others), environmentClasses))
	awake := n // the first class of the environment
	number(others, classes-n)
	for u := range n {
		shares := Sleep(0)
		for _, some := range users {
			if some>>u&1 != 0 {
				shares |= some
			}
		}
		s.puts = append(s.puts, (1<<min(u, awake)-1)&^shares)
	}
	for len(s.puts) <= none {
		s.puts = append(s.puts, 0)
	}
	for _, g := range root.left.order(nil) {
		s.left |= 1 << s.of[g]
	}
	for _, g := range root.right.order(nil) {
		s.right |= 1 << s.of[g]
	}
	return s
}

// order appends the groups within n in the order in which expand processes them.
func (n *node) order(groups []int) []int {
	if n.leaf() {
		return append(groups, n.groups...)
	}
	groups = n.right.order(n.left.order(groups))
	for _, c := range slices.Concat(n.tabulatedGroups, n.directGroups) {
		groups = append(groups, c.group)
	}
	return groups
}
