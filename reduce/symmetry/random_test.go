package symmetry_test

import (
	"errors"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/symmetry"
)

// TestRandom checks the counts of random specs whose symmetry is not refused.
func TestRandom(t *testing.T) {
	specs := seeds(400)
	accepted := uint64(0)
	corpus := spectest.NewCorpus(spectest.Asymmetric...)
	for seed, source := range corpus.Specs(int(specs), 11) {
		if seed%4 > 0 {
			source = spectest.Anonymous(source)
		}
		sys := compiled(t, source, nil)
		q, err := symmetry.Rotation(t.Context(), sys)
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		if r := systemtest.Run(t, sys, explore.Options{MaxStates: 50_000}); !r.Complete() {
			continue
		}
		accepted++
		corpus.Use(t, source)
		compareCounts(t, sys, q)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	t.Logf("%d of %d specs are symmetric", accepted, specs)
	if accepted < specs/4 {
		t.Errorf("only %d of %d specs are symmetric", accepted, specs)
	}
	corpus.Check(t)
}
