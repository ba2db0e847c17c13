package ltl

import (
	"context"
	"slices"

	"ringcheck/graph"
	"ringcheck/internal/effort"
)

// reduce makes the automaton smaller without changing what it accepts.
func (a *Automaton) reduce() {
	a.prune()
	a.simulate()
	a.prune()
	a.dropSets()
}

// Components numbers the strongly connected components: one that another one leads to has the smaller number.
func (a *Automaton) Components() []uint32 {
	bound := &effort.Effort{Context: context.Background()}
	search := graph.NewSearch(bound, len(a.Edges), func(q, i uint32) (to, edge uint32, ok bool) {
		if int(i) == len(a.Edges[q]) {
			return 0, 0, false
		}
		return uint32(a.Edges[q][i].To), i, true
	})
	for q := range a.Edges {
		search.Visit(uint32(q))
	}
	component, _ := search.Components()
	return component
}

// Accepting returns which states are in a component with an accepting cycle.
func (a *Automaton) Accepting() []bool {
	component := a.Components()
	inside, seen := make([]bool, len(a.Edges)), make([]uint32, len(a.Edges))
	for q, edges := range a.Edges {
		for _, e := range edges {
			if c := component[q]; c == component[e.To] {
				inside[c] = true
				seen[c] |= e.Accept
			}
		}
	}
	accepting := make([]bool, len(a.Edges))
	for q, c := range component {
		accepting[q] = inside[c] && seen[c] == a.All()
	}
	return accepting
}

// prune leaves out what is not on the way from the initial state to an accepting cycle, and marks edges only where it
// matters: within components that have one.
func (a *Automaton) prune() {
	component, useful := a.Components(), a.Accepting()
	for changed := true; changed; {
		changed = false
		for q, edges := range a.Edges {
			if !useful[q] && slices.ContainsFunc(edges, func(e Edge) bool { return useful[e.To] }) {
				useful[q], changed = true, true
			}
		}
	}
	accepting := a.Accepting()
	for q := range a.Edges {
		a.Edges[q] = slices.DeleteFunc(a.Edges[q], func(e Edge) bool { return !useful[e.To] })
		for i := range a.Edges[q] {
			if e := &a.Edges[q][i]; component[q] != component[e.To] || !accepting[q] {
				e.Accept = 0
			}
		}
	}
	a.renumber()
}

// renumber keeps the states that can be reached, in the order in which they are.
func (a *Automaton) renumber() {
	number := map[int]int{a.Initial: 0}
	order := []int{a.Initial}
	for i := 0; i < len(order); i++ {
		for _, e := range a.Edges[order[i]] {
			if _, ok := number[e.To]; !ok {
				number[e.To] = len(order)
				order = append(order, e.To)
			}
		}
	}
	edges := make([][]Edge, len(order))
	for i, q := range order {
		edges[i] = slices.Clone(a.Edges[q])
		for j := range edges[i] {
			edges[i][j].To = number[edges[i][j].To]
		}
	}
	a.Initial, a.Edges = 0, edges
}

// simulate merges states that simulate one another and leaves out edges that another one simulates: one with all its
// letters, all its acceptance sets, and a target that simulates its target.
func (a *Automaton) simulate() {
	n := len(a.Edges)
	by := make([][]bool, n) // by[q][r]: r simulates q
	for q := range by {
		by[q] = slices.Repeat([]bool{true}, n)
	}
	better := func(e, f Edge) bool {
		return e.Guard.Within(f.Guard) && e.Accept&^f.Accept == 0 && by[e.To][f.To]
	}
	for changed := true; changed; {
		changed = false
		for q := range n {
			for r := range n {
				if !by[q][r] {
					continue
				}
				for _, e := range a.Edges[q] {
					if !slices.ContainsFunc(a.Edges[r], func(f Edge) bool { return better(e, f) }) {
						by[q][r], changed = false, true
						break
					}
				}
			}
		}
	}
	same := make([]int, n)
	for q := range n {
		for r := range n {
			if by[q][r] && by[r][q] {
				same[q] = r
				break
			}
		}
	}
	a.Initial = same[a.Initial]
	for q := range a.Edges {
		var kept []Edge
		for _, e := range a.Edges[q] {
			e.To = same[e.To]
			if !slices.ContainsFunc(kept, func(k Edge) bool { return better(e, k) }) {
				kept = append(slices.DeleteFunc(kept, func(k Edge) bool { return better(k, e) }), e)
			}
		}
		a.Edges[q] = kept
	}
	a.renumber()
}

// dropSets leaves out acceptance sets that contain another one, on the edges that matter.
func (a *Automaton) dropSets() {
	component, accepting := a.Components(), a.Accepting()
	every := func(is func(e Edge) bool) bool { // edge that matters
		for q, edges := range a.Edges {
			for _, e := range edges {
				if accepting[q] && component[q] == component[e.To] && !is(e) {
					return false
				}
			}
		}
		return true
	}
	for j := a.Sets - 1; j >= 0; j-- {
		superfluous := every(func(e Edge) bool { return e.Accept>>j&1 == 1 })
		for i := 0; i < a.Sets && !superfluous; i++ {
			superfluous = i != j && every(func(e Edge) bool { return e.Accept>>i&1 == 0 || e.Accept>>j&1 == 1 })
		}
		if superfluous && (a.Sets > 1 || a.acceptsAll()) {
			a.drop(j)
		}
	}
}

// acceptsAll reports whether every cycle is in an accepting component, so that it takes no acceptance set to tell.
func (a *Automaton) acceptsAll() bool {
	component, accepting := a.Components(), a.Accepting()
	for q, edges := range a.Edges {
		if !accepting[q] && slices.ContainsFunc(edges, func(e Edge) bool { return component[e.To] == component[q] }) {
			return false
		}
	}
	return true
}

func (a *Automaton) drop(set int) {
	low := uint32(1)<<set - 1
	for q := range a.Edges {
		for i := range a.Edges[q] {
			e := &a.Edges[q][i]
			e.Accept = e.Accept&low | e.Accept>>1&^low
		}
	}
	a.Sets--
}
