package claims

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Ramanathan et al., Theorems 1 and 2 for eight contenders among eight processes, as in Fig. 1: over random runs of two
// synchronous rounds, as many contenders are left as the exact distribution says, by Pearson's χ² test. The seed is
// fixed.
func TestTheorems1And2AtRandom(t *testing.T) {
	const runs = 3000
	p := spectest.Open(t, "randomized", "n=8 c=8 rounds=2 quorum=5 network=synchronous")
	sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{Schedule: simulate.Timed})
	if err != nil {
		t.Fatal(err)
	}
	survivor := p.Events[slices.IndexFunc(p.Events, func(e *ir.Event) bool { return e.Name == "survivor" })]
	survivors := &ir.Reward{Name: "survivors", Per: ir.PerEvent, Event: survivor, Value: &ir.Const{Value: 1}}
	r, err := simulate.Estimate(t.Context(), sys,
		simulate.Options{Runs: runs, Seed: 2, Workers: 2, Rewards: []*ir.Reward{survivors}})
	if err != nil {
		t.Fatal(err)
	}
	exact := left(8, 8, 2)
	seen := make([]float64, len(exact))
	for _, v := range r.Means[0].Values {
		seen[int(v)]++
	}
	chi2, cells := 0.0, 0
	for k, p := range exact {
		expected, _ := p.Float64()
		expected *= runs
		if expected == 0 && seen[k] > 0 {
			t.Errorf("%v runs leave %d, which cannot be", seen[k], k)
		}
		if expected > 0 {
			chi2 += math.Pow(seen[k]-expected, 2) / expected
			cells++
		}
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.9999); chi2 > limit {
		t.Errorf("χ² = %.1f for %d cells, more than %.1f: %v", chi2, cells, limit, seen)
	}
}
