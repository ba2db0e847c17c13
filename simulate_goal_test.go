package ringcheck_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck"
)

// TestSimulateGoals: for random specs and every kind of goal, the intervals of random runs contain the probability of
// reaching the goal, and the rewards until then or until the run ends, that Quantify computes.
func TestSimulateGoals(t *testing.T) {
	const total = 60
	between := 0
	for seed := range uint64(total) {
		r := rand.New(rand.NewPCG(seed, 56))
		text, goal := slowSpec(r), slowGoals[int(seed)%len(slowGoals)]
		sys := slowSystem(t, text)
		expected := func(until, reward string) ringcheck.Quantity {
			return ringcheck.Quantity{Until: until, Reward: reward, Scheduler: "uniform"}
		}
		ended := "(" + goal + ") or terminal"
		exact, err := ringcheck.Quantify(t.Context(), sys, ringcheck.Questions{Quantities: []ringcheck.Quantity{
			expected(goal, ""), expected(ended, "steps"), expected(ended, "toll"),
		}}, ringcheck.Search{})
		if err != nil || math.IsInf(float64(exact.Results[1].Low), 1) {
			continue // there is a model error, or runs need not end
		}
		found, err := ringcheck.Simulate(t.Context(), sys, ringcheck.Simulation{Runs: 1000, Seed: seed, Until: goal,
			Confidence: 1 - 1e-6, Rewards: []string{"steps", "toll"}}, ringcheck.Search{})
		if err != nil || !found.Complete {
			t.Fatalf("seed %d, until %s: %v, %+v\n%s", seed, goal, err, found, text)
		}
		probability, steps := exact.Results[0], exact.Results[1]
		if probability.Low > 0 && probability.High < 1 {
			between++
		}
		for _, e := range found.Estimates {
			var want ringcheck.Value
			switch {
			case e.Name == "steps":
				want = steps.Value
			case e.Name == "toll":
				want = exact.Results[2].Value
			case e.Kind == "goal", goal == "e happens" && e.Name == "e":
				want = probability.Value
			default:
				continue
			}
			if want.High < e.Low || want.Low > e.High {
				t.Errorf("seed %d, until %s: %s is from %v to %v, but %v\n%s", seed, goal, e.Name, e.Low, e.High,
					want, text)
			}
		}
		judged := func(e ringcheck.Estimate) bool { return e.Kind == "goal" || e.Name == "e" }
		if goal != "terminal" && !slices.ContainsFunc(found.Estimates, judged) {
			t.Errorf("until %s: no probability of the goal", goal)
		}
	}
	if between < total/3 {
		t.Errorf("only %d goals have a probability between 0 and 1", between)
	}
}
