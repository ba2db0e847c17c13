package systemtest

import (
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/model"
)

// CompareExpander compares what an explore.Expander finds with the successors of some states of a system, and returns
// of how many.
func CompareExpander(t *testing.T, sys model.System) int {
	t.Helper()
	e, err := explore.NewExpander(sys)
	if err != nil {
		t.Fatal(err)
	}
	w, got := e.Worker(), explore.Expansion{}
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
	if err := sys.Initial(meet); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		successors, want := Successors(sys, states[i])
		err := w.Expand([]explore.Halves{halves(states[i])}, []uint64{0}, &got)
		if (err != nil) != (want != nil) {
			t.Fatalf("%v: %v, want %v", states[i], err, want)
		}
		if err != nil {
			continue
		}
		var to []explore.Halves
		for _, s := range successors {
			meet(s.Target)
			if !s.Step.Repeated {
				to = append(to, halves(s.Target))
			}
		}
		slices.Sort(to)
		if found := slices.Sorted(slices.Values(got.To)); !slices.Equal(found, to) || got.Counts[0] != len(to) {
			t.Errorf("%v leads to %x, want %x", states[i], found, to)
		}
		if len(got.Asleep) != len(got.To) {
			t.Errorf("%v has %d successors, and sleep sets for %d", states[i], len(got.To), len(got.Asleep))
		}
	}
	return len(states)
}
