package check_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/internal/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
)

// TestBoundsOfSpecs: what is worked out for a whole expression is within what its parts were made with.
func TestBoundsOfSpecs(t *testing.T) {
	compared := 0
	for seed := range uint64(200) {
		p := spectest.Instantiate(t, spectest.Any(rand.New(rand.NewPCG(seed, 12))), nil)
		for _, property := range p.Properties {
			ir.Walk(property.Body, func(e ir.Expr) bool {
				compared++
				if got := ir.Abstract(check.Bounds{}, e); !got.Within(e.Type()) {
					t.Errorf("seed %d, %s: %s, made as %s", seed, property.Name, got, e.Type())
				}
				return true
			})
		}
	}
	if compared < 1000 {
		t.Errorf("only %d expressions", compared)
	}
}
