package ltl

import "slices"

// Union returns an automaton that accepts the words that some automaton of a list accepts, and the number in it of the
// first state of each, which are followed by the others. The atoms of an automaton are renumbered by its shift. If the
// initial states of all only wait, they are joined; they are not among the states of each then.
func Union(list []*Automaton, shifts []int) (u *Automaton, firsts []int) {
	u = &Automaton{Edges: make([][]Edge, 1)}
	waits := true
	for _, a := range list {
		u.Sets = max(u.Sets, a.Sets)
		waits = waits && a.OnlyWaits()
	}
	if waits {
		u.Edges[0] = []Edge{{}}
	}
	for i, a := range list {
		first := len(u.Edges)
		firsts = append(firsts, first)
		more := u.All() &^ a.All() // the sets that a does not have
		for q, edges := range a.Edges {
			edges = slices.Clone(edges)
			for j := range edges {
				e := &edges[j]
				e.Guard.Yes <<= shifts[i]
				e.Guard.No <<= shifts[i]
				e.To += first
				e.Accept |= more
			}
			switch {
			case q != a.Initial:
				u.Edges = append(u.Edges, edges)
				continue
			case waits:
				u.Edges = append(u.Edges, nil) // not reachable
				edges = slices.DeleteFunc(edges, func(e Edge) bool { return e.To == first+q })
			default:
				u.Edges = append(u.Edges, edges)
				edges = slices.Clone(edges)
			}
			for j := range edges {
				edges[j].Accept = 0
			}
			u.Edges[0] = append(u.Edges[0], edges...)
		}
	}
	return u, firsts
}

// OnlyWaits reports whether the automaton can stay in its initial state with every letter, is not accepting there, and
// never comes back.
func (a *Automaton) OnlyWaits() bool {
	loops := func(e Edge) bool { return e.To == a.Initial && e.Guard == Cube{} }
	if a.Accepting()[a.Initial] || !slices.ContainsFunc(a.Edges[a.Initial], loops) {
		return false
	}
	for q, edges := range a.Edges {
		if q != a.Initial && slices.ContainsFunc(edges, func(e Edge) bool { return e.To == a.Initial }) {
			return false
		}
	}
	return true
}
