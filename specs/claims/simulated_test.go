package claims

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/costs"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Sect. 4: random runs of a ring of 40 processes, which nobody explores, cost what the chain of rounds says: 2n
// messages a round. The seed is fixed, so the test always ends the same way.
func TestSection4AtRandom(t *testing.T) {
	const n = 40
	p := spectest.Open(t, "franklin", "n=40 k=2")
	sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	expected := costs.NewRounds(n, 2).Expected()
	exact := 2 * n * expected[len(expected)-1].Float()
	r, err := simulate.Estimate(t.Context(), sys,
		simulate.Options{Runs: 300, Seed: 4, Confidence: 0.999, Workers: 2, Rewards: rewards(p, "messages")})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Means[0]; m.Low > exact || m.High < exact || m.High-m.Low > exact/4 {
		t.Errorf("%v to %v messages, exactly %v", m.Low, m.High, exact)
	}
}

// rewards returns the reward of that name.
func rewards(p *ir.Protocol, name string) []*ir.Reward {
	i := slices.IndexFunc(p.Rewards, func(r *ir.Reward) bool { return r.Name == name })
	return p.Rewards[i : i+1]
}

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
