package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
)

// TestAlways compares verdicts on random properties that are violated like invariants, and the lengths of the runs,
// with those of a search of the product. A search that ends with a violation, and a search for a run, find one of the
// same length.
func TestAlways(t *testing.T) {
	total := many(120)
	seen := map[string]int{}
	for seed := range uint64(total) {
		r := rand.New(rand.NewPCG(seed, 19))
		src := spectest.Random(seed, 19)
		names := eventNames(src)
		if len(names) == 0 {
			continue
		}
		var conjuncts []string
		for range 1 + r.IntN(2) {
			event := names[r.IntN(len(names))] + " happens" + []string{"", " at 0", " at 1"}[r.IntN(3)]
			state := []string{"quiet", "there(0, 0)", "false", "not quiet", "forall p in node: p.f"}[r.IntN(5)]
			conjuncts = append(conjuncts, fmt.Sprintf("(always (%s => (%s)))", event, state))
		}
		if r.IntN(4) == 0 {
			conjuncts = append(conjuncts, "(always eventually "+names[0]+" happens)")
		}
		under := []string{"", " under fair", " under probability one", " under positive probability"}[r.IntN(4)]
		src += "ltl f = " + strings.Join(conjuncts, " and ") + under + "\n"
		p := spectest.Instantiate(t, src, nil)
		seen[compareAlways(t, p, src)]++
	}
	t.Log(seen)
	if seen["holds"] < total/50 || seen["a prefix"] < total/15 || seen["more than a prefix"] < total/150 {
		t.Errorf("the verdicts are %v", seen)
	}
}

// compareAlways compares the verdicts on the last property of a spec, and returns what the verdict is.
func compareAlways(t *testing.T, p *ir.Protocol, src string) string {
	t.Helper()
	list := p.Properties[len(p.Properties)-1:]
	v := Verifier{System: spectest.Compile(t, p)}
	small := explore.Options{MaxStates: 500}
	result, err := explore.Run(t.Context(), v.System, small)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Complete() || !v.System.ActsAlone() {
		return "not comparable"
	}
	judge := func(slowly, stop bool) *Judgment {
		v.StopFirst = stop
		c, err := newChecker(t.Context(), v, list)
		if err != nil {
			t.Fatal(err)
		}
		if c.temporal[0].always == nil {
			t.Fatalf("not like an invariant:\n%s", src)
		}
		if slowly {
			c.temporal[0].always = nil
		}
		r, err := c.decide(t.Context(), explore.Options{Workers: 2})
		if err != nil {
			t.Fatalf("%v:\n%s", err, src)
		}
		return &r.Judgments[0]
	}
	want := judge(true, false)
	for _, stop := range []bool{false, true} {
		got := judge(false, stop)
		if got.Outcome != want.Outcome || (got.Prefix == nil) != (want.Prefix == nil) ||
			want.Prefix != nil && got.Level != want.Level {
			t.Fatalf("%v after %d steps, want %v after %d:\n%s", got.Outcome, got.length(), want.Outcome,
				want.length(), src)
		}
	}
	run, _, err := v.Counterexample(t.Context(), list, explore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if (run != nil) != (want.Outcome == Violated) || want.Prefix != nil && len(run.Moves)-1 != want.Level {
		t.Fatalf("the run is %v, want %v after %d steps:\n%s", run, want.Outcome, want.length(), src)
	}
	if run != nil {
		if err := Replay(v.System, run); err != nil {
			t.Fatalf("%v:\n%s", err, src)
		}
	}
	switch {
	case want.Outcome == Holds:
		return "holds"
	case want.Prefix != nil:
		return "a prefix"
	}
	return "more than a prefix"
}
