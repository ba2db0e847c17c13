package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/symmetry"
)

// A formulaWriter writes random formulas with quantifiers over processes.
type formulaWriter struct {
	*rand.Rand
	kinds  []string // of processes
	atoms  []string // about the processes P and Q
	closed []string // atoms about no process
}

// newFormulaWriter returns a writer of formulas for the specs of spectest.Permutable.
func newFormulaWriter(seed uint64) *formulaWriter {
	return &formulaWriter{
		Rand: rand.New(rand.NewPCG(seed, 91)),
		atoms: []string{"P at E0", "P at E1", "P.x = 1", "P.v = Q", "P in Q.s", "(done happens at P)",
			"(e happens at P)", "(done happens)", "size(P.s) = 1"},
		closed: []string{"(exists y in node: y.x = 1)", "(forall y in node: y at E0)", "(done happens)",
			"(e happens)", "(count y in node: y at E1) <= 1", "terminal"},
	}
}

func (w *formulaWriter) oneOf(list ...string) string { return list[w.IntN(len(list))] }

// atom returns a predicate or an event; bound are the binders around it.
func (w *formulaWriter) atom(bound []string) string {
	p := "0"
	if len(bound) > 0 {
		p = w.oneOf(bound...)
	}
	q := w.oneOf(append([]string{p}, bound...)...)
	if len(bound) == 0 && w.IntN(4) > 0 {
		return w.oneOf(w.closed...)
	}
	return strings.NewReplacer("P", p, "Q", q).Replace(w.oneOf(w.atoms...))
}

// formula returns a formula in which quantifiers over processes stand.
func (w *formulaWriter) formula(bound []string, depth int) string {
	if depth == 0 {
		return w.atom(bound)
	}
	f := func() string { return "(" + w.formula(bound, depth-1) + ")" }
	if len(bound) < 2 && w.IntN(3) > 0 {
		p := fmt.Sprintf("p%d", len(bound))
		inside := append(bound[:len(bound):len(bound)], p)
		domain := w.oneOf(append([]string{"node", "node"}, w.kinds...)...)
		where := ""
		if len(bound) > 0 && w.IntN(2) == 0 {
			where = " where " + p + " != " + bound[0]
		}
		not, quantifier := "", "forall "
		if w.IntN(5) == 0 {
			quantifier = "exists "
			if w.IntN(3) > 0 {
				not = "not "
			}
		}
		return fmt.Sprintf("%s(%s%s in %s%s: %s)", not, quantifier, p, domain, where, w.formula(inside, depth-1))
	}
	switch w.IntN(9) {
	case 0:
		return f() + " and " + f()
	case 1:
		return f() + " or " + f()
	case 2:
		return f() + " => " + f()
	case 3:
		return "not " + f()
	case 4:
		return "always " + f()
	case 5:
		return "eventually " + f()
	case 6:
		return f() + w.oneOf(" until ", " unless ", " releases ") + f()
	case 7:
		return f() + " leads to " + f()
	}
	return w.oneOf("next ", "always eventually ", "eventually always ") + f()
}

// permutedFor returns the quotient by permutations under which a property is decided, nil if it is refused.
func permutedFor(t *testing.T, sys *compile.System, property *ir.Property) *symmetry.PermutationQuotient {
	t.Helper()
	q, err := symmetry.Permutation(t.Context(), sys, reduce.InvariantsOf(property)...)
	if err == nil {
		err = Verifier{System: sys, Searched: q}.permits([]*ir.Property{property})
	}
	switch {
	case errors.Is(err, symmetry.ErrAsymmetric), errors.Is(err, ErrAsymmetric), errors.Is(err, ErrTemporal):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return q
}

// isSmall reports whether a system has at most some states.
func isSmall(t *testing.T, sys *compile.System, most uint64) bool {
	t.Helper()
	r, err := explore.Run(t.Context(), sys, explore.Options{MaxStates: most})
	if err != nil {
		t.Fatal(err)
	}
	return r.Complete()
}

// TestPermutedFormulas compares verdicts on random formulas with quantifiers over processes by orbits, where one
// process stands for all, with those of the full system, and replays the runs.
func TestPermutedFormulas(t *testing.T) {
	total := uint64(many(150))
	compared, refused, represented, nested := 0, 0, 0, 0
	verdicts := map[Outcome]int{}
	for seed := range total {
		w := newFormulaWriter(seed)
		src := spectest.Permutable(seed, 6)
		for _, kind := range []string{"leaf", "upper", "lower"} {
			if strings.Contains(src, "process "+kind) {
				w.kinds = append(w.kinds, kind)
			}
		}
		for i := range 3 {
			f := w.formula(nil, 2+w.IntN(2))
			if i == 0 && seed%3 > 0 {
				f = "forall p0 in node, p1 in node where p0 != p1: " + w.formula([]string{"p0", "p1"}, 1)
			}
			src += fmt.Sprintf("ltl f%d = %s\n", i, f)
		}
		params := map[string]string{}
		if seed%3 > 0 && (strings.Contains(src, "complete graph of n") || strings.Contains(src, "star of n")) {
			params["n"] = "4" // so that pairs of processes leave some permutations
		}
		p := spectest.Instantiate(t, src, params)
		sys := spectest.Compile(t, p)
		if !isSmall(t, sys, 3000) {
			continue
		}
		for _, property := range p.Properties {
			if property.Name[0] != 'f' || !property.Kind.OfRuns() {
				continue
			}
			q := permutedFor(t, sys, property)
			if q == nil {
				refused++
				continue
			}
			compared++
			verdict := compareRuns(t, sys, q, property)
			if (Verifier{System: sys, Searched: q}).representative(property) != property {
				represented++
				verdicts[verdict]++
				if strings.Count(fmt.Sprint(q.Breaks()), "is decided for") > 1 {
					nested++
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, %s:\n%s", seed, property.Name, src)
			}
		}
	}
	t.Logf("%d formulas compared, %d for one process of each orbit: %v, %d with several such processes; %d refused",
		compared, represented, verdicts, nested, refused)
	if represented < int(total)/5 || verdicts[Holds] < int(total)/20 || verdicts[Violated] < int(total)/20 ||
		nested < int(total)/60 {
		t.Error("too few formulas of some sort")
	}
}
