package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/internal/junit"
	"ringcheck/internal/tabular"
	"ringcheck/verify"
	"ringcheck/view"
)

// verification is the sub-command check.
type verification struct {
	job
	junit  outFile
	page   outFile // for --coverage
	strict bool
}

func (a *app) checkCommand() *cobra.Command {
	v := &verification{job: a.job()}
	cmd := a.command("check", v.on(v.run, v.validate))
	v.protocol.register(a, cmd)
	v.search.register(cmd)
	v.search.registerReduce(cmd)
	v.search.registerSymmetry(cmd)
	v.search.registerEngine(cmd)
	v.search.registerProperties(cmd, &v.protocol)
	v.search.registerFairness(cmd)
	v.registerResults(cmd)
	cmd.Flags().BoolVar(&v.search.opt.StopFirst, "stop-first", false,
		"stop after the first level with a state that breaks an invariant or terminal property, and show a run to it")
	cmd.Flags().BoolVar(&v.search.opt.Coverage, "coverage", false,
		"count the states in which each equation, action and condition of the spec takes part; takes much longer")
	v.file(cmd, &v.page, "out", "write the spec with the colours of --coverage to `FILE`, which ends in .html", ".html")
	v.form.register(cmd)
	return cmd
}

// registerResults adds the flags for output of the verdicts.
func (v *verification) registerResults(cmd *cobra.Command) {
	v.file(cmd, &v.junit, "junit", "write the verdicts to `FILE` as JUnit XML, for CI systems")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "treat a warning about a property as an error (exit status 1)")
}

// registerFairness adds the flag for the fairness of runs.
func (s *search) registerFairness(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(&s.opt.Fairness), "fair", "",
		"assume `none, weak or strong` fairness to each process, instead of what ltl properties assume")
	offer(cmd, "fair", inside.Choices("fair"))
}

// registerProperties adds the flag that chooses properties.
func (s *search) registerProperties(cmd *cobra.Command, p *protocol) {
	cmd.Flags().StringArrayVar(&s.opt.Properties, "property", nil, "choose the property `NAME`; may be repeated "+
		"(default: all)")
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.propertyNames(), cobra.ShellCompDirectiveNoFileComp
	}
	must(cmd.RegisterFlagCompletionFunc("property", names))
}

// validate reports flags that contradict each other.
func (v *verification) validate(*pflag.FlagSet) error {
	if v.page.path != "" && !v.search.opt.Coverage {
		return wrongRequestf("--out needs --coverage")
	}
	return nil
}

func (v *verification) run(ctx context.Context, sys *ringcheck.System) error {
	return v.decide(ctx, func(opt ringcheck.Options) (*ringcheck.Report, error) {
		return ringcheck.Check(ctx, sys, opt)
	})
}

// decide publishes the verdicts of check.
func (v *verification) decide(ctx context.Context, check func(ringcheck.Options) (*ringcheck.Report, error)) error {
	r, err := searching(&v.job, check)
	if err != nil {
		return err
	}
	err = cmp.Or(v.junit.save(checkSuite(r).Write), v.saveCoverage(r))
	if err != nil {
		return err
	}
	first, err := v.first(ctx, r)
	return cmp.Or(v.publishWith(r, first), err, v.verdict(ctx, r))
}

// first returns a run to the first violation that a search with --stop-first met; nil if there is none.
func (v *verification) first(ctx context.Context, r *ringcheck.Report) (*ringcheck.Run, error) {
	if !v.search.opt.StopFirst {
		return nil, nil
	}
	var first *ringcheck.Verdict
	for i := range r.Properties {
		p := &r.Properties[i]
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

// publishWith publishes a report, followed by a run if there is one.
func (v *verification) publishWith(r *ringcheck.Report, run *ringcheck.Run) error {
	if run == nil {
		return v.publish(r, checkText(r))
	}
	format := map[bool]string{true: "json", false: textFormat}[v.json]
	var b bytes.Buffer
	if err := run.Write(&b, format); err != nil {
		return err
	}
	return v.publish(struct {
		*ringcheck.Report
		Run json.RawMessage `json:"run"`
	}{r, b.Bytes()}, checkText(r)+"\n"+b.String())
}

// verdict returns nil if all properties hold, otherwise the failure: a violation takes precedence over the reason why
// the search ended early. A fault of the model is reported in any case.
func (v *verification) verdict(ctx context.Context, r *ringcheck.Report) error {
	var fault error
	if r.Fault != nil {
		fault = v.faulty(ctx, r)
	}
	var broken, warned []string
	for i := range r.Properties {
		p := &r.Properties[i]
		if p.Outcome() == verify.Violated {
			broken = append(broken, p.Name)
		}
		if len(p.Warnings) > 0 {
			warned = append(warned, p.Name)
		}
	}
	switch {
	case len(broken) > 0:
		f := &failure{status: statusViolated, err: fmt.Errorf("violated: %s", strings.Join(broken, ", "))}
		if fault != nil {
			f.rendered = describe(f) + describe(fault)
		}
		return f
	case fault != nil:
		return fault
	case r.Err() != nil:
		return r.Err()
	case r.Holds == nil:
		return stopped(errors.New("stopped before all properties were decided"))
	case v.strict && len(warned) > 0:
		return &failure{status: statusViolated, err: fmt.Errorf("holds with warnings: %s", strings.Join(warned, ", "))}
	}
	return nil
}

// checkText returns the verdicts as text.
func checkText(r *ringcheck.Report) string {
	var b strings.Builder
	writeHead(&b, r.Title(), &r.Ending, lowerBounds+", and what is not violated is unknown")
	var t tabular.Table
	for i := range r.Properties {
		p := &r.Properties[i]
		t.Add(p.Kind, p.Name, fmt.Sprint(p.Outcome()), verdictNumbers(r, p))
		for _, line := range p.Why {
			t.Add("", "", "", line)
		}
		for _, w := range p.Warnings {
			t.Add("", "", "", fmt.Sprintf("warning: %s: %s", w.Place, w.Text))
		}
	}
	b.WriteString(t.Text(2, 2) + "\n")
	writeReduction(&b, r)
	writeRows(&b, append(countRows(&r.Counts), spentRows(r.Seconds, r.PeakRSSBytes)...))
	return b.String() + coverageText(r.Coverage)
}

// judgedStates names the states in which a kind of property is evaluated; environment tells whether there are states
// that only the environment leaves.
func judgedStates(kind string, environment bool) string {
	switch {
	case kind != "terminal":
		return "state"
	case environment:
		return "quiescent state"
	}
	return "terminal state"
}

// verdictNumbers describes the states or the run behind a verdict.
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
	if p.Lasso != nil && assumed != "" {
		assumed += ", "
	}
	switch {
	case p.Lasso != nil && p.Lasso.Cycle == 0:
		return fmt.Sprintf("%sby a run of %s that ends", assumed, countOf(p.Lasso.Stem, "step"))
	case p.Lasso != nil:
		return fmt.Sprintf("%sby %s and then %s for ever", assumed, countOf(p.Lasso.Stem, "step"),
			countOf(p.Lasso.Cycle, "step"))
	case p.Kind == "ltl":
		return assumed
	case p.Outcome() == verify.Violated && p.TraceLength != nil:
		return fmt.Sprintf("%s, the first after %s", what, countOf(*p.TraceLength, "step"))
	}
	return what
}

// checkSuite returns the verdicts for CI systems. A violated property is a failure, and an unknown one an error: it
// must not look as if it held.
func checkSuite(r *ringcheck.Report) *junit.Suite {
	suite := &junit.Suite{Name: r.Title(), Time: junit.Seconds(r.Seconds)}
	for i := range r.Properties {
		p := &r.Properties[i]
		test := junit.Case{Class: r.Spec, Name: p.Name}
		switch p.Outcome() {
		case verify.Violated:
			test.Failure = &junit.Message{
				Summary: "violated: " + verdictNumbers(r, p), Text: strings.Join(append(p.Why, ""), "\n"),
			}
		case verify.Unknown:
			test.Error = &junit.Message{Summary: "unknown: the search is incomplete"}
		}
		suite.Cases = append(suite.Cases, test)
	}
	if r.Fault != nil {
		fault := &junit.Message{Summary: r.Err().Error()}
		suite.Cases = append(suite.Cases, junit.Case{Class: r.Spec, Name: "model", Error: fault})
	}
	return suite
}

// saveCoverage writes the page of --coverage, if it is requested and the coverage is known.
func (v *verification) saveCoverage(r *ringcheck.Report) error {
	if v.page.path == "" || r.Coverage == nil {
		return nil
	}
	lines := strings.Split(string(v.protocol.spec.Text), "\n")
	l := &view.Listing{Title: "Coverage of " + r.Spec, Settings: r.Title(), Finding: coverageFinding(r.Coverage),
		Text: v.protocol.spec.Text}
	for i := range r.Coverage {
		c := &r.Coverage[i]
		tone := view.Full
		switch never := c.Never(); {
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
		column := c.Column
		if c.Kind == "condition" {
			column = conditionColumn(lines, c.Line, column)
		}
		l.Marks = append(l.Marks, view.Mark{Line: c.Line, Column: column, Tone: tone, Count: uint64(count),
			Note: what + ": " + text})
	}
	return v.page.save(l.HTML)
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

// coverageText lists the coverage of all equations, actions and conditions.
func coverageText(list []ringcheck.Covered) string {
	if list == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ncoverage: %s\n", coverageFinding(list))
	var t tabular.Table
	for i := range list {
		what, text := coveredText(&list[i])
		t.Add(list[i].Place, list[i].Equation, what, text)
	}
	return b.String() + t.Text(2, 2)
}

// coverageFinding counts what is not covered.
func coverageFinding(list []ringcheck.Covered) string {
	never := 0
	for i := range list {
		if list[i].Never() != "" {
			never++
		}
	}
	return fmt.Sprintf("of %d equations, actions and conditions %d never take part, or go one way only", len(list),
		never)
}

// coveredText returns the kind of a covered element and its coverage.
func coveredText(c *ringcheck.Covered) (what, text string) {
	states := countOf(c.States, "state")
	never := c.Never()
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
