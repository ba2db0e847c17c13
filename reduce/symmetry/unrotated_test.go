package symmetry_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/spectest"
	"ringcheck/internal/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// TestUnrotated: a search, which rotates what the unrotated system leads to, finds the successors that the quotient says.
func TestUnrotated(t *testing.T) {
	compared := 0
	for seed := range seeds(200) {
		source := spectest.Anonymous(spectest.Any(rand.New(rand.NewPCG(seed, 12))))
		q, err := symmetry.Rotation(t.Context(), compiled(t, source, nil))
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared += expandAlike(t, q)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d states are compared", compared)
	}
}

// expandAlike compares the successors of some states, and returns of how many.
func expandAlike(t *testing.T, q *symmetry.Quotient) int {
	t.Helper()
	e, err := explore.NewExpander(q)
	if err != nil {
		t.Fatal(err)
	}
	w := e.Worker()
	halves := func(state []model.Value) explore.Halves {
		return explore.Halves(w.Left(state))<<32 | explore.Halves(w.Right(state))
	}
	var states [][]model.Value
	known := make(map[explore.Halves]bool)
	meet := func(state []model.Value) bool {
		if h := halves(state); !known[h] && len(states) < 200 {
			known[h] = true
			states = append(states, slices.Clone(state))
		}
		return true
	}
	if err := q.Initial(meet); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		successors, want := systemtest.Successors(q, states[i])
		got, err := w.Expand([]explore.Halves{halves(states[i])}, nil)
		if (err != nil) != (want != nil) {
			t.Fatalf("%v: %v, want %v", states[i], err, want)
		}
		if err != nil {
			continue
		}
		var to []explore.Halves
		for _, s := range successors {
			to = append(to, halves(s.Target))
			meet(s.Target)
		}
		slices.Sort(to)
		if found := slices.Sorted(slices.Values(got.To)); !slices.Equal(found, to) || got.Counts[0] != len(to) {
			t.Errorf("%v leads to %x, want %x", states[i], found, to)
		}
	}
	return len(states)
}
