package symmetry_test

import (
	"errors"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce/symmetry"
)

// synchronousSpecs is the number of random specs that TestSynchronous compares.
var synchronousSpecs = testlevel.Cases[uint64](60, 150)

// TestSynchronous compares the counts of random specs with synchronous channels, by orbits and with sleep sets, with
// those of searches without them.
func TestSynchronous(t *testing.T) {
	specs := synchronousSpecs()
	var accepted, saved uint64
	for seed := range specs {
		source := spectest.Synchronous(spectest.Permutable(seed, 8))
		sys := compiled(t, source, nil)
		want := systemtest.Run(t, sys, explore.Options{NoSleepSets: true, MaxStates: 20_000})
		if want.Stop == explore.StateLimit {
			continue
		}
		same := func(how string, got *explore.Result) {
			if got.Stop != want.Stop || want.Complete() && (got.States != want.States ||
				got.Transitions != want.Transitions || got.TerminalStates != want.TerminalStates ||
				!slices.Equal(got.Levels, want.Levels)) {
				t.Fatalf("seed %d: %s %v, %d states, %d transitions, %d terminal; plain %v, %d, %d, %d\n%s", seed, how,
					got.Stop, got.States, got.Transitions, got.TerminalStates, want.Stop, want.States,
					want.Transitions, want.TerminalStates, source)
			}
		}
		same("with sleep sets", systemtest.Run(t, sys, explore.Options{}))
		q, err := symmetry.Permutation(t.Context(), sys)
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		got := systemtest.Run(t, q, explore.Options{Workers: 1 + int(seed%3)})
		same("by orbits", got)
		systemtest.CompareExpander(t, q)
		if want.Complete() && want.States > 50 {
			accepted++
			saved += uint64(map[bool]int{true: 1}[got.Stored < want.Stored])
		}
	}
	if accepted < specs/10 || saved < specs/20 {
		t.Errorf("of %d specs, %d are of some size and symmetric, and %d have fewer orbits", specs, accepted, saved)
	}
}
