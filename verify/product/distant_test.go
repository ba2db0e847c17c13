package product_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// TestEachDistant compares searches that are joined with each of them alone.
func TestEachDistant(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	type outcome struct{ found, waits bool }
	count, several := make(map[outcome]int), 0
	for range 3000 {
		actions := randomActions(r)
		s := randomSystem(r, 1+r.IntN(14), len(actions))
		if r.IntN(3) == 0 {
			actions = nil
		}
		chances := r.IntN(3) == 0
		var searches []*Search
		for range 2 + r.IntN(4) {
			f := randomFormula(r, 1+r.IntN(4))
			if r.IntN(2) == 0 {
				f = ltl.Eventually(f)
			}
			a := ltl.Translate(f)
			if chances {
				a = a.LimitDeterministic()
			}
			if a != nil {
				searches = append(searches, &Search{System: s.graph(), Letters: s.letters, Events: eventsOf,
					Automaton: a, Actions: actions, Chances: chances})
			}
		}
		met := 0
		err := EachDistant(t.Context(), searches, func(i int, got *Lasso, err error) error {
			if err != nil {
				return err
			}
			met++
			want, err := searches[i].Distant(t.Context())
			if (got == nil) != (want == nil) {
				t.Fatalf("search %d of %d, chances %v, actions %v in %+v: %v, alone %v\n%+v", i, len(searches), chances,
					actions, s, got, want, searches[i].Automaton)
			}
			count[outcome{got != nil, searches[i].Automaton.OnlyWaits()}]++
			return err
		})
		if err != nil || met != len(searches) {
			t.Fatalf("%d of %d searches have an outcome: %v", met, len(searches), err)
		}
		if met > 1 {
			several++
		}
	}
	t.Log(count, several)
	for _, found := range []bool{false, true} {
		for _, waits := range []bool{false, true} {
			if n := count[outcome{found, waits}]; n < 100 {
				t.Errorf("%d searches find a lasso: %v, and wait: %v", n, found, waits)
			}
		}
	}
}
