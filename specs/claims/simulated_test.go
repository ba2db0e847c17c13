package claims

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/step"
	"ringcheck/results/costs"
	"ringcheck/simulate"
	"ringcheck/simulate/sparse"
)

// Sect. 4: random runs of a ring of 40 processes, which nobody explores, cost what the chain of rounds says: 2n
// messages a round. That goes for both ways of taking them. The seed is fixed, so the test always ends the same way.
func TestSection4AtRandom(t *testing.T) {
	const n = 40
	sys := instance{spec: "franklin", settings: "n=40 k=2"}.compile(t)
	compiled, err := simulate.Compiled(t.Context(), sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := sparse.New(sys.Protocol(), step.Options{})
	if err != nil {
		t.Fatal(err)
	}
	expected := costs.NewRounds(n, 2).Expected()
	exact := 2 * n * expected[len(expected)-1].Float()
	for name, runs := range map[string]struct {
		source simulate.Source
		sends  func(model.Label) bool
	}{
		"compiled": {compiled, func(l model.Label) bool { _, ok := sys.Sent(l); return ok }},
		"sparse":   {sparse.Source{System: direct}, func(l model.Label) bool { return direct.Sent(l) != nil }},
	} {
		messages := simulate.Reward{Name: "messages", Of: func(l model.Label) (float64, error) {
			if runs.sends(l) {
				return 1, nil
			}
			return 0, nil
		}}
		r, err := simulate.Estimate(t.Context(), runs.source, simulate.Options{Runs: 300, Seed: 4, Confidence: 0.999, Workers: 2, Rewards: []simulate.Reward{messages}})
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Means[0]; m.Low > exact || m.High < exact || m.High-m.Low > exact/4 {
			t.Errorf("%s: %v to %v messages, exactly %v", name, m.Low, m.High, exact)
		}
	}
}

// Ramanathan et al., Theorems 1 and 2 for eight contenders among eight processes, as in Fig. 1: over random runs of two
// synchronous rounds, as many contenders are left as the exact distribution says, by Pearson's χ² test. The seed is
// fixed.
func TestTheorems1And2AtRandom(t *testing.T) {
	const runs = 3000
	p := spectest.Open(t, "randomized", "n=8 c=8 rounds=2 quorum=5 network=synchronous")
	sys, err := sparse.New(p, step.Options{})
	if err != nil {
		t.Fatal(err)
	}
	survivors := simulate.Reward{Name: "survivors", Of: func(l model.Label) (float64, error) {
		if e := sys.Happened(l); e != nil && e.Name == "survivor" {
			return 1, nil
		}
		return 0, nil
	}}
	r, err := simulate.Estimate(t.Context(), sparse.Source{System: sys, Schedule: sparse.Timed},
		simulate.Options{Runs: runs, Seed: 2, Workers: 2, Rewards: []simulate.Reward{survivors}})
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
