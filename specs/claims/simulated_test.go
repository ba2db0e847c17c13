package claims

import (
	"testing"

	"ringcheck/model"
	"ringcheck/model/language/step"
	"ringcheck/results/costs"
	"ringcheck/simulate"
	"ringcheck/simulate/sparse"
)

// Sect. 4: random runs of a ring of 40 processes, which nobody explores, cost what the chain of rounds says: 2n messages a round. That goes for both ways of
// taking them. The seed is fixed, so the test always ends the same way.
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
