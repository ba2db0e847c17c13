package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
	"ringcheck/verify/product"
)

// reduced returns a system with a reduction that preserves the given properties.
func reduced(t *testing.T, sys *compile.System, properties []*ir.Property, level reduce.Reduction) Verifier {
	t.Helper()
	seen, err := Seen(t.Context(), sys, properties, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := reduce.Apply(t.Context(), sys, reduce.Search{Reduction: level}, seen)
	if err != nil {
		t.Fatal(err)
	}
	return Verifier{System: sys, Searched: a.System, Unreduce: a.Lift}
}

// TestReduced checks that the verdicts from a reduced system are those of the full one, for random formulas, with
// chance and without, and for properties of states, and that the runs lifted from it are runs of the full system that
// violate the property.
func TestReduced(t *testing.T) {
	total := many(13)
	verdicts := map[Outcome]int{}
	compared, refused, smaller, drawn, warned, replayed, longer := 0, 0, 0, 0, 0, 0, 0
	corpus := spectest.NewCorpus(spectest.Coupled...)
	for seed, text := range corpus.Specs(total*5/4, 17) {
		src := text
		r := rand.New(rand.NewPCG(seed, 17))
		src += randomProperties(r, src)
		p := spectest.Instantiate(t, src, nil)
		sys := spectest.Compile(t, p)
		if sys.CheckUncoupled() != nil {
			continue
		}
		unreduce := func(context.Context, []explore.Move) ([]explore.Move, []int, error) { return nil, nil, nil }
		properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool {
			if (Verifier{System: sys, Unreduce: unreduce}).permits([]*ir.Property{q}) != nil {
				refused++
				return true
			}
			return false
		})
		want, err := Verifier{System: sys}.Check(t.Context(), properties, explore.Options{MaxStates: 3000})
		if err != nil || !want.Search.Complete() {
			continue
		}
		corpus.Use(t, text)
		for i := range properties {
			one := properties[i : i+1]
			for _, level := range []reduce.Reduction{reduce.Confelm, reduce.OnTheFly} {
				s := reduced(t, sys, one, level)
				got, err := s.Check(t.Context(), one, explore.Options{})
				if err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, one[0].Name, err, src)
				}
				v, w := got.Judgments[0], want.Judgments[i]
				if v.Outcome != w.Outcome {
					t.Fatalf("seed %d, level %v, %s: %v, want %v\n%s", seed, level, v.Property.Name, v.Outcome,
						w.Outcome, src)
				}
				for _, warning := range v.Warnings {
					warned++
					if !slices.Contains(w.Warnings, warning) && !slices.Contains(w.Warnings, stronger(warning, v)) {
						t.Fatalf("seed %d, level %v, %s: %v, want %v\n%s", seed, level, v.Property.Name, v.Warnings,
							w.Warnings, src)
					}
				}
				if got.Search.States < want.Search.States {
					smaller++
				}
				if v.Outcome == Violated && v.Property.Kind != property.Reachable {
					run, _, err := s.Counterexample(t.Context(), one, explore.Options{})
					if err == nil {
						err = Replay(sys, run)
					}
					if err != nil {
						t.Fatalf("seed %d, level %v, %s: %v\n%s", seed, level, v.Property.Name, err, src)
					}
					if replayed++; run.Lasso != nil && len(run.Moves) > 1+v.Lasso.Stem+v.Lasso.Cycle {
						longer++
					}
				}
			}
			if one[0].Kind.OfRuns() {
				if lasso := lassoPrioritized(t, sys, one[0]); lasso != (want.Judgments[i].Outcome == Violated) {
					t.Fatalf("seed %d, prioritized, %s: lasso %v, want %v\n%s", seed, one[0].Name, lasso,
						want.Judgments[i].Outcome, src)
				}
				compared++
				verdicts[want.Judgments[i].Outcome]++
				if one[0].Temporal.Chance != ir.AllRuns {
					drawn++
				}
			}
		}
	}
	t.Logf("%d formulas compared, %d refused, %v; %d smaller systems, %d with chance, %d warnings; %d runs, %d of "+
		"them longer", compared, refused, verdicts, smaller, drawn, warned, replayed, longer)
	if compared < total || refused < total/20 || smaller < total/5 || drawn < total/10 ||
		verdicts[Violated] < total/10 || verdicts[Holds] < total/10 || replayed < total/5 || longer < total/20 {
		t.Error("the random specs do not test what they should")
	}
	corpus.Check(t)
}

// stronger returns what a search of the full system may say in place of a warning about a property that speaks of the
// ends of runs: a reduction that preserves nothing else does not come to all states.
func stronger(w ir.Warning, v Judgment) ir.Warning {
	if v.Property.Kind == property.Terminal {
		w.Text = strings.Replace(w.Text, "wherever a run ends", "in all states", 1)
	}
	return w
}

// searchGraph calls do with a checker of an LTL property and the graph of the searched system.
func searchGraph(t *testing.T, s Verifier, p *ir.Property, do func(c *checker, g *graph) error) {
	t.Helper()
	c, err := newChecker(t.Context(), s, []*ir.Property{p})
	if err != nil {
		t.Fatal(err)
	}
	k := newKinds(s.searched())
	_, err = c.search(t.Context(), explore.Options{Tag: k.tag}, true, func(space *explore.Space, _ *Result) error {
		g, err := k.graph(t.Context(), space)
		if err != nil {
			return err
		}
		return do(c, g)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lassoPrioritized returns the result of checker.lassoPrioritized after a search of the full system.
func lassoPrioritized(t *testing.T, sys *compile.System, p *ir.Property) (lasso bool) {
	t.Helper()
	s := Verifier{System: sys, Prioritize: func(seen func(before, after model.Value, moved bool) bool) Prioritized {
		return confluence.Prioritize(sys, confluence.Options{Observes: seen})
	}}
	searchGraph(t, s, p, func(c *checker, g *graph) (err error) {
		one := c.temporal[0]
		search := &product.Search{System: g, Events: one.events}
		search.Letters = c.letters(one)
		if err = one.assume(search, p.Temporal); err != nil {
			return err
		}
		lasso, err = c.lassoPrioritized(t.Context(), one, *search)
		return err
	})
	return lasso
}

// randomProperties returns random properties for a spec, about its events.
func randomProperties(r *rand.Rand, src string) string {
	predicates := []string{"terminal"}
	bodies := []string{}
	for line := range strings.Lines(src) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.FieldsFunc(rest+" ", func(c rune) bool { return c == '(' || c == ' ' || c == '"' || c == '=' })
		switch {
		case word == "event" && len(name) > 0:
			predicates = append(predicates, name[0]+" happens", "not "+name[0]+" happens")
		case word == "invariant" || word == "reachable" || word == "terminal":
			_, body, _ := strings.Cut(rest, "=")
			bodies = append(bodies, strings.TrimSpace(body))
		}
	}
	predicates = append(predicates, bodies...)
	var all strings.Builder
	for i := range 4 {
		under := []string{"", "", " under probability one", " under positive probability"}[r.IntN(4)]
		fmt.Fprintf(&all, "ltl random%d = %s%s\n", i, randomFormula(r, 1+r.IntN(3), predicates), under)
	}
	for i, body := range bodies {
		fmt.Fprintf(&all, "recoverable again%d = %s\n", i, body)
	}
	return all.String()
}
