package prove

import (
	"cmp"
	"fmt"
	"slices"
)

// A relationKind is a kind of relation between nodes. The first node is the process that it is about.
type relationKind int

const (
	atControl       relationKind = iota // the process is at a control
	stores                              // its variable stores the identity of a node
	inTransit                           // a message is in transit to it; with a history: it has sent the message
	twiceInTransit                      // two such messages are in transit to it, if messages are counted
	hasReceived                         // it has received a message
	sentBefore                          // it has sent a message, and not sent another one before
	isZero                              // it is process 0
	sees                                // a neighbour has a value of a register
	smallerIdentity                     // its identity is smaller than the identity of a node
	queueHead                           // process 0 has received all messages that were sent before a message
	lowerBound                          // its identity is at most the least that a variable of process 0 stores
	relationKinds
)

// numberRelations numbers the relations, kind by kind, for each control, variable or kind of message.
func (x *translation) numberRelations() {
	messages, past, sets, counted, zero := len(x.messageKinds), 0, 0, 0, 0
	if x.hasHistory {
		past = messages
	}
	if x.hasSets {
		sets = len(x.nodeVars)
	}
	if x.counts {
		counted = messages
	}
	if x.hasZero {
		zero = 1
	}
	counts := [relationKinds]int{
		atControl: len(x.controls), stores: len(x.nodeVars), inTransit: messages, twiceInTransit: counted,
		hasReceived: past, sentBefore: past, isZero: zero, sees: len(x.sights),
		smallerIdentity: 1, queueHead: past, lowerBound: sets,
	}
	for s, count := range counts {
		x.firstRelation[s+1] = x.firstRelation[s] + int32(count)
	}
}

// relation returns a relation of a kind; i is the number of the control, variable or kind of message.
func (x *translation) relation(s relationKind, i int) int32 { return x.firstRelation[s] + int32(i) }

// kindOf returns the kind of a relation, and the number of the control, variable or kind of message.
func (x *translation) kindOf(relation int32) (s relationKind, i int) {
	for relation >= x.firstRelation[s+1] {
		s++
	}
	return s, int(relation - x.firstRelation[s])
}

// relations returns the number of relations that patterns may use. Without identities there is no order.
func (x *translation) relations() int32 {
	if x.identity == "" {
		return x.firstRelation[smallerIdentity]
	}
	return x.firstRelation[queueHead]
}

// isExact reports whether the abstraction is exact for a relation, so that patterns may negate it.
func (x *translation) isExact(relation int32) bool {
	s, i := x.kindOf(relation)
	return s == isZero || x.hasHistory && (s == inTransit || s == hasReceived || s == sentBefore) ||
		s == stores && x.nodeVars[i].Set
}

// arity returns the number of nodes of a relation.
func (x *translation) arity(relation int32) int {
	switch s, i := x.kindOf(relation); s {
	case atControl, lowerBound, isZero, sees:
		return 1
	case stores, smallerIdentity:
		return 2
	case sentBefore:
		return 1 + 2*x.messageKinds[i].Nodes
	case queueHead:
		return x.messageKinds[i].Nodes
	default:
		return 1 + x.messageKinds[i].Nodes
	}
}

// eachAtom calls yield with the atoms of a relation over nodes 0 to n-1.
func (x *translation) eachAtom(relation int32, n int, yield func(atom)) {
	s, _ := x.kindOf(relation)
	eachList(n, x.arity(relation), func(list []int) {
		last := len(list) - 1
		if s != smallerIdentity && s != sentBefore || last < 1 || list[last-1] != list[last] {
			yield(newAtom(relation, list...))
		}
	})
}

// An atom is a relation of nodes, or its negation. It is about the first node.
type atom struct {
	relation int32
	nodes    [3]int8 // -1: not used
	absent   bool    // negated
}

func newAtom(relation int32, nodes ...int) atom {
	a := atom{relation: relation, nodes: [3]int8{-1, -1, -1}}
	for i, n := range nodes {
		a.nodes[i] = int8(n)
	}
	return a
}

func (a atom) compare(b atom) int {
	sign := 0
	if a.absent != b.absent {
		sign = 1
		if b.absent {
			sign = -1
		}
	}
	return cmp.Or(cmp.Compare(a.relation, b.relation), slices.Compare(a.nodes[:], b.nodes[:]), sign)
}

// negate returns the negation of an atom.
func (a atom) negate() atom {
	a.absent = !a.absent
	return a
}

// withNegations returns the atoms of a state, and the negations of all other atoms of exact relations, except for the
// variables of controls at which the process is not.
func (x *translation) withNegations(atoms []atom, n int) []atom {
	if !x.hasSets && !x.hasZero {
		return atoms
	}
	there := make(map[atom]bool)
	for _, a := range atoms {
		there[a] = true
	}
	for relation := range x.firstRelation[smallerIdentity] {
		if !x.isExact(relation) {
			continue
		}
		s, i := x.kindOf(relation)
		x.eachAtom(relation, n, func(a atom) {
			live := s != stores ||
				there[newAtom(x.relation(atControl, x.nodeVars[i].Control), int(a.nodes[0]))]
			if !there[a] && live {
				atoms = append(atoms, a.negate())
			}
		})
	}
	return atoms
}

// withNodes returns the atom with its nodes replaced.
func (a atom) withNodes(nodes []int) atom {
	for i, n := range a.nodes {
		if n >= 0 {
			a.nodes[i] = int8(nodes[n])
		}
	}
	return a
}

// A pattern is a conjunction of atoms over nodes 0, 1, … in this order around a ring. A proof shows that it never
// occurs.
type pattern struct {
	atoms []atom
	width int // the number of nodes
}

// withNodes returns the atoms of a pattern with its nodes replaced.
func (p pattern) withNodes(nodes []int) (atoms []atom) {
	for _, a := range p.atoms {
		atoms = append(atoms, a.withNodes(nodes))
	}
	return atoms
}

// canonical returns a pattern with a canonical numbering of its nodes.
func canonical(atoms []atom) pattern {
	used := []int{}
	for _, a := range atoms {
		for _, n := range a.nodes {
			if n >= 0 && !slices.Contains(used, int(n)) {
				used = append(used, int(n))
			}
		}
	}
	slices.Sort(used)
	var best []atom
	for shift := range used {
		number := make([]int, 3)
		for i, n := range used {
			number[n] = (i + shift) % len(used)
		}
		turned := pattern{atoms: atoms}.withNodes(number)
		slices.SortFunc(turned, atom.compare)
		if best == nil || slices.CompareFunc(turned, best, atom.compare) < 0 {
			best = turned
		}
	}
	return pattern{best, len(used)}
}

func (p pattern) key() string { return fmt.Sprint(p.atoms) }

// eachOrderedTuple calls yield with each tuple of width nodes that are in order around a ring of n.
func eachOrderedTuple(n, width int, yield func(nodes []int)) {
	eachList(n, width, func(nodes []int) {
		if inOrder(nodes, n) {
			yield(nodes)
		}
	})
}

// inOrder reports whether nodes are different and in this order around a ring of n.
func inOrder(nodes []int, n int) bool {
	last := 0
	for _, m := range nodes[1:] {
		d := (m - nodes[0] + n) % n
		if d <= last {
			return false
		}
		last = d
	}
	return true
}

// eachList calls yield with each list of numbers below n of a length, in lexicographic order.
func eachList(n, length int, yield func(list []int)) {
	list := make([]int, length)
	var choose func(i int)
	choose = func(i int) {
		if i == length {
			yield(list)
			return
		}
		for list[i] = 0; list[i] < n; list[i]++ {
			choose(i + 1)
		}
	}
	choose(0)
}
