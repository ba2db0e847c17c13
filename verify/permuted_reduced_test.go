package verify

import (
	"errors"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/reduce"
	"ringcheck/reduce/representative"
)

// permutedReduced returns a system with a reduction and permutations that preserve a property.
func permutedReduced(t *testing.T, sys *compile.System, p *ir.Property, search reduce.Search) (Verifier, error) {
	t.Helper()
	seen, err := Seen(t.Context(), sys, []*ir.Property{p}, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := reduce.Apply(t.Context(), sys, search, seen, reduce.InvariantsOf(p)...)
	if err != nil {
		return Verifier{}, err
	}
	return Verifier{System: sys, Searched: a.System, Unreduce: a.Lift}, nil
}

// permutedVerdicts says how many verdicts by reductions under permutations are of some sort.
type permutedVerdicts struct {
	compared, refused, cycles, replayed, lassos, longer int
	outcomes                                            map[Outcome]int
	// of is the number of those with fewer states than the full system.
	of map[reduce.Reduction]int
}

// compare compares the verdict on a property by a reduction under permutations with the verdict of the full system,
// and with the numbers of states and levels by the reduction alone. It replays the run.
func (r *permutedVerdicts) compare(
	t *testing.T, sys *compile.System, p *ir.Property, level reduce.Reduction, want Judgment, states uint64,
) {
	t.Helper()
	list := []*ir.Property{p}
	both, err := permutedReduced(t, sys, p, reduce.Search{Reduction: level, Symmetry: reduce.Permutation})
	if err != nil || both.permits(list) != nil {
		r.refused++
		return
	}
	got, err := both.Check(t.Context(), list, explore.Options{})
	if errors.Is(err, representative.ErrCycle) ||
		err == nil && got.Search.ModelError != nil && errors.Is(got.Search.ModelError, representative.ErrCycle) {
		r.cycles++
		return
	}
	if err != nil || !got.Search.Complete() {
		t.Fatalf("%s, %s: %v, %v", level, p.Name, err, got.Search.ModelError)
	}
	alone := reduced(t, sys, list, level)
	reference, err := alone.Check(t.Context(), list, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, w := got.Judgments[0], reference.Judgments[0]
	if v.Outcome != want.Outcome || v.Count != w.Count ||
		!p.Kind.OfRuns() && v.Level != w.Level || got.Search.States != reference.Search.States ||
		got.Search.Transitions != reference.Search.Transitions {
		t.Fatalf("%s, %s: %v, %v states, level %d, of %d states; want %v, %v, %d, %d", level, p.Name, v.Outcome,
			v.Count, v.Level, got.Search.States, want.Outcome, w.Count, w.Level, reference.Search.States)
	}
	r.compared++
	r.outcomes[v.Outcome]++
	if got.Search.States < states {
		r.of[level]++
	}
	if v.Outcome != Violated || p.Kind == property.Reachable || level == reduce.OnTheFly {
		return
	}
	run, _, err := both.Counterexample(t.Context(), list, explore.Options{})
	if err == nil {
		err = Replay(sys, run)
	}
	if err != nil {
		t.Fatalf("%s, %s: %v", level, p.Name, err)
	}
	r.replayed++
	if run.Lasso == nil {
		return
	}
	if r.lassos++; len(run.Moves) > 1+v.Lasso.Stem+v.Lasso.Cycle {
		r.longer++
	}
}

// TestPermutedReduced checks verdicts on random specs by reductions under permutations.
func TestPermutedReduced(t *testing.T) {
	total := many(40)
	r := permutedVerdicts{outcomes: make(map[Outcome]int), of: make(map[reduce.Reduction]int)}
	for seed := range uint64(total) {
		source := spectest.Sequential(seed, 2)
		p := spectest.Instantiate(t, source, nil)
		sys := spectest.Compile(t, p)
		full, err := Verifier{System: sys}.Check(t.Context(), p.Properties, explore.Options{MaxStates: 1000})
		if err != nil || !full.Search.Complete() {
			continue
		}
		for i, one := range p.Properties {
			for _, level := range []reduce.Reduction{reduce.Confelm, reduce.OnTheFly} {
				r.compare(t, sys, one, level, full.Judgments[i], full.Search.States)
				if t.Failed() {
					t.Fatalf("seed %d:\n%s", seed, source)
				}
			}
		}
	}
	t.Logf("of %d specs: %+v", total, r)
	if r.of[reduce.Confelm] < total || r.of[reduce.OnTheFly] < total || r.outcomes[Holds] < total ||
		r.outcomes[Violated] < total || r.cycles == 0 || r.replayed < total/2 || r.lassos < total/10 ||
		r.longer < total/20 {
		t.Error("the random specs do not test what they should")
	}
}
