package prove

import (
	"cmp"
	"fmt"
	"slices"
)

// Relations between nodes have numbers: first the controls, then what holders hold, then the kinds of message in
// transit, then the order of identities.
func (x *translation) holderRelation(h int) int  { return len(x.controls) + h }
func (x *translation) transitRelation(t int) int { return len(x.controls) + len(x.holders) + t }
func (x *translation) orderRelation() int        { return x.transitRelation(len(x.transits)) }

// relations returns how many there are. Without identities there is no order.
func (x *translation) relations() int {
	if x.identity == "" {
		return x.orderRelation()
	}
	return x.orderRelation() + 1
}

// arity returns of how many nodes a relation speaks.
func (x *translation) arity(relation int) int {
	switch {
	case relation < len(x.controls):
		return 1
	case relation < x.transitRelation(0) || relation == x.orderRelation():
		return 2
	}
	return 1 + x.nodeFields(relation-x.transitRelation(0))
}

// tuples calls yield with the atoms of a relation over nodes 0 to n-1.
func (x *translation) tuples(relation, n int, yield func(atom)) {
	list := make([]int, x.arity(relation))
	var choose func(i int)
	choose = func(i int) {
		if i < len(list) {
			for list[i] = 0; list[i] < n; list[i]++ {
				choose(i + 1)
			}
		} else if relation != x.orderRelation() || list[0] != list[1] {
			yield(newAtom(relation, list...))
		}
	}
	choose(0)
}

// nodeFields returns how many fields of a kind of message hold nodes.
func (x *translation) nodeFields(m int) (count int) {
	for i := range x.transits[m].message.Fields {
		if x.kindOf(field{x.transits[m].message, i}) == nodes {
			count++
		}
	}
	return count
}

// An atom says that a relation holds of nodes. The first node of a message in transit is where it arrives.
type atom struct {
	relation int
	nodes    [3]int8 // -1: not used
}

func newAtom(relation int, nodes ...int) atom {
	a := atom{relation, [3]int8{-1, -1, -1}}
	for i, n := range nodes {
		a.nodes[i] = int8(n)
	}
	return a
}

func (a atom) compare(b atom) int {
	return cmp.Or(cmp.Compare(a.relation, b.relation), slices.Compare(a.nodes[:], b.nodes[:]))
}

// at returns the atom with other nodes.
func (a atom) at(nodes []int) atom {
	for i, n := range a.nodes {
		if n >= 0 {
			a.nodes[i] = int8(nodes[n])
		}
	}
	return a
}

// A pattern is atoms over nodes 0, 1, … that stand in this order around a ring. It never occurs in a state.
type pattern struct {
	atoms []atom
	width int // how many nodes
}

// canonical returns a pattern with its nodes numbered in one way of several.
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
		var turned []atom
		for _, a := range atoms {
			turned = append(turned, a.at(number))
		}
		slices.SortFunc(turned, atom.compare)
		if best == nil || slices.CompareFunc(turned, best, atom.compare) < 0 {
			best = turned
		}
	}
	return pattern{best, len(used)}
}

func (p pattern) key() string { return fmt.Sprint(p.atoms) }

// tuples calls yield with each way in which so many nodes stand in order around a ring of n.
func tuples(n, width int, yield func(nodes []int)) {
	nodes := make([]int, width)
	var choose func(k int)
	choose = func(k int) {
		if k == width {
			yield(nodes)
			return
		}
		for nodes[k] = 0; nodes[k] < n; nodes[k]++ {
			if inOrder(nodes[:k+1], n) {
				choose(k + 1)
			}
		}
	}
	choose(0)
}
