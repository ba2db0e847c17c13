package prove

import (
	"cmp"
	"fmt"
	"slices"
)

// A sort is a kind of relation between nodes.
type sort int

const (
	stands   sort = iota // a process is at a control
	holds                // what its variable holds
	comes                // a message comes to it; with a history: it has sent the message
	received             // it has received a message
	ahead                // it has sent a message, and before that it had not sent another one
	smaller              // its identity is smaller than that of another one
	head                 // all that was sent before this message has been received by process 0
	least                // its identity is not greater than any that a variable of process 0 holds
	sorts
)

// layout numbers the relations: sort by sort, for each control, variable or kind of message.
func (x *translation) layout() {
	counts := [sorts]int{stands: len(x.controls), holds: len(x.holders), comes: len(x.transits), smaller: 1}
	if x.history {
		counts[received], counts[ahead], counts[head] = len(x.transits), len(x.transits), len(x.transits)
	}
	if x.sets {
		counts[least] = len(x.holders)
	}
	for s, count := range counts {
		x.base[s+1] = x.base[s] + int32(count)
	}
}

// relation returns a relation of a sort; i is the number of the control, variable or kind of message.
func (x *translation) relation(s sort, i int) int32 { return x.base[s] + int32(i) }

// sort returns the sort of a relation, and the number of the control, variable or kind of message.
func (x *translation) sort(relation int32) (s sort, i int) {
	for relation >= x.base[s+1] {
		s++
	}
	return s, int(relation - x.base[s])
}

// relations returns the number of relations that patterns may use. Without identities there is no order.
func (x *translation) relations() int32 {
	if x.identity == "" {
		return x.base[smaller]
	}
	return x.base[head]
}

// exact reports whether a relation is known exactly, so that patterns may negate it.
func (x *translation) exact(relation int32) bool {
	s, i := x.sort(relation)
	return x.history && (s == comes || s == received || s == ahead) || s == holds && x.holders[i].Set
}

// arity returns the number of nodes of a relation.
func (x *translation) arity(relation int32) int {
	switch s, i := x.sort(relation); s {
	case stands, least:
		return 1
	case holds, smaller:
		return 2
	case ahead:
		return 1 + 2*x.transits[i].Nodes
	case head:
		return x.transits[i].Nodes
	default:
		return 1 + x.transits[i].Nodes
	}
}

// tuples calls yield with the atoms of a relation over nodes 0 to n-1.
func (x *translation) tuples(relation int32, n int, yield func(atom)) {
	s, _ := x.sort(relation)
	lists(n, x.arity(relation), func(list []int) {
		last := len(list) - 1
		if s != smaller && s != ahead || last < 1 || list[last-1] != list[last] {
			yield(newAtom(relation, list...))
		}
	})
}

// An atom is a relation of nodes, or its negation. It is about the first node.
type atom struct {
	relation int32
	nodes    [3]int8 // -1: not used
	absent   bool    // it does not hold
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

// not returns the negation.
func (a atom) not() atom {
	a.absent = !a.absent
	return a
}

// withNegations returns the given atoms of a state, and the negations of the others of relations that are known
// exactly, except for holders of controls at which the process is not.
func (x *translation) withNegations(atoms []atom, n int) []atom {
	if !x.sets {
		return atoms
	}
	there := make(map[atom]bool)
	for _, a := range atoms {
		there[a] = true
	}
	for relation := range x.base[smaller] {
		if !x.exact(relation) {
			continue
		}
		s, i := x.sort(relation)
		x.tuples(relation, n, func(a atom) {
			if !there[a] && (s != holds || there[newAtom(x.relation(stands, x.holders[i].Control), int(a.nodes[0]))]) {
				atoms = append(atoms, a.not())
			}
		})
	}
	return atoms
}

// at returns the atom with its nodes replaced.
func (a atom) at(nodes []int) atom {
	for i, n := range a.nodes {
		if n >= 0 {
			a.nodes[i] = int8(nodes[n])
		}
	}
	return a
}

// A pattern is atoms over nodes 0, 1, … in this order around a ring. It never occurs in a state.
type pattern struct {
	atoms []atom
	width int // how many nodes
}

// at returns the atoms of a pattern with its nodes replaced.
func (p pattern) at(nodes []int) (atoms []atom) {
	for _, a := range p.atoms {
		atoms = append(atoms, a.at(nodes))
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
		turned := pattern{atoms: atoms}.at(number)
		slices.SortFunc(turned, atom.compare)
		if best == nil || slices.CompareFunc(turned, best, atom.compare) < 0 {
			best = turned
		}
	}
	return pattern{best, len(used)}
}

func (p pattern) key() string { return fmt.Sprint(p.atoms) }

// tuples calls yield with each tuple of width nodes that are in order around a ring of n.
func tuples(n, width int, yield func(nodes []int)) {
	lists(n, width, func(nodes []int) {
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

// lists calls yield with each list of numbers below n of a length, in lexicographic order.
func lists(n, length int, yield func(list []int)) {
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
