package ltl_test

import (
	"math/rand/v2"
	"testing"

	. "ringcheck/model/ltl"
)

// random returns a formula with about size operators over n atoms.
func random(r *rand.Rand, size, n int) *Formula {
	if size <= 0 {
		return []*Formula{Atom(r.IntN(n)), Not(Atom(r.IntN(n))), True, False, Atom(r.IntN(n))}[r.IntN(5)]
	}
	f := random(r, size-1-r.IntN(2), n)
	g := func() *Formula { return random(r, size/2, n) }
	switch r.IntN(9) {
	case 0:
		return Not(f)
	case 1:
		return And(f, g())
	case 2:
		return Or(f, g())
	case 3:
		return Next(f)
	case 4:
		return Until(f, g())
	case 5:
		return Release(g(), f)
	case 6:
		return Eventually(f)
	case 7:
		return WeakUntil(f, g())
	}
	return Always(f)
}

// lasso returns a random word.
func lasso(r *rand.Rand, n int) (stem, cycle []uint64) {
	letters := func(k int) (w []uint64) {
		for range k {
			w = append(w, r.Uint64N(1<<n))
		}
		return w
	}
	return letters(r.IntN(4)), letters(1 + r.IntN(4))
}

// accepts decides whether a accepts a lasso, in an obvious way: it keeps the pairs of a state and a position from
// which, for every acceptance set, some path takes an edge of the set and leads to such a pair again.
func accepts(a *Automaton, stem, cycle []uint64) bool {
	word := append(append([]uint64(nil), stem...), cycle...)
	type node struct{ q, i int }
	next := func(n node) (edges []Edge, i int) {
		for _, e := range a.Edges[n.q] {
			if e.Guard.Has(word[n.i]) {
				edges = append(edges, e)
			}
		}
		if i = n.i + 1; i == len(word) {
			i = len(stem)
		}
		return edges, i
	}
	good := map[node]bool{}
	for q := range a.Edges {
		for i := range word {
			good[node{q, i}] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for set := range max(1, a.Sets) {
			reach := map[node]bool{} // can come to an edge of the set with a good target, through good pairs
			for grown := true; grown; {
				grown = false
				for n := range good {
					edges, i := next(n)
					for _, e := range edges {
						to := node{e.To, i}
						if !reach[n] && good[to] && (reach[to] || a.Sets == 0 || e.Accept>>set&1 == 1) {
							reach[n], grown = true, true
						}
					}
				}
			}
			for n := range good {
				if !reach[n] {
					delete(good, n)
					changed = true
				}
			}
		}
	}
	return good[node{a.Initial, 0}]
}

// TestTranslate compares automata with the definition, of formulas and of what is made of the automata.
func TestTranslate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	states, limited := 0, 0
	for range 1500 {
		f := random(r, 2+r.IntN(6), 3)
		a := Translate(f)
		if a == nil {
			t.Fatalf("%v: no automaton", f)
		}
		states += len(a.Edges)
		l := a
		if len(a.Edges) <= 12 {
			if l = a.LimitDeterministic(); l == nil || !l.IsLimitDeterministic() {
				t.Fatalf("%v: not limit-deterministic", f)
			}
		}
		if l != a {
			limited++
		}
		var suitable *Automaton
		if len(a.Edges) <= 6 {
			suitable = a.Suitable()
		}
		for range 12 {
			stem, cycle := lasso(r, 3)
			want := f.Holds(stem, cycle)
			if Not(f).Holds(stem, cycle) == want {
				t.Fatalf("%v and %v have the same value", f, Not(f))
			}
			if got := accepts(a, stem, cycle); got != want {
				t.Fatalf("%v of %b %b: %v, want %v\n%+v", f, stem, cycle, got, want, a)
			}
			if suitable != nil && accepts(suitable, stem, cycle) != want {
				t.Fatalf("%v of %b %b: suitable: %v\n%+v\n%+v", f, stem, cycle, !want, a, suitable)
			}
			if l != a && accepts(l, stem, cycle) != want {
				t.Fatalf("%v of %b %b: limit-deterministic: %v\n%+v\n%+v", f, stem, cycle, !want, a, l)
			}
		}
	}
	t.Logf("%d states, %d made limit-deterministic", states, limited)
	if limited < 20 {
		t.Errorf("only %d automata had to be made limit-deterministic", limited)
	}
}

// TestSimplify compares formulas that were simplified as they were built with the values of their parts.
func TestSimplify(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		f, g := random(r, 3, 2), random(r, 3, 2)
		for range 5 {
			stem, cycle := lasso(r, 2)
			holds := func(f *Formula, i int) bool { // from position i on
				if i < len(stem) {
					return f.Holds(stem[i:], cycle)
				}
				i = (i - len(stem)) % len(cycle)
				return f.Holds(cycle[i:], cycle)
			}
			until, release := false, true
			for i := len(stem) + len(cycle) - 1; i >= 0; i-- { // twice round is enough for a fixed point
				until = holds(g, i+len(cycle)) || holds(f, i+len(cycle)) && until
				release = holds(g, i+len(cycle)) && (holds(f, i+len(cycle)) || release)
			}
			for i := len(stem) + len(cycle) - 1; i >= 0; i-- {
				until = holds(g, i) || holds(f, i) && until
				release = holds(g, i) && (holds(f, i) || release)
			}
			if Until(f, g).Holds(stem, cycle) != until || Release(f, g).Holds(stem, cycle) != release {
				t.Fatalf("until or release of %v and %v in %b %b", f, g, stem, cycle)
			}
		}
	}
}

// TestSizes checks the sizes of the automata of well-known formulas.
func TestSizes(t *testing.T) {
	p, q := Atom(0), Atom(1)
	for _, c := range []struct {
		f            *Formula
		states, sets int
	}{
		{Always(p), 1, 0},
		{Eventually(p), 2, 1},
		{Always(Eventually(p)), 1, 1},
		{Eventually(Always(p)), 2, 1},
		{And(Always(Eventually(p)), Always(Eventually(q))), 1, 2},
		{Always(Implies(p, Eventually(q))), 2, 1},
		{Not(Always(Implies(p, Eventually(q)))), 2, 1},
		{Until(p, q), 2, 1},
		{And(Always(p), Eventually(Not(p))), 1, 0},
	} {
		a := Translate(c.f)
		if len(a.Edges) != c.states || a.Sets > c.sets {
			t.Errorf("%v: %d states, %d sets, want %d, %d\n%+v", c.f, len(a.Edges), a.Sets, c.states, c.sets, a)
		}
	}
}

// TestGiven checks that Given keeps the value of a formula where an atom is never true, or always.
func TestGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		f := random(r, 4, 3)
		never, always := f.Given(0, 1), f.Given(2, 0)
		if never.Atoms()&1 != 0 || always.Atoms()&2 != 0 || never.Atoms()&^f.Atoms() != 0 {
			t.Fatalf("%v: %v, %v", f, never, always)
		}
		stem, cycle := lasso(r, 3)
		with := func(do func(letter uint64) uint64) (s, c []uint64) {
			for _, l := range stem {
				s = append(s, do(l))
			}
			for _, l := range cycle {
				c = append(c, do(l))
			}
			return s, c
		}
		if s, c := with(func(l uint64) uint64 { return l &^ 1 }); f.Holds(s, c) != never.Holds(s, c) {
			t.Fatalf("%v without p0: %v", f, never)
		}
		if s, c := with(func(l uint64) uint64 { return l | 2 }); f.Holds(s, c) != always.Holds(s, c) {
			t.Fatalf("%v with p1: %v", f, always)
		}
	}
}

// TestSafety checks the definitions of Formula.Progress, Formula.Safety and Monitor for random words.
func TestSafety(t *testing.T) {
	const atoms = 2
	letters := []uint64{0, 1, 2, 3}
	violated, safe := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		f := random(r, 1+r.IntN(5), atoms)
		stem, cycle := lasso(r, atoms)
		if len(stem) > 0 && f.Holds(stem, cycle) != f.Progress(stem[0]).Holds(stem[1:], cycle) {
			t.Fatalf("%v after a letter of %v, %v", f, stem, cycle)
		}
		safety := f.Safety()
		if f.Holds(stem, cycle) && !safety.Holds(stem, cycle) || safety.Safety().String() != safety.String() {
			t.Fatalf("%v does not imply its safety part %v", f, safety)
		}
		m := NewMonitor(f, letters)
		if m == nil {
			t.Fatalf("%v has no monitor", f)
		}
		state, rest := m.Initial, safety
		for i := range 1 << 8 { // longer than the monitor and the lasso multiplied
			letter := cycle[max(0, i-len(stem))%len(cycle)]
			if i < len(stem) {
				letter = stem[i]
			}
			if state >= 0 {
				state = m.Next(state, int(letter))
			}
			if i > 2*(len(stem)+len(cycle)) {
				continue
			}
			rest = rest.Progress(letter)
			if (state == Violated) == Satisfiable(rest) || (state == Safe) == Satisfiable(Not(rest)) {
				t.Fatalf("%v: state %d, and the rest is %v", f, state, rest)
			}
		}
		if (state == Violated) == safety.Holds(stem, cycle) {
			t.Fatalf("%v: state %d for %v, %v", f, state, stem, cycle)
		}
		switch state {
		case Violated:
			violated++
		case Safe:
			safe++
		}
	}
	if violated < 100 || safe < 100 {
		t.Errorf("%d violated, %d safe", violated, safe)
	}
}
