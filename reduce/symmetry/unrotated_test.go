package symmetry_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/symmetry"
)

// TestUnrotated checks that a search, which rotates the targets of the unrotated system, finds the successors of the
// quotient.
func TestUnrotated(t *testing.T) {
	compared, specs := 0, seeds(200)
	for seed := range specs {
		source := spectest.Anonymous(spectest.Any(rand.New(rand.NewPCG(seed, 12))))
		q, err := symmetry.Rotation(t.Context(), compiled(t, source, nil))
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared += systemtest.CompareExpander(t, q)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	if compared < 5*int(specs) {
		t.Errorf("only %d states are compared", compared)
	}
}
