package symmetry_test

import (
	"errors"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
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

// TestSynchronousRotation compares the counts of rings with synchronous channels, by orbits under rotation, with those
// of searches without them. Most rings are random.
func TestSynchronousRotation(t *testing.T) {
	sources := []string{`protocol waits
topology directed ring of 3
channel sync
message M
process p = A
A = recv left M; A | send right M; skip; crash
`, `protocol turns
topology undirected ring of 4
channel sync
message M(x: bool)
event e
var x: bool
var d: dir
process p = A(true)
A(x) = choose d; send d M(not x); e; A(x) | recv _ M(x); A(x)
`}
	specs := testlevel.Cases[uint64](60, 30)()
	for _, source := range spectest.NewCorpus(spectest.Asymmetric...).Specs(int(specs), 12) {
		sources = append(sources, spectest.Synchronous(spectest.Anonymous(source)))
	}
	var accepted, met uint64
	for seed, source := range sources {
		sys := compiled(t, source, nil)
		q, err := symmetry.Rotation(t.Context(), sys)
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		want := systemtest.Run(t, sys, explore.Options{MaxStates: 400})
		if !want.Complete() {
			continue
		}
		accepted++
		if meets(t, sys) {
			met++
		}
		got := systemtest.Run(t, q, explore.Options{Workers: 1 + int(seed%3)})
		if got.Stop != want.Stop || got.States != want.States || got.Transitions != want.Transitions ||
			got.TerminalStates != want.TerminalStates || !slices.Equal(got.Levels, want.Levels) {
			t.Fatalf("seed %d: by orbits %v, %d states, %d transitions, %d terminal; plain %v, %d, %d, %d\n%s", seed,
				got.Stop, got.States, got.Transitions, got.TerminalStates, want.Stop, want.States, want.Transitions,
				want.TerminalStates, source)
		}
	}
	if accepted < specs/4 || met < 3 {
		t.Errorf("of %d specs, %d are symmetric, and processes meet in %d", specs, accepted, met)
	}
}

// meets reports whether two processes take a step together in a reachable state.
func meets(t *testing.T, sys model.System) bool {
	for _, state := range systemtest.Explored(t, sys).States {
		steps, err := systemtest.Successors(sys, state)
		if err == nil && slices.ContainsFunc(steps, func(s systemtest.Transition) bool {
			return sys.Label(s.Step.Label).Kind == model.SyncAction
		}) {
			return true
		}
	}
	return false
}
