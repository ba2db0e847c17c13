package verify

import (
	"errors"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/symmetry"
)

// TestPermutations compares verdicts on random specs by orbits under permutations, the numbers of states that they are
// about and the lengths of runs, with the naive search of the full system. Each property is asked about alone, so that
// the processes that it names do not move for it only.
func TestPermutations(t *testing.T) {
	t.Run("numbers", func(t *testing.T) { comparePermutations(t, spectest.Permutable) })
	t.Run("directions", func(t *testing.T) {
		if exchanged := comparePermutations(t, spectest.Directed); exchanged < many(150)/2 {
			t.Errorf("only %d properties are compared where directions are exchanged", exchanged)
		}
	})
}

// comparePermutations implements TestPermutations for specs that generate returns. It returns the number of properties
// where directions are exchanged.
func comparePermutations(t *testing.T, generate func(seed, stream uint64) string) (exchanged int) {
	t.Helper()
	total := uint64(many(150))
	compared, refused, named, runs := 0, 0, 0, 0
	verdicts := map[Outcome]int{}
	for seed := range total {
		src := generate(seed, 2)
		p := spectest.Instantiate(t, src, nil)
		g := &naive{protocol: p}
		if !g.explore(2000) {
			continue
		}
		sys := spectest.Compile(t, p)
		for _, property := range p.Properties {
			one := *p
			one.Properties = []*ir.Property{property}
			q, err := symmetry.Permutation(t.Context(), sys, reduce.InvariantsOf(property)...)
			if errors.Is(err, symmetry.ErrAsymmetric) {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			s := Verifier{System: sys, Searched: q}
			switch err := s.permits(one.Properties); {
			case errors.Is(err, ErrAsymmetric), errors.Is(err, ErrTemporal):
				refused++
				continue
			case err != nil:
				t.Fatal(err)
			}
			if len(q.Breaks()) > 0 {
				named++
			}
			if q.Exchanges() > 0 {
				exchanged++
			}
			if property.Kind.OfRuns() {
				runs++
				verdicts[compareRuns(t, sys, q, property)]++
			} else if g.protocol = &one; g.check(t, s) != nil {
				t.Error("the property is not permitted")
			}
			if compared++; t.Failed() {
				t.Fatalf("seed %d:\n%s", seed, src)
			}
		}
	}
	t.Logf("%d properties compared, %d with a part of the symmetry, %d with exchanged directions, %d of runs: %v; "+
		"%d refused", compared, named, exchanged, runs, verdicts, refused)
	if compared < int(total) || named < int(total)/40 || verdicts[Holds] < int(total)/20 ||
		verdicts[Violated] < int(total)/20 || refused < int(total)/10 {
		t.Error("too few properties of some sort")
	}
	return exchanged
}

// compareRuns compares the verdicts on a property of runs by orbits and of the full system, and replays the run.
func compareRuns(t *testing.T, sys *compile.System, q *symmetry.PermutationQuotient, property *ir.Property) Outcome {
	t.Helper()
	list := []*ir.Property{property}
	full, err := Verifier{System: sys}.Check(t.Context(), list, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := Verifier{System: sys, Searched: q}
	orbits, err := s.Check(t.Context(), list, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := orbits.Judgments[0], full.Judgments[0]
	if got.Outcome != want.Outcome {
		t.Errorf("%s: %v by orbits, want %v", property.Name, got.Outcome, want.Outcome)
	}
	if got.Outcome != Violated {
		return got.Outcome
	}
	run, _, err := s.Counterexample(t.Context(), list, explore.Options{})
	if err != nil || run == nil {
		t.Fatalf("%s: run %v, %v", property.Name, run, err)
	}
	if err := Replay(sys, run); err != nil {
		t.Errorf("%s: %v", property.Name, err)
	}
	return got.Outcome
}
