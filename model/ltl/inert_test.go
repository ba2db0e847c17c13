package ltl_test

import (
	"math/rand/v2"
	"testing"

	. "ringcheck/model/ltl"
)

// stutter puts inert letters in before those of a word.
func stutter(r *rand.Rand, word []uint64, events uint64) (all []uint64) {
	for _, letter := range word {
		for range r.IntN(3) {
			all = append(all, letter&^events)
		}
		all = append(all, letter)
	}
	return all
}

// TestInert checks that an inert formula has the same value with inert steps and without.
func TestInert(t *testing.T) {
	const atoms, events = 4, 0b1100
	r := rand.New(rand.NewPCG(1, 17))
	inert, told := 0, 0
	for range 4000 {
		f := random(r, 1+r.IntN(5), atoms)
		seen := false
		for range 10 {
			stem, cycle := lasso(r, atoms)
			seen = seen || f.Holds(stem, cycle) != f.Holds(stutter(r, stem, events), stutter(r, cycle, events))
		}
		switch {
		case f.Inert(events) && seen:
			t.Fatalf("%v sees inert steps", f)
		case f.Inert(events) && f.Atoms() != 0:
			inert++
		case !f.Inert(events) && seen:
			told++
		}
	}
	t.Logf("%d do not see inert steps, %d do", inert, told)
	if inert < 500 || told < 500 {
		t.Error("the random formulas do not test what they should")
	}
}

// TestInertFormulas checks which common formulas are known to be inert.
func TestInertFormulas(t *testing.T) {
	p, q, e, g := Atom(0), Atom(1), Atom(2), Atom(3) // e and g are events
	for i, c := range []struct {
		f    *Formula
		want bool
	}{
		{Eventually(p), true},
		{Always(Implies(p, Eventually(q))), true},
		{Always(Eventually(e)), true},
		{Always(Implies(e, Eventually(g))), true},
		{Always(Implies(p, Eventually(e))), true},
		{Always(Implies(e, p)), true},
		{Until(Not(e), g), true},
		{Until(p, q), true},
		{Until(Not(e), p), true},
		{WeakUntil(Not(e), And(p, g)), true},
		{Always(Implies(e, Until(Not(e), g))), true},
		{Implies(Always(Eventually(p)), Always(Eventually(e))), true},
		{Next(p), false},
		{e, false},                  // what happens first
		{Always(e), false},          // nothing else happens
		{Until(p, e), false},        // p need not hold when e happens
		{Always(Or(e, p)), false},   // p need hold just before e
		{Eventually(Not(e)), false}, // something else happens
		{Always(Implies(e, Next(p))), false},
	} {
		if got := c.f.Inert(0b1100); got != c.want {
			t.Errorf("%d: %v: %v", i, c.f, got)
		}
	}
}
