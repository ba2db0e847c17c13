package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/verify"
	"ringcheck/view"
)

// verification is the check sub-command.
type verification struct {
	job
	junit  outFile
	page   outFile // for --coverage
	strict bool
	// patterns is the folder of a certificate of prove whose patterns are checked instead; "" for none.
	patterns string
}

func (a *app) checkCommand() *cobra.Command {
	v := &verification{job: a.job()}
	cmd := v.command("check", v.on(v.run, v.validate), v.protocol.register, v.search.limits, v.search.reduce,
		v.search.symmetry, v.search.engine, v.search.fairness, v.search.properties, v.results, v.asJSON)
	cmd.Flags().BoolVar(&v.search.checks.StopFirst, "stop-first", false,
		"stop after the first level with a state that violates an invariant or terminal property, and show a run to it")
	cmd.Flags().BoolVar(&v.search.checks.Diagnose, "diagnose", false,
		"determine under which further assumptions a violated property of runs holds, also in a large system")
	cmd.Flags().BoolVar(&v.search.checks.Coverage, "coverage", false,
		"count the states in which each equation, action and condition of the spec takes part; takes much longer")
	cmd.Flags().StringVar(&v.patterns, "patterns", "",
		"check instead that no state has a pattern of the proof whose certificate is in the folder `DIR`")
	v.file(cmd, &v.page, "out", "write the spec with the colours of --coverage to `FILE`, which ends in .html", ".html")
	return cmd
}

// results adds the flags for output of the verdicts.
func (v *verification) results(cmd *cobra.Command) {
	v.junit.format = ".xml"
	v.file(cmd, &v.junit, "junit", "write the verdicts to `FILE` as JUnit XML, for CI systems")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "treat a warning as an error (exit status 1)")
}

// validate reports flags that contradict each other.
func (v *verification) validate(flags *pflag.FlagSet) error {
	return cmp.Or(clash(flags, "patterns", "coverage", "out", "junit", "strict", "stop-first", "diagnose"),
		needs(flags, "out", "coverage"))
}

func (v *verification) run(ctx context.Context, sys *ringcheck.System) error {
	if v.patterns != "" {
		return v.checkPatterns(ctx, sys)
	}
	opt := v.options()
	r, err := ringcheck.Check(ctx, sys, v.search.checks, opt)
	if err != nil {
		return err
	}
	err = v.conclude(ctx, r)
	v.advise(ctx, r)
	return err
}

// conclude publishes the verdicts, followed by the run to the first violation that --stop-first found, if any.
func (v *verification) conclude(ctx context.Context, r *ringcheck.Report) error {
	summary := v.report(ctx, r)
	run, err := v.first(ctx, r)
	if err != nil {
		return cmp.Or(v.publish(&summary.Document), err)
	}
	if run != nil {
		format := map[bool]string{true: "json", false: textFormat}[v.json]
		var b bytes.Buffer
		if err := run.Write(&b, format); err != nil {
			return err
		}
		summary.Data = reportWithRun{r, b.Bytes()}
		summary.Gap()
		summary.Line("%s", strings.TrimSuffix(b.String(), "\n"))
	}
	if r.Verdicts.Coverage == nil { // it is unknown
		return v.finish(summary, &v.junit)
	}
	return v.finish(summary, &v.junit, &v.page)
}

// A reportWithRun is a report whose JSON form has one more field, a run.
type reportWithRun struct {
	report *ringcheck.Report
	run    json.RawMessage
}

func (r reportWithRun) MarshalJSON() ([]byte, error) {
	return document.Join(r.report, map[string]json.RawMessage{"run": r.run})
}

// first returns a run to the first violation that a search with --stop-first found; nil without a violation.
func (v *verification) first(ctx context.Context, r *ringcheck.Report) (*ringcheck.Run, error) {
	if !v.search.checks.StopFirst {
		return nil, nil
	}
	var first *ringcheck.Verdict
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		if p.Outcome() == verify.Violated && p.TraceLength != nil &&
			(first == nil || *p.TraceLength < *first.TraceLength) {
			first = p
		}
	}
	if first == nil {
		return nil, nil
	}
	return r.Run(ctx, first.Name)
}

// report returns the report on the verdicts, whose status says whether all properties hold.
func (v *verification) report(ctx context.Context, r *ringcheck.Report) *report {
	summary := newReport(r, r.Title(), &r.Ending, lowerBounds+", and what is not violated is unknown")
	summary.Other = map[string]func(io.Writer) error{".xml": checkSuite(r).Write}
	if r.Verdicts.Coverage != nil {
		summary.Other[".html"] = coveragePage(v.protocol.spec.Text, r).HTML
	}
	var broken, warned []string
	if v.strict {
		for _, w := range v.protocol.spec.Declarations.Warnings {
			warned = append(warned, w.Pos.String())
		}
	}
	var t document.Table
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		t.Add(p.Kind, p.Name, outcomeText(p), verdictNumbers(r, p))
		for _, line := range p.Why {
			t.Add("", "", "", line)
		}
		for _, w := range p.Warnings {
			t.Add("", "", "", fmt.Sprintf("warning: %s: %s", w.Place, w.Text))
		}
		if p.Outcome() == verify.Violated {
			broken = append(broken, p.Name)
		}
		if len(p.Warnings) > 0 {
			warned = append(warned, p.Name)
		}
	}
	summary.Gap()
	summary.Table(&t, 2, 2)
	summary.runs(&v.job, r)
	summary.reduction(r)
	summary.counts(r, nil)
	summary.cost(r.Seconds, r.PeakRSSBytes)
	summary.coverage(r.Verdicts.Coverage)
	if r.ModelError == nil && r.Invalid() != nil {
		summary.stopErr = r.Invalid()
	}
	switch {
	case len(broken) > 0:
		summary.violation = "violated: " + strings.Join(broken, ", ")
	case summary.stopErr == nil && r.Verdicts.Holds == nil:
		summary.stopErr = earlyStop(errors.New("stopped before all properties were decided"))
	case summary.stopErr == nil && v.strict && len(warned) > 0:
		summary.violation = "holds with warnings: " + strings.Join(warned, ", ")
	}
	if isModelError(summary.stopErr) {
		summary.evidence = v.errorRun(ctx, r)
	}
	return summary
}

// runs lists the commands that show runs to violations.
func (r *report) runs(j *job, of *ringcheck.Report) {
	first := true
	for i := range of.Verdicts.Properties {
		if command := j.runCommand(of, &of.Verdicts.Properties[i]); command != "" {
			if first {
				r.Gap()
				r.Line("a run to a violation:")
			}
			first = false
			r.Line("  %s", command)
		}
	}
}

// outcomeText returns the outcome of a property: "no value" if it has none in some state and no state decides it.
func outcomeText(p *ringcheck.Verdict) string {
	if p.EvalError != nil && p.Holds == nil {
		return "no value"
	}
	return fmt.Sprint(p.Outcome())
}

// judgedStates describes the states in which a kind of property is evaluated; environment says whether there are states
// whose only transitions are the environment's.
func judgedStates(kind string, environment bool) string {
	switch {
	case kind != "terminal":
		return "state"
	case environment:
		return "quiescent state"
	}
	return "terminal state"
}

// verdictNumbers returns the numbers after a verdict: of states, or of steps of a run.
func verdictNumbers(r *ringcheck.Report, p *ringcheck.Verdict) string {
	if p.Kind == "probability" || p.Kind == "expected" {
		return valueText(p.Value)
	}
	what := ""
	if p.States.Int != nil && p.States.Sign() > 0 {
		what = numberOf(p.States, judgedStates(p.Kind, r.EnvironmentOnlyStates.Sign() > 0))
	}
	assumed := ""
	if p.Fairness != "" {
		assumed = "if runs are " + p.Fairness
		if strings.HasPrefix(p.Fairness, "with ") {
			assumed = p.Fairness
		}
	}
	finite := p.Kind == "ltl" && p.Outcome() == verify.Violated && p.TraceLength != nil
	if (p.Lasso != nil || finite) && assumed != "" {
		assumed += ", "
	}
	switch {
	case p.Lasso != nil && p.Lasso.Cycle == 0:
		return fmt.Sprintf("%sby a run of %s that ends", assumed, countOf(p.Lasso.Stem, "step"))
	case p.Lasso != nil:
		return fmt.Sprintf("%sby %s and then %s for ever", assumed, countOf(p.Lasso.Stem, "step"),
			countOf(p.Lasso.Cycle, "step"))
	case finite:
		return fmt.Sprintf("%sby a run of %s", assumed, countOf(*p.TraceLength, "step"))
	case p.Kind == "ltl":
		return assumed
	case p.Outcome() == verify.Violated && p.TraceLength != nil:
		return fmt.Sprintf("%s, the first after %s", what, countOf(*p.TraceLength, "step"))
	}
	return what
}

// checkSuite returns the verdicts for CI systems. A violated property is a failure. An unknown one is an error, so that
// it does not look as if it held.
func checkSuite(r *ringcheck.Report) *document.Suite {
	suite := &document.Suite{Name: r.Title(), Time: document.Seconds(r.Seconds)}
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		test := document.Case{Class: r.Spec, Name: p.Name}
		switch outcome := p.Outcome(); {
		case p.EvalError != nil && outcome != verify.Violated:
			test.Error = &document.Message{
				Summary: "no value: " + p.EvalError.Message, Text: strings.Join(append(p.Why, ""), "\n"),
			}
		case outcome == verify.Violated:
			test.Failure = &document.Message{
				Summary: "violated: " + verdictNumbers(r, p), Text: strings.Join(append(p.Why, ""), "\n"),
			}
		case outcome == verify.Unknown:
			test.Error = &document.Message{Summary: "unknown: the search is incomplete"}
		}
		suite.Cases = append(suite.Cases, test)
	}
	if r.ModelError != nil {
		message := &document.Message{Summary: r.Err().Error()}
		suite.Cases = append(suite.Cases, document.Case{Class: r.Spec, Name: "model", Error: message})
	}
	return suite
}

// coveragePage returns the page of --coverage about the text of a spec.
func coveragePage(spec []byte, r *ringcheck.Report) *view.Listing {
	lines := strings.Split(string(spec), "\n")
	coverage := r.Verdicts.Coverage
	l := &view.Listing{Title: "Coverage of " + r.Spec, Settings: r.Title(), Finding: coverageFinding(coverage),
		Text: spec}
	for i := range coverage {
		c := &coverage[i]
		tone := view.Full
		switch never := c.Gap(); {
		case never == "never":
			tone = view.None
		case never != "":
			tone = view.Half
		}
		count := c.States
		if c.False != nil {
			count = max(count, *c.False)
		}
		what, text := coveredText(c)
		if c.Kind == "equation" {
			what += " " + c.Equation
		}
		column := c.Pos.Column
		if c.Kind == "condition" {
			column = conditionColumn(lines, c.Pos.Line, column)
		}
		l.Marks = append(l.Marks, view.Mark{Line: c.Pos.Line, Column: column, Tone: tone, Count: uint64(count),
			Note: what + ": " + text})
	}
	return l
}

// conditionColumn returns the column of the "if" or "when" before a condition, or of the condition itself.
func conditionColumn(lines []string, line, column int) int {
	if line > len(lines) {
		return column
	}
	before := []rune(lines[line-1])
	before = before[:min(column-1, len(before))]
	if i := max(strings.LastIndex(string(before), "if "), strings.LastIndex(string(before), "when ")); i >= 0 {
		return 1 + utf8.RuneCountInString(string(before)[:i])
	}
	return column
}

// coverage lists the coverage of all equations, actions and conditions.
func (r *report) coverage(list []ringcheck.Coverage) {
	if list == nil {
		return
	}
	var t document.Table
	for i := range list {
		what, text := coveredText(&list[i])
		t.Add(list[i].Place, list[i].Equation, what, text)
	}
	r.Gap()
	r.Line("coverage: %s", coverageFinding(list))
	r.Table(&t, 2, 2)
}

// coverageFinding returns the numbers of elements that are not covered, as a sentence.
func coverageFinding(list []ringcheck.Coverage) string {
	never := 0
	for i := range list {
		if list[i].Gap() != "" {
			never++
		}
	}
	verbs := "are never covered, or have"
	if never == 1 {
		verbs = "is never covered, or has"
	}
	return fmt.Sprintf("of %d equations, actions and conditions %d %s only one value", len(list), never, verbs)
}

// coveredText returns the kind of a covered element and its coverage.
func coveredText(c *ringcheck.Coverage) (what, text string) {
	states := countOf(c.States, "state")
	never := c.Gap()
	switch {
	case c.Kind == "equation" && never == "":
		return "equation", "taken in " + states
	case c.Kind == "equation":
		return "equation", "NEVER taken"
	case c.Kind == "action" && never == "":
		return c.Action, "possible in " + states
	case c.Kind == "action":
		return c.Action, "NEVER possible"
	case never == "":
		return "condition", fmt.Sprintf("true in %s, false in %s", states, comma(*c.False))
	case never == "never false":
		return "condition", "NEVER false, true in " + states
	case never == "never true":
		return "condition", "NEVER true, false in " + countOf(*c.False, "state")
	}
	return "condition", "NEVER decided"
}
