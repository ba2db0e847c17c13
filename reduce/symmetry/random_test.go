package symmetry_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/model/spectest"
	"ringcheck/reduce/symmetry"
)

// anonymous takes out of a random spec what tells process 0 from the others where they begin.
var anonymous = strings.NewReplacer("if p = 0 then", "if n > 0 then", "when p = 0:", "when n > 0:",
	"when p > 0:", "when n > 1:", "uid[0]", "uid[p]")

// TestRandom: what is not refused gives the right counts.
func TestRandom(t *testing.T) {
	const specs = 400
	accepted := 0
	for seed := range uint64(specs) {
		source := spectest.Random(rand.New(rand.NewPCG(seed, 11)))
		if seed%2 == 0 {
			source = anonymous.Replace(source)
		}
		sys := compiled(t, source, nil)
		q, err := symmetry.Rotation(sys)
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		if r := run(t, sys, explore.Options{MaxStates: 50_000}); !r.Complete() {
			continue
		}
		accepted++
		compareCounts(t, sys, q)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	t.Logf("%d of %d specs are symmetric", accepted, specs)
	if accepted < specs/4 {
		t.Errorf("only %d of %d specs are symmetric", accepted, specs)
	}
}
