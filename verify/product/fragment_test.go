package product_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// TestFragment compares fragments with an elimination, with fairness, chances and almost sure violations. A fragment
// that is the whole product has a lasso if the elimination leaves one, and a part of it only then.
func TestFragment(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	type outcome struct{ complete, found, exists bool }
	count := make(map[outcome]int)
	modes := make(map[[2]bool]int) // lassos by Chances and Surely
	for range 6000 {
		actions := randomActions(r)
		n := 1 + r.IntN(14)
		s := randomSystem(r, n, len(actions))
		if r.IntN(3) == 0 { // several initial states
			other := randomSystem(r, n, len(actions))
			s = s.beside(other)
		}
		if r.IntN(3) == 0 {
			actions = nil
		}
		f := randomFormula(r, 1+r.IntN(4))
		a := ltl.Translate(f)
		chances := r.IntN(3) > 0
		surely := chances && r.IntN(2) == 0
		switch {
		case surely:
			a = a.Suitable()
		case chances:
			a = a.LimitDeterministic()
		}
		if a == nil {
			continue
		}
		search := &Search{System: s.graph(), Letters: s.letters, Events: eventsOf, Automaton: a, Actions: actions,
			Chances: chances, Surely: surely}
		lasso, complete, err := search.Fragment(t.Context(), 1<<r.IntN(10))
		if err != nil {
			t.Fatal(err)
		}
		_, want, err := search.Eliminate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if (lasso != nil) != (want != nil) && (complete || lasso != nil) {
			t.Fatalf("%v, chances %v, surely %v, actions %v in %+v: %v of a fragment (complete %v), want %v\n%+v", f,
				chances, surely, actions, s, lasso, complete, want, a)
		}
		count[outcome{complete, lasso != nil, want != nil}]++
		if lasso == nil {
			continue
		}
		modes[[2]bool{chances, surely}]++
		if err := search.Check(lasso, f); err != nil {
			t.Fatalf("%v, actions %v in %+v: %+v: %v", f, actions, s, lasso, err)
		}
	}
	t.Log(count, modes)
	for _, o := range []outcome{{true, true, true}, {true, false, false}, {false, true, true}, {false, false, true}} {
		if count[o] < 50 {
			t.Errorf("%d cases are %+v", count[o], o)
		}
	}
	for _, m := range [][2]bool{{false, false}, {true, false}, {true, true}} {
		if modes[m] < 200 {
			t.Errorf("%d lassos with chances, surely: %v", modes[m], m)
		}
	}
}
