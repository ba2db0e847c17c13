package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/model/language/check"
	"ringcheck/results/sweep"
	"ringcheck/verify"
)

// specTests is the test sub-command.
type specTests struct{ verification }

func (a *app) testCommand() *cobra.Command {
	s := &specTests{verification{job: a.job()}}
	cmd := s.command("test", s.work(s.run), s.search.limits, s.search.reduce, s.search.symmetry, s.search.engine,
		s.results, s.asJSON)
	cmd.Args = operandRange(1, math.MaxInt, "at least one FILE")
	return cmd
}

// A specCase is an instance whose properties are checked.
type specCase struct {
	name    string // the operand and the given settings
	operand string // that names the spec
	spec    *ringcheck.Spec
	given   ringcheck.Set
	sys     *ringcheck.System
}

// A suiteReport is the JSON report of the test sub-command.
type suiteReport struct {
	Complete bool                `json:"complete"`
	Holds    *bool               `json:"holds"` // whether all properties hold; null: not known
	Checks   []*ringcheck.Report `json:"checks"`
}

func (s *specTests) run(cmd *cobra.Command) error {
	var cases []*specCase
	for _, name := range cmd.Flags().Args() {
		more, err := s.cases(name)
		if err != nil {
			return err
		}
		cases = append(cases, more...)
	}
	found := &suiteReport{Complete: true, Holds: new(true), Checks: []*ringcheck.Report{}}
	all := &report{Document: document.Document{Data: found}}
	junit := &document.Suite{Name: "ringcheck test"}
	all.Other = map[string]func(io.Writer) error{".xml": junit.Write}
	counts := make(map[verify.Outcome]int)
	for _, c := range cases {
		r, err := s.check(cmd.Context(), c, all)
		if err != nil {
			return err
		}
		found.add(r)
		of := checkSuite(r)
		for i := range of.Cases {
			of.Cases[i].Class = c.name
		}
		junit.Cases, junit.Time = append(junit.Cases, of.Cases...), junit.Time+of.Time
		for i := range r.Verdicts.Properties {
			counts[r.Verdicts.Properties[i].Outcome()]++
		}
	}
	all.Line("")
	all.Line("%s: %s hold, %s violated, %s unknown", countOf(len(cases), "instance"),
		countOf(counts[verify.Holds], "property"), comma(counts[verify.Violated]), comma(counts[verify.Unknown]))
	return s.finish(all, &s.junit)
}

// cases returns the instances of a spec that its check declarations name.
func (s *specTests) cases(name string) ([]*specCase, error) {
	spec, err := s.open(name)
	if err != nil {
		return nil, err
	}
	s.warn(spec)
	declared := spec.Declarations.Checks
	if declared == nil {
		declared = []check.Check{{}}
	}
	var cases []*specCase
	for _, d := range declared {
		values := make(ringcheck.Set)
		for setting, value := range d.Values {
			values[setting] = value
		}
		sets, err := sweep.Grid(spec, values)
		for i := 0; i < len(sets) && err == nil; i++ {
			var c *specCase
			c, err = newCase(name, spec, sets[i])
			cases = append(cases, c)
		}
		if err != nil {
			return nil, checkError(name, spec, d, err)
		}
	}
	return cases, nil
}

// newCase returns the instance of a spec, which an operand names, with the given settings.
func newCase(operand string, spec *ringcheck.Spec, given ringcheck.Set) (*specCase, error) {
	c := &specCase{name: operand, operand: operand, spec: spec, given: given}
	for _, setting := range spec.Declarations.Settings() {
		if value, ok := given[setting.Name]; ok {
			c.name += fmt.Sprintf(" %s=%v", setting.Name, value)
		}
	}
	var err error
	c.sys, err = spec.System(given)
	return c, err
}

// checkError describes the error of an instance that a check declaration names.
func checkError(name string, spec *ringcheck.Spec, d check.Check, err error) error {
	var setting *check.SettingError
	switch {
	case !errors.As(err, &setting) && d.Values == nil:
		return specError(spec.Text, err)
	case d.Values == nil:
		return wrongRequestf("%s: %w; say for which values it is checked, such as: check %s = 3", name, err,
			setting.Name)
	}
	return specError(spec.Text, fmt.Errorf("%s: %w", d.Pos, err))
}

// check checks the properties of an instance, prints their verdicts, and adds what they mean for the exit status to
// the report on all instances.
func (s *specTests) check(ctx context.Context, c *specCase, all *report) (*ringcheck.Report, error) {
	s.progress.begin(c.name)
	r, err := ringcheck.Check(ctx, c.sys, s.search.checks, s.options())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	s.protocol.name, s.protocol.spec, s.protocol.given = c.operand, c.spec, c.given
	one := s.report(ctx, r)
	if one.violation != "" {
		if all.violation != "" {
			all.violation += "; "
		}
		all.violation += c.name + ": " + one.violation
	}
	if one.stopErr != nil {
		all.stopErr = cmp.Or(all.stopErr, fmt.Errorf("%s: %w", c.name, one.stopErr))
	}
	if s.json {
		return r, nil
	}
	return r, s.print(s.lines(c, r))
}

// lines returns a line for each property of an instance, with the commands that show runs to violations below.
func (s *specTests) lines(c *specCase, r *ringcheck.Report) string {
	var text strings.Builder
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		line := fmt.Sprintf("%-8s  %s: %s %s", outcomeText(p), c.name, p.Kind, p.Name)
		if numbers := verdictNumbers(r, p); numbers != "" {
			line += "  " + numbers
		}
		text.WriteString(line + "\n")
		if run := s.runCommand(r, p); run != "" {
			text.WriteString("          " + run + "\n")
		}
	}
	return text.String()
}

// add adds the report on an instance.
func (f *suiteReport) add(r *ringcheck.Report) {
	f.Checks = append(f.Checks, r)
	f.Complete = f.Complete && r.Complete
	switch holds := r.Verdicts.Holds; {
	case holds != nil && !*holds:
		f.Holds = new(false)
	case holds == nil && f.Holds != nil && *f.Holds:
		f.Holds = nil
	}
}
