package symmetry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/symmetry"
)

var permutableSpecs = testlevel.Cases[uint64](300, 800) // how many random specs TestPermutations compares

// TestUnpermuted checks that a search, which finds the successors in the full system and replaces them by their
// representatives, finds the successors of the quotient, and a walk their steps, too.
func TestUnpermuted(t *testing.T) {
	for _, generate := range []func(seed, stream uint64) string{spectest.Permutable, spectest.Directed} {
		compared, specs := 0, permutableSpecs()/3
		for seed := range specs {
			source := generate(seed, 3)
			q, err := symmetry.Permutation(t.Context(), compiled(t, source, nil))
			if errors.Is(err, symmetry.ErrAsymmetric) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			compared += systemtest.CompareExpander(t, q)
			if systemtest.Run(t, q, explore.Options{MaxStates: 5_000}).Stop != explore.StateLimit {
				compareWalk(t, q)
			}
			if t.Failed() {
				t.Fatalf("seed %d\n%s", seed, source)
			}
		}
		if compared < 5*int(specs) {
			t.Errorf("only %d states are compared", compared)
		}
	}
}

// permutedRuns says how many random specs are of some sort.
type permutedRuns struct {
	accepted, refused uint64
	saved             uint64 // with fewer orbits than states
	partial           uint64 // with a part of the symmetry of the network
	directed          uint64 // where directions are exchanged
	kept              uint64 // where they could be in the network, but are not
	rotated           uint64 // with rotations only, of a network that has other permutations
}

// compare compares the counts of a random spec with those of the full system.
func (r *permutedRuns) compare(t *testing.T, seed uint64, source string) {
	t.Helper()
	const most = 50_000
	sys := compiled(t, source, nil)
	q, err := symmetry.Permutation(t.Context(), sys)
	if errors.Is(err, symmetry.ErrAsymmetric) {
		if r.refused++; strings.Contains(err.Error(), "left as") {
			r.kept++
		}
		return
	}
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	want := systemtest.Run(t, sys, explore.Options{NoSleepSets: true, MaxStates: most})
	if want.Stop == explore.StateLimit {
		return
	}
	got := systemtest.Run(t, q, explore.Options{Workers: 1 + int(seed%3)})
	if got.Stop != want.Stop || want.Complete() && (got.States != want.States ||
		got.Transitions != want.Transitions || got.TerminalStates != want.TerminalStates ||
		!slices.Equal(got.Levels, want.Levels)) {
		t.Fatalf("seed %d: by orbits %v, %d states, %d transitions, %d terminal; plain %v, %d, %d, %d\n%s", seed,
			got.Stop, got.States, got.Transitions, got.TerminalStates, want.Stop, want.States, want.Transitions,
			want.TerminalStates, source)
	}
	if !want.Complete() {
		return
	}
	r.accepted++
	if got.Stored < want.Stored {
		r.saved++
	}
	switch breaks := q.Breaks(); {
	case q.Exchanges() > 0:
		r.directed++
	case slices.ContainsFunc(breaks, func(b symmetry.Break) bool { return strings.Contains(b.Text, "left as") }):
		r.kept++
	}
	if len(q.Breaks()) > 0 {
		r.partial++
		if q.Rotations() && strings.Contains(fmt.Sprint(q.Breaks()), "computes") {
			r.rotated++
		}
	}
}

// TestPermutations compares the counts of random specs with those of the full systems.
func TestPermutations(t *testing.T) {
	specs := permutableSpecs()
	var r permutedRuns
	for seed := range specs {
		r.compare(t, seed, spectest.Permutable(seed, 1))
	}
	t.Logf("of %d specs: %+v", specs, r)
	if r.accepted < specs/3 || r.saved < specs/4 || r.partial < specs/40 || r.refused < specs/20 ||
		r.rotated < specs/150 {
		t.Error("too few specs of some sort")
	}
}

// TestDirections is TestPermutations for specs in which processes name their neighbours by direction.
func TestDirections(t *testing.T) {
	specs := permutableSpecs()
	var r permutedRuns
	for seed := range specs {
		source := spectest.Directed(seed, 1)
		if seed%5 == 0 {
			source = spectest.Synchronous(source)
		}
		r.compare(t, seed, source)
	}
	t.Logf("of %d specs: %+v", specs, r)
	if r.accepted < specs/3 || r.directed < specs/4 || r.saved < specs/4 || r.kept < specs/20 || r.partial < specs/40 {
		t.Error("too few specs of some sort")
	}
}

// manyGroups is a spec with 66 groups.
const manyGroups = `protocol many
topology complete graph of 6
channel unordered
message M
var q: node
process p = Sending(p)
Sending(q) = choose q in neighbours(q); send q M; Waiting
Waiting = recv q M; stop`

// TestPermutedSleep checks that a search leaves out a third of the transitions of orbits, and counts the same.
func TestPermutedSleep(t *testing.T) {
	systems := map[string]*compile.System{"many groups": compiled(t, manyGroups, nil)}
	for file, params := range map[string]string{
		"paxos": "ordered=false proposers=1", "raft-election": "n=3 terms=1 ordered=false",
		"two-phase-commit": "m=4 ordered=false", "suzuki-kasami": "n=3",
	} {
		systems[file] = open(t, "../../examples/"+file+".ring", params)
	}
	for name, sys := range systems {
		q, err := symmetry.Permutation(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		want := systemtest.Run(t, q, explore.Options{NoSleepSets: true})
		for workers := 1; workers <= 3; workers++ {
			got := systemtest.Run(t, q, explore.Options{Workers: workers})
			if got.Transitions != want.Transitions || !slices.Equal(got.Levels, want.Levels) ||
				got.TerminalStates != want.TerminalStates {
				t.Errorf("%s: %d transitions, levels %v, want %d, %v", name, got.Transitions, got.Levels,
					want.Transitions, want.Levels)
			}
			if 3*got.Generated > 2*want.Generated {
				t.Errorf("%s: %d transitions of %d are generated", name, got.Generated, want.Generated)
			}
		}
	}
}
