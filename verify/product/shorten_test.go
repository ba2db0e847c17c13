package product_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// shortest returns the least number of steps of a lasso that Check confirms, at most most; 0 if there is none. It tries
// all paths.
func shortest(g *memory, search *Search, f *ltl.Formula, most int) int {
	var path []Step
	var extend func(at uint64, more int) bool
	extend = func(at uint64, more int) bool {
		if more == 0 {
			for i := range path {
				l := &Lasso{Stem: path[:i], Cycle: path[i:]}
				if path[i].From == at && search.Check(l, f) == nil {
					return true
				}
			}
			return false
		}
		v := &g.vertices[at]
		for t, to := range v.To {
			path = append(path, Step{From: at, To: to, Kind: g.kinds[v.Tags[t]]})
			found := extend(to, more-1)
			if path = path[:len(path)-1]; found {
				return true
			}
		}
		return false
	}
	for steps := 1; steps <= most; steps++ {
		if extend(g.initial[0], steps) {
			return steps
		}
	}
	return 0
}

// TestShortest: on small systems no lasso is shorter than the one that is found.
func TestShortest(t *testing.T) {
	const most = 6
	r := rand.New(rand.NewPCG(11, 12))
	compared := make(map[int]int)
	for n := 0; n < 1500; {
		actions := randomActions(r)
		s := randomSystem(r, 1+r.IntN(6), len(actions))
		if r.IntN(2) == 0 {
			actions = nil
		}
		f := randomFormula(r, 1+r.IntN(6))
		g := s.graph()
		search := &Search{System: g, Letters: s.letters, Events: eventsOf, Automaton: ltl.Translate(f),
			Actions: actions}
		lasso, err := search.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lasso == nil {
			continue
		}
		n++
		if err := search.Check(lasso, f); err != nil {
			t.Fatalf("%v, actions %v in %+v: %+v: %v", f, actions, s, lasso, err)
		}
		steps := len(lasso.Stem) + len(lasso.Cycle)
		if least := shortest(g, search, f, min(most, steps)); least != steps && steps <= most {
			t.Fatalf("%v, actions %v in %+v: the lasso %+v has %d steps, not %d", f, actions, s, lasso, steps, least)
		}
		compared[steps]++
	}
	t.Logf("lassos by the number of steps: %v", compared)
	for steps := 1; steps <= 4; steps++ {
		if compared[steps] < 20 {
			t.Errorf("%d lassos have %d steps", compared[steps], steps)
		}
	}
}
