package product_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// TestEndingRun compares with all paths, with chances and without.
func TestEndingRun(t *testing.T) {
	const most = 6
	r := rand.New(rand.NewPCG(15, 16))
	lengths, certainly, possibly, none := make(map[int]int), 0, 0, 0
	for range 4000 {
		s := randomSystem(r, 1+r.IntN(7), 1)
		f := randomFormula(r, 1+r.IntN(5))
		a := ltl.Translate(f)
		chances := r.IntN(2) == 0
		if chances {
			a = a.LimitDeterministic()
		}
		if a == nil {
			continue
		}
		g := s.graph()
		runs := g.runsToEnds()
		search := &Search{System: g, Letters: s.letters, Events: eventsOf, Automaton: a, Chances: chances}
		search.RunTo = func(_ context.Context, class int) ([]uint64, error) { return runs[class], nil }
		for _, run := range runs {
			search.Ends = append(search.Ends, len(run)-1)
		}
		lasso, certain, err := search.EndingRun(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lasso == nil {
			if certain {
				t.Fatalf("%v in %+v: no run is found, but one is certain to exist", f, s)
			}
			if least := shortestEnd(g, search, f, most); least >= 0 {
				t.Fatalf("%v in %+v: no run is found, but one of %d steps ends", f, s, least)
			}
			none++
			continue
		}
		if err := search.Check(lasso, f); err != nil {
			t.Fatalf("%v in %+v: %+v: %v", f, s, lasso, err)
		}
		steps := len(lasso.Stem)
		if least := shortestEnd(g, search, f, min(most, steps)); least != steps && steps <= most {
			t.Fatalf("%v in %+v: %+v has %d steps, not %d", f, s, lasso, steps, least)
		}
		if lengths[steps]++; certain {
			certainly++
		} else {
			possibly++
		}
	}
	t.Logf("%v; certain %d, uncertain %d, none %d", lengths, certainly, possibly, none)
	if certainly < 100 || possibly < 100 || none < 100 || lengths[3] < 20 {
		t.Errorf("%v; certain %d, uncertain %d, none %d", lengths, certainly, possibly, none)
	}
}

// ends returns the states in which runs end.
func (m *memory) ends() []bool {
	ends := make([]bool, len(m.vertices))
	for i := range m.vertices {
		for _, tag := range m.vertices[i].Tags {
			ends[i] = ends[i] || m.kinds[tag].Action == Over
		}
	}
	return ends
}

// runsToEnds returns, by state, a shortest run to it if runs can end there, by places.
func (m *memory) runsToEnds() [][]uint64 {
	runs := make([][]uint64, len(m.vertices))
	var queue []uint64
	reach := func(run []uint64) {
		if last := run[len(run)-1]; runs[last] == nil {
			runs[last] = slices.Clone(run)
			queue = append(queue, last)
		}
	}
	for _, p := range m.initial {
		reach([]uint64{p})
	}
	for i := 0; i < len(queue); i++ {
		for _, to := range m.vertices[queue[i]].To {
			reach(append(slices.Clip(runs[queue[i]]), to))
		}
	}
	for i, ends := range m.ends() {
		if !ends {
			runs[i] = nil
		}
	}
	return runs
}

// shortestEnd returns the least number of steps of a run that ends and that Check confirms, at most most; -1 if there
// is none.
func shortestEnd(g *memory, search *Search, f *ltl.Formula, most int) int {
	ends := g.ends()
	var path []Step
	var extend func(at uint64, more int) bool
	extend = func(at uint64, more int) bool {
		v := &g.vertices[at]
		if more == 0 || ends[at] {
			cycle := []Step{{From: at, To: at, Kind: g.kinds[v.Tags[0]]}}
			return more == 0 && ends[at] && search.Check(&Lasso{Stem: path, Cycle: cycle}, f) == nil
		}
		for t, to := range v.To {
			path = append(path, Step{From: at, To: to, Kind: g.kinds[v.Tags[t]]})
			found := extend(to, more-1)
			if path = path[:len(path)-1]; found {
				return true
			}
		}
		return false
	}
	for steps := range most + 1 {
		if extend(g.initial[0], steps) {
			return steps
		}
	}
	return -1
}
