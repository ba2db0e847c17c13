package tree

import "ringcheck/internal/intern"

// MayLeadTo returns a function that reports, with few memory reads, whether a state may have a transition to the given
// one; it may return true although there is none. A transition changes slots of one group only. So the quarters in
// which two states differ are quarters with slots of one group. Many goroutines may call the function.
func (s *Store) MayLeadTo(target StateID) func(id StateID) bool {
	if !s.plain {
		return func(StateID) bool { return true }
	}
	var together [1 << 4]bool // by set of quarters: whether one group has slots in all of them
	for _, g := range s.source.groups {
		quarters := 0
		for _, slot := range g.Slots {
			quarters |= s.root.left.quarterOf(slot) | s.root.right.quarterOf(slot)<<2
		}
		for some := quarters; some > 0; some = (some - 1) & quarters {
			together[some] = true
		}
	}
	left, right := intern.Split(target)
	l, r := quartersOf(s.root.left, left), quartersOf(s.root.right, right)
	return func(id StateID) bool {
		first, second := intern.Split(id)
		changed := l.difference(first)
		if changed != 0 && !together[changed] {
			return false
		}
		return together[changed|r.difference(second)<<2]
	}
}

// quarterOf returns the quarter in which a slot is, as a set; 0 if it is not in the half n.
func (n *node) quarterOf(slot int) int {
	switch {
	case slot < n.first || slot >= n.end:
		return 0
	case n.leaf() || slot < n.left.end:
		return 1
	}
	return 2
}

// A halfState is a half of a state with its quarters. A half that is a leaf has one.
type halfState struct {
	node          *node
	number        uint32
	first, second uint32
}

func quartersOf(half *node, number uint32) (q halfState) {
	q.node, q.number = half, number
	if !half.leaf() {
		q.first, q.second = half.children(number)
	}
	return q
}

// difference returns the set of the quarters in which q differs from the half with a number.
func (q *halfState) difference(number uint32) (differ int) {
	if number == q.number {
		return 0
	}
	if q.node.leaf() {
		return 1
	}
	first, second := q.node.children(number)
	if first != q.first {
		differ = 1
	}
	if second != q.second {
		differ |= 2
	}
	return differ
}
