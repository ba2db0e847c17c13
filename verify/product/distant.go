package product

import (
	"context"
	"errors"
	"math/bits"

	"ringcheck/explore"
	"ringcheck/model/ltl"
)

// maxTogether is the maximum number of states of an automaton for several searches. Each takes some bits for each state
// of the system.
const maxTogether = 12

// EachDistant calls found with the outcome of Distant for each of some searches, by its index, until it returns an
// error. The searches have the same System, Actions and Chances, and no Surely.
//
// A sweep takes most of its time to find the successors of the states. So one elimination serves several searches: in
// the product with the union of their automata, whose parts are disjoint. A search has no lasso if no node of its part
// is left; others are repeated alone. Strong fairness is decided by components, which takes memory for the nodes of
// each part, so searches with it are not joined.
func EachDistant(ctx context.Context, searches []*Search, found func(i int, l *Lasso, err error) error) error {
	for _, batch := range batches(searches) {
		var none []bool
		if len(batch) > 1 {
			var err error
			none, err = lackLassos(ctx, searches, batch)
			if err != nil && !errors.Is(err, explore.ErrMemory) && !errors.Is(err, ErrTooLarge) {
				return err
			}
		}
		for k, i := range batch {
			var l *Lasso
			var err error
			if none == nil || !none[k] {
				l, err = searches[i].Distant(ctx)
			}
			if err := found(i, l, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// batches divides searches into those that are joined, by their indices. The automata of a batch are small together,
// and all or none of them wait in their initial states.
func batches(searches []*Search) (list [][]int) {
	var sizes, atoms []int // by batch
	for i, s := range searches {
		size, n := len(s.Automaton.Edges), s.atoms()
		at := -1
		for b, batch := range list {
			same := searches[batch[0]].Automaton.OnlyWaits() == s.Automaton.OnlyWaits()
			if same && sizes[b]+size <= maxTogether && atoms[b]+n <= ltl.MaxAtoms && !s.hasStrong() {
				at = b
				break
			}
		}
		if at < 0 {
			list, sizes, atoms = append(list, []int{i}), append(sizes, size), append(atoms, n)
			continue
		}
		list[at] = append(list[at], i)
		sizes[at] += size
		atoms[at] += n
	}
	return list
}

// hasStrong reports whether runs must be strongly fair to some action.
func (s *Search) hasStrong() bool {
	for _, a := range s.Actions {
		if a.Strong {
			return true
		}
	}
	return false
}

// atoms returns a number above all atoms of a search.
func (s *Search) atoms() int {
	all := uint64(0)
	for _, letter := range s.Letters {
		all |= letter
	}
	for _, k := range s.System.Kinds() {
		all |= s.Events(k)
	}
	for _, edges := range s.Automaton.Edges {
		for _, e := range edges {
			all |= e.Guard.Yes | e.Guard.No
		}
	}
	for _, a := range s.Actions {
		if a.At >= 0 {
			all |= 1 << a.At
		}
	}
	return bits.Len64(all)
}

// lackLassos reports for each search of a batch whether it has no lasso; false decides nothing.
func lackLassos(ctx context.Context, searches []*Search, batch []int) ([]bool, error) {
	first := searches[batch[0]]
	joint := &Search{
		System: first.System, Letters: make([]uint64, len(first.Letters)), Actions: first.Actions,
		Chances: first.Chances,
	}
	var automata []*ltl.Automaton
	var shifts []int
	atoms := 0
	for _, i := range batch {
		s := searches[i]
		for class, letter := range s.Letters {
			joint.Letters[class] |= letter << atoms
		}
		automata, shifts = append(automata, s.Automaton), append(shifts, atoms)
		atoms += s.atoms()
	}
	joint.Events = func(k Kind) (letter uint64) {
		for j, i := range batch {
			letter |= searches[i].Events(k) << shifts[j]
		}
		return letter
	}
	var firsts []int
	joint.Automaton, firsts = ltl.Union(automata, shifts)
	m, err := joint.multiply(ctx)
	if err != nil {
		return nil, err
	}
	none := make([]bool, len(batch))
	some, err := m.eliminate()
	for j := range none {
		none[j] = err == nil
		for q := firsts[j]; some && q < firsts[j]+len(automata[j].Edges); q++ {
			none[j] = none[j] && (m.alive[q] == nil || m.alive[q].Empty())
		}
	}
	return none, err
}
