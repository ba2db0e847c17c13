package ltl

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// maxLetters bounds the letters that Suitable enumerates: all letters over 12 atoms.
const maxLetters = 1 << 12

// IsLimitDeterministic reports whether within components with an accepting cycle no letter has two edges to go on with.
// Multiplied with a Markov decision process such an automaton tells whether a scheduler can make it accept with
// positive probability: from some point on it does not guess any more (Courcoubetis and Yannakakis, J. ACM 42(4),
// 1995).
func (a *Automaton) IsLimitDeterministic() bool {
	component, accepting := a.Components(), a.Accepting()
	return a.deterministic(func(q int, e Edge) bool { return accepting[q] && component[e.To] == component[q] })
}

// IsDeterministic reports whether no letter has two edges to go on with.
func (a *Automaton) IsDeterministic() bool {
	return a.deterministic(func(int, Edge) bool { return true })
}

// deterministic reports whether no letter has two relevant edges from a node.
func (a *Automaton) deterministic(counts func(q int, e Edge) bool) bool {
	for q, edges := range a.Edges {
		for i, e := range edges {
			if counts(q, e) && slices.ContainsFunc(edges[:i], func(f Edge) bool {
				return counts(q, f) && !e.Guard.Disjoint(f.Guard)
			}) {
				return false
			}
		}
	}
	return true
}

// LimitDeterministic returns an equivalent automaton that IsLimitDeterministic: a itself if it is, else Suitable.
func (a *Automaton) LimitDeterministic() *Automaton {
	if a.IsLimitDeterministic() {
		return a
	}
	return a.Suitable()
}

// Suitable returns an equivalent automaton whose choices a scheduler of a Markov decision process can resolve as well
// as if it knew what chance will bring, so that the product also tells whether it can make the automaton accept with
// probability one: a itself if it is deterministic; nil if that takes more letters than are reasonable. It
// IsLimitDeterministic.
//
// Its first part is deterministic: the sets of states in which a can be. From there it can go over to a breakpoint, any
// subset of the current set. A breakpoint follows the successors of an accepting state, within its component, as a set,
// and records which of them have been reached by an edge of the acceptance set that it waits for. When all have, it
// waits for the next set, by an edge that is accepting (the breakpoint construction of Courcoubetis and Yannakakis,
// Sect. 3.2). A scheduler that is accepted with probability one comes again and again to where such a set accepts
// whatever chance brings: then it goes over (Hahn, Perez, Schewe, Somenzi, Trivedi and Wojtczak, Good-for-MDPs
// automata, TACAS 2020).
func (a *Automaton) Suitable() *Automaton {
	if a.IsDeterministic() {
		return a
	}
	letters := a.letters()
	if letters == nil || len(a.Edges) > 64 {
		return nil
	}
	l := &limit{a: a, numbers: make(map[string]int), component: a.Components()}
	for q, accepting := range a.Accepting() {
		if accepting {
			l.number(breakpoint{all: 1 << q})
		}
	}
	for i := 0; i < len(l.states); i++ {
		for _, letter := range letters {
			l.follow(i, l.states[i], letter)
		}
		l.number(breakpoint{all: l.states[i].all})
	}
	final := len(l.states)
	l.subsets(letters)
	if n := slices.Index(l.states, breakpoint{all: 1 << a.Initial}); n >= 0 {
		l.edges[final] = append(l.edges[final], l.edges[n]...) // it can be there from the beginning
		for i := range l.edges[final] {
			l.edges[final][i].Accept = 0
		}
	}
	result := &Automaton{Initial: final, Sets: 1, Edges: l.edges}
	result.prune()
	return result
}

// subsets appends the initial part, which is deterministic except for the time at which a run leaves it: the sets of
// nodes that words lead to from the initial node, beginning with the set of the empty word.
func (l *limit) subsets(letters []Cube) {
	final, sets := len(l.states), []uint64{1 << l.a.Initial}
	for i := 0; i < len(sets); i++ {
		l.edges = append(l.edges, nil)
		for _, letter := range letters {
			to := l.a.follow(sets[i], letter)
			if to == 0 {
				continue
			}
			at := slices.Index(sets, to)
			if at < 0 {
				at = len(sets)
				sets = append(sets, to)
			}
			l.edges[final+i] = append(l.edges[final+i], Edge{letter, final + at, 0})
			for n, b := range l.states {
				if b.done == 0 && b.set == 0 && b.all&^to == 0 {
					l.edges[final+i] = append(l.edges[final+i], Edge{letter, n, 0})
				}
			}
		}
	}
}

// follow returns the states to which some lead with a letter.
func (a *Automaton) follow(states uint64, letter Cube) uint64 {
	to := uint64(0)
	for rest := states; rest != 0; rest &= rest - 1 {
		for _, e := range a.Edges[bits.TrailingZeros64(rest)] {
			if letter.Within(e.Guard) {
				to |= 1 << e.To
			}
		}
	}
	return to
}

// letters returns all letters over the atoms that occur.
func (a *Automaton) letters() []Cube {
	atoms := uint64(0)
	for _, edges := range a.Edges {
		for _, e := range edges {
			atoms |= e.Guard.Yes | e.Guard.No
		}
	}
	if 1<<min(bits.OnesCount64(atoms), 32) > maxLetters {
		return nil
	}
	var all []Cube
	for yes := uint64(0); ; yes = (yes - atoms) & atoms { // the subsets of atoms
		all = append(all, Cube{yes, atoms &^ yes})
		if yes == atoms {
			return all
		}
	}
}

// A limit makes the automaton of Suitable.
type limit struct {
	a         *Automaton
	component []uint32
	edges     [][]Edge
	states    []breakpoint
	numbers   map[string]int
}

// A breakpoint is a set of states, its subset that has taken an edge of the current acceptance set, and the number of
// that acceptance set.
type breakpoint struct {
	all, done uint64
	set       int
}

// number returns the number of the state for b.
func (l *limit) number(b breakpoint) int {
	key := string(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, b.all), b.done), uint64(b.set)))
	n, ok := l.numbers[key]
	if !ok {
		n = len(l.states)
		l.numbers[key] = n
		l.states = append(l.states, b)
		l.edges = append(l.edges, nil)
	}
	return n
}

// follow adds the edge of state q, which is b, for a letter.
func (l *limit) follow(q int, b breakpoint, letter Cube) {
	to := breakpoint{set: b.set}
	for rest := b.all; rest != 0; rest &= rest - 1 {
		from := bits.TrailingZeros64(rest)
		for _, e := range l.a.Edges[from] {
			// A run that stays accepting stays in its component.
			if !letter.Within(e.Guard) || l.component[e.To] != l.component[from] {
				continue
			}
			to.all |= 1 << e.To
			if b.done>>from&1 == 1 || l.a.Sets == 0 || e.Accept>>b.set&1 == 1 {
				to.done |= 1 << e.To
			}
		}
	}
	if to.all == 0 {
		return
	}
	accept := uint32(0)
	if to.done == to.all {
		to.done, accept = 0, 1
		to.set = (b.set + 1) % max(1, l.a.Sets)
	}
	l.edges[q] = append(l.edges[q], Edge{letter, l.number(to), accept})
}

// reduce makes the automaton smaller without changing what it accepts.
func (a *Automaton) reduce() {
	a.prune()
	a.simulate()
	a.prune()
	a.dropSets()
}

// Components numbers the strongly connected components: if one leads to another, the other has the smaller number.
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
