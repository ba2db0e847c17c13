package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/verify/equivalence"
)

// refining checks the flags of compare --refines.
func (c *comparison) refining(flags *pflag.FlagSet) error {
	return cmp.Or(clash(flags, "refines", "equivalence", "explain", "explain-timeout"),
		needs(flags, "model", "refines"), oneOf("model", string(c.model), ringcheck.Choices("model")))
}

// refine decides whether A refines B.
func (c *comparison) refine(ctx context.Context, a, b *ringcheck.System, opt ringcheck.Comparison) error {
	r, err := ringcheck.Refines(ctx, a, b, c.model, opt)
	if err != nil {
		return err
	}
	if r.Vacuous != "" && !c.quiet {
		for _, p := range c.visible.unusedPatterns() {
			fmt.Fprintf(c.stderr, "warning: %s matches no label of A\n", printable.Text(p))
		}
	}
	return c.finishWith(refinementReport(r, c.runOut.path), r.Violation)
}

// finishWith finishes a report, and writes the run of a violation to the file of --run.
func (c *comparison) finishWith(r *report, v *ringcheck.Violation) error {
	if err := c.publish(&r.Document); err != nil {
		return err
	}
	if v != nil && v.Run != nil {
		if err := c.runOut.saveRun(v.Run); err != nil {
			return err
		}
	}
	return r.verdict()
}

// refinementReport returns the report that compare --refines prints. path is the file of the run.
func refinementReport(f *ringcheck.RefinementReport, path string) *report {
	r := &report{Document: document.Document{Data: f}, stopErr: f.Err()}
	if f.ModelError != nil {
		r.evidence = explorePointer
	}
	for i, g := range []*ringcheck.Graph{f.A, f.B} {
		if g == nil {
			continue
		}
		r.Line("%c: %s", "AB"[i], g.Title())
		visited := "visited "
		if g.File != "" {
			visited = ""
		}
		r.Line("   %sstates %s, transitions %s", visited, comma(g.States), comma(g.Transitions))
	}
	r.Gap()
	model := modelName(f.Model)
	switch {
	case f.Refines == nil:
		r.Line("incomplete (%s): it is not known whether A refines B", reasonOf(&f.Ending))
	case f.Vacuous != "":
		r.Line("A refines B, but this says nothing: %s", f.Vacuous)
	case *f.Refines:
		r.Line("A refines B: all its %s are those of B", model)
	default:
		r.violation = fmt.Sprintf("A does not refine B: not all its %s are those of B", model)
		r.Line("%s", r.violation)
		r.deviation(f.Violation, "A", "B", path)
		if f.Note != "" {
			r.Gap()
			r.Line("note: %s", f.Note)
		}
	}
	r.Row("pairs", comma(f.Pairs))
	r.Row("sets of states of B", comma(f.Sets))
	r.cost(f.Seconds, f.PeakRSSBytes)
	return r
}

// deviation lists what one system does and another one does not. path is the file of the run, "" if there is none.
func (r *report) deviation(v *ringcheck.Violation, which, other, path string) {
	r.Gap()
	switch {
	case v.Kind == equivalence.ExcessTrace:
		r.Line("%s can do this, %s cannot:", which, other)
	case v.Kind == equivalence.ExcessDivergence:
		r.Line("%s can do this and then τ's for ever, %s cannot:", which, other)
	case len(v.Refusal) == 0:
		r.Line("%s can do this and come to a state without τ's, %s cannot:", which, other)
	default:
		r.Line("%s can do this and then refuse %s, %s cannot:", which, listOf(v.Refusal), other)
	}
	r.trace(v.Trace)
	if len(v.Trace) == 0 {
		r.Line("  (nothing visible)")
	}
	if v.Kind == equivalence.ExcessFailure {
		offered := "nothing else is possible"
		if len(v.Offer) > 0 {
			offered = "only this is possible: " + listOf(v.Offer)
		}
		r.Line("  and then %s", offered)
	}
	r.Gap()
	switch {
	case v.RunCut != "":
		r.Line("no run: %s", v.RunCut)
	case v.Run != nil && path != "":
		r.Line("The run of %s has %s; it is in %s.", which, countOf(v.Run.Length(), "step"), printable.Text(path))
	case v.Run != nil:
		r.Line("The run of %s has %s; --run FILE draws it.", which, countOf(v.Run.Length(), "step"))
	}
}

// shownLabels is the maximum number of labels that are shown of a set.
const shownLabels = 10

// listOf lists labels.
func listOf(labels []string) string {
	var names []string
	for i, l := range labels {
		if i == shownLabels {
			return fmt.Sprintf("%s and %s more", strings.Join(names, ", "), comma(len(labels)-i))
		}
		names = append(names, labelName(l))
	}
	return strings.Join(names, ", ")
}

// isModel reports whether an equivalence is a model.
func isModel(e ringcheck.Equivalence) bool {
	return slices.Contains(ringcheck.Choices("model"), string(e))
}

// modelName returns the name of a model in words.
func modelName(m ringcheck.RefinementModel) string {
	return map[ringcheck.RefinementModel]string{
		ringcheck.WeakTrace: "weak traces", ringcheck.Trace: "traces", ringcheck.Failures: "failures",
		ringcheck.FailuresDivergences: "failures and divergences",
	}[m]
}
