package ltl

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// maxLetters is how many letters LimitDeterministic goes through at most: those of 12 atoms.
const maxLetters = 1 << 12

// IsLimitDeterministic reports whether within components with an accepting cycle no letter has two edges to go on with.
// Multiplied with a Markov decision process such an automaton tells whether a scheduler can make it accept with
// positive probability: from some point on it does not guess any more (Courcoubetis and Yannakakis, J. ACM 42(4),
// 1995).
func (a *Automaton) IsLimitDeterministic() bool {
	component, accepting := a.Components(), a.Accepting()
	for q, edges := range a.Edges {
		inside := func(e Edge) bool { return accepting[q] && component[e.To] == component[q] }
		for i, e := range edges {
			for _, f := range edges[:i] {
				if inside(e) && inside(f) && !e.Guard.Disjoint(f.Guard) {
					return false
				}
			}
		}
	}
	return true
}

// LimitDeterministic returns an equivalent automaton that IsLimitDeterministic: a itself if it is; nil if that takes
// more letters than are reasonable.
//
// The states of a remain, without acceptance. From each state of an accepting component it can go over to the set of
// that state alone, of which the successors are followed as sets: which of them have been by an edge of the acceptance
// set that it waits for. When all have, it waits for the next set, by an edge that is accepting (the breakpoint
// construction of Courcoubetis and Yannakakis, Sect. 3.2).
func (a *Automaton) LimitDeterministic() *Automaton {
	if a.IsLimitDeterministic() {
		return a
	}
	letters := a.letters()
	if letters == nil || len(a.Edges) > 64 {
		return nil
	}
	l := &limit{a: a, first: len(a.Edges), numbers: make(map[string]int), component: a.Components()}
	for _, edges := range a.Edges {
		l.edges = append(l.edges, append([]Edge(nil), edges...))
	}
	n := len(a.Edges)
	accepting := a.Accepting()
	for q, edges := range a.Edges {
		for i, e := range edges {
			l.edges[q][i].Accept = 0
			if accepting[e.To] {
				l.edges[q] = append(l.edges[q], Edge{e.Guard, l.number(breakpoint{all: 1 << e.To}), 0})
			}
		}
	}
	start := -1
	if accepting[a.Initial] {
		start = l.number(breakpoint{all: 1 << a.Initial})
	}
	for i := 0; i < len(l.states); i++ {
		for _, letter := range letters {
			l.follow(n+i, l.states[i], letter)
		}
	}
	result := &Automaton{Initial: a.Initial, Sets: 1}
	if start >= 0 { // a state that begins like both
		result.Initial = len(l.edges)
		l.edges = append(l.edges, slices.Concat(l.edges[a.Initial], l.edges[start]))
	}
	result.Edges = l.edges
	result.prune()
	return result
}

// Suitable returns an equivalent automaton of which a scheduler of a Markov decision process can resolve the choices as
// well as if it knew what chance will bring, so that the product tells also whether it can make it accept with
// probability one; a itself if it is deterministic; nil if that takes more letters than are reasonable.
//
// Its first part is deterministic: the sets of states in which a can be. From there it can go over to any of those sets
// of LimitDeterministic that is a part of where a can be. What a scheduler stays in for ever, with probability one
// accepted, comes again and again to where such a set accepts whatever chance brings: then it goes over (Hahn, Perez,
// Schewe, Somenzi, Trivedi and Wojtczak, Good-for-MDPs automata, TACAS 2020).
func (a *Automaton) Suitable() *Automaton {
	if a.isDeterministic() {
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

// subsets appends the initial part, which is deterministic but for when it is left: the sets of nodes that words lead
// to from the initial node, that of no word first.
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

// isDeterministic reports whether no letter has two edges to go on with.
func (a *Automaton) isDeterministic() bool {
	for _, edges := range a.Edges {
		for i, e := range edges {
			if slices.ContainsFunc(edges[:i], func(f Edge) bool { return !e.Guard.Disjoint(f.Guard) }) {
				return false
			}
		}
	}
	return true
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

// A limit makes a limit-deterministic automaton.
type limit struct {
	a         *Automaton
	first     int // the number of the first of states
	component []uint32
	edges     [][]Edge
	states    []breakpoint
	numbers   map[string]int
}

// A breakpoint is a set of states, which of them have taken an edge of the acceptance set that is waited for, and which
// one that is.
type breakpoint struct {
	all, done uint64
	set       int
}

// number returns the number of the state for b, behind those that are there from the beginning.
func (l *limit) number(b breakpoint) int {
	key := string(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, b.all), b.done), uint64(b.set)))
	n, ok := l.numbers[key]
	if !ok {
		n = l.first + len(l.states)
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
