package ringcheck

import (
	"math/big"
	"strings"
	"testing"

	"ringcheck/symbolic"
)

// TestAdvice checks that the symbolic engine is advised for many states that share few nodes, but not if nodes grow as
// fast as states or are nearly as many.
func TestAdvice(t *testing.T) {
	grow := func(states, nodes float64) (sizes []symbolic.Size) {
		s, n := 100.0, 100.0
		for range 12 {
			sizes = append(sizes, symbolic.Size{States: big.NewInt(int64(s)), Nodes: int64(n)})
			s, n = s*states, n*nodes
		}
		return sizes
	}
	for _, c := range []struct {
		name   string
		sizes  []symbolic.Size
		wanted bool
	}{
		{"states twice as fast", grow(2, 1.2), true},
		{"nodes as fast as states", grow(2, 2), false},
		{"nodes nearly as fast", grow(2, 1.8), false},
		{"slow, but nearly as many", grow(1.05, 1.02), false},
	} {
		engine := map[bool]string{true: "symbolic", false: "explicit"}[c.wanted]
		if got, why := advice(c.sizes); got != c.wanted || !strings.HasPrefix(why, "--engine "+engine) {
			t.Errorf("%s: %v, %s", c.name, got, why)
		}
	}
}

// TestAdviseSmall checks that there is no advice about a small system, or where the symbolic engine does not support
// the options.
func TestAdviseSmall(t *testing.T) {
	sys, err := Load("franklin", Set{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {Symmetry: Rotation}, {MaxStates: 10}} {
		if sizes, err := prefix(t.Context(), sys, opt); sizes != nil || err != nil {
			t.Errorf("%+v: %v, %v", opt, sizes, err)
		}
	}
}
