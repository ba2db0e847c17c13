package command

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/model/language/syntax"
	"ringcheck/verify/prove"
)

// theorem is the prove sub-command.
type theorem struct {
	job
	opt         prove.Options
	certificate string
}

func (a *app) proveCommand() *cobra.Command {
	t := &theorem{job: a.job()}
	cmd := t.command("prove", t.work(t.run, t.validate), t.protocol.register, t.search.budget, t.search.deadline,
		t.asJSON)
	flags := cmd.Flags()
	flags.StringVar(&t.opt.Property, "property", "",
		"prove the invariant or terminal property `NAME` (default: the first invariant of the spec)")
	flags.IntVar(&t.opt.Width, "max-width", 3, "look for patterns of up to `W` atoms: 2 or 3")
	flags.StringArrayVar(&t.opt.Hints, "hint", nil,
		"use the invariant `EXPR` in the proof if it can be proved, too; may be repeated")
	flags.StringVar(&t.certificate, "certificate", "",
		"write the proof to the folder `DIR`, for other solvers to check")
	return cmd
}

func (t *theorem) validate(*pflag.FlagSet) error {
	if t.opt.Width < 2 || t.opt.Width > 3 {
		return wrongRequestf("--max-width %d: must be 2 or 3", t.opt.Width)
	}
	if t.certificate != "" {
		return refuseOthers("--certificate", t.certificate, prove.ProofFile)
	}
	return nil
}

func (t *theorem) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	t.warn(t.protocol.spec)
	t.opt.Memory = uint64(t.search.memory)
	r, err := prove.Prove(ctx, t.protocol.spec, t.protocol.given, t.opt)
	if list := (syntax.ErrorList)(nil); errors.As(err, &list) {
		return specError(t.protocol.spec.Text, err)
	} else if err != nil {
		return err
	}
	summary := proveReport(r)
	if err := t.publish(&summary.Document); err != nil {
		return err
	}
	if r.Proved && t.certificate != "" {
		if err := t.save(ctx, r); err != nil {
			return err
		}
	}
	return summary.verdict()
}

// save writes the certificate. Those files of an older one in its folder that it does not replace are about other
// rings, and would be checked with it; they are removed.
func (t *theorem) save(ctx context.Context, r *prove.Report) error {
	var names []string
	err := saveFolder("--certificate", t.certificate, func(made string) error {
		return r.Certificate(ctx, func(f prove.File) error {
			names = append(names, f.Name)
			return os.WriteFile(filepath.Join(made, f.Name), f.Data, 0o666)
		})
	})
	if err != nil {
		return err
	}
	there, err := os.ReadDir(t.certificate)
	for _, old := range there {
		ring := strings.HasPrefix(old.Name(), "ring-") && slices.Contains([]string{".cnf", ".drat"},
			filepath.Ext(old.Name()))
		if ring && !slices.Contains(names, old.Name()) {
			err = cmp.Or(err, os.Remove(filepath.Join(t.certificate, old.Name())))
		}
	}
	return writeError("--certificate", err)
}

// proveReport returns the report that prove prints.
func proveReport(r *prove.Report) *report {
	summary := &report{Document: document.Document{Data: r}, stopErr: r.Err()}
	title := []string{r.Spec}
	for name, value := range r.Given {
		title = append(title, name+" = "+value)
	}
	slices.Sort(title[1:])
	summary.Line("%s", strings.Join(title, ", "))
	summary.Gap()
	switch {
	case r.Proved:
		every := "every " + r.Forall[0] + " ≥ 2"
		for _, name := range r.Forall[1:] {
			every += " and every " + name
		}
		if len(r.Patterns) == 0 {
			why := "no combination of states of processes violates it"
			if r.Kind == "terminal" {
				why = "in all states that violate it, some process can act"
			}
			summary.Line("%s is proved for %s: %s", r.Property, every, why)
			break
		}
		summary.Line("%s is proved for %s, with %d patterns that are inductive on rings of %d to %d:",
			r.Property, every, len(r.Patterns), r.Rings[0], r.Rings[1])
		summary.sentences(r)
	case r.Err() != nil:
	case r.ViolatedSizes != nil && r.Kind == "terminal":
		summary.Line("%s is not proved: in rings of %d to %d all processes wait in states that it forbids;",
			r.Property, r.ViolatedSizes[0], r.ViolatedSizes[1])
		summary.Line("a proof of this kind cannot exclude messages in transit to them")
	case r.ViolatedSizes != nil:
		summary.Line("%s is not proved: a run in a ring of %d to %d violates it; check shows more",
			r.Property, r.ViolatedSizes[0], r.ViolatedSizes[1])
	case r.Counterexample.Ring == 0:
		summary.Line("%s is not proved. This pattern may occur in an initial state:", r.Property)
		summary.Line("  %s", strings.TrimPrefix(r.Counterexample.Pattern, "never: "))
		summary.ignoredConditions(r.Counterexample)
	default:
		summary.Line("%s is not proved. None of the patterns excludes this step in a ring of %d:",
			r.Property, r.Counterexample.Ring)
		summary.Gap()
		summary.Table(stepTable(r.Counterexample), 2, 3)
		summary.Gap()
		summary.Line("a acts, at %s, after which this pattern occurs:", r.Counterexample.Step)
		summary.Line("  %s", strings.TrimPrefix(r.Counterexample.Pattern, "never: "))
		summary.ignoredConditions(r.Counterexample)
	}
	if r.Proved {
		summary.warnings(r.Warnings)
	}
	if summary.stopErr == nil && !r.Proved {
		summary.stopErr = earlyStop(errors.New(r.Property + " is not proved"))
	}
	return summary
}

// sentences prints the patterns of a proof by what they are about, each with a step that shows why it is needed.
func (r *report) sentences(p *prove.Report) {
	about := ""
	pattern := func(text string) string { return strings.TrimPrefix(text, "never: ") }
	for _, s := range p.Sentences {
		if s.About != about {
			about = s.About
			r.Line("  about %s:", about)
		}
		r.Line("    %s", s.Text)
		if need := p.Patterns[s.Patterns[0]].Without; need != nil {
			r.Line("      without it: %s (%s)", need.Action, position(need.Step))
			r.Line("        from %s", pattern(need.Before))
			r.Line("        to   %s", pattern(need.Pattern))
		}
	}
	if len(p.Places) > 0 {
		r.Gap()
	}
	for _, place := range p.Places {
		r.Line("  %s is before %s", place.Name, place.Action)
	}
}

// position returns the line and the column of a place, file:line:column.
func position(place string) string {
	parts := strings.Split(place, ":")
	return strings.Join(parts[max(0, len(parts)-2):], ":")
}

// ignoredConditions prints the conditions that the abstraction ignores.
func (r *report) ignoredConditions(b *prove.Counterexample) {
	if len(b.IgnoredConditions) > 0 {
		r.Gap()
		r.Line("A proof for every n knows identities and control points, not numbers, so it ignores")
	}
	for _, f := range b.IgnoredConditions {
		r.Line("  %s at %s", cmp.Or(f.Text, "the condition"), f.Place)
	}
}

// stepTable draws a step: the control point of each process before and after it, and below that the other known facts.
func stepTable(b *prove.Counterexample) *document.Table {
	table := &document.Table{Head: []string{"process", "before", "after"}}
	for _, p := range b.Processes {
		table.Add(p.Name, p.Before[0], p.After[0])
		for _, fact := range p.Before[1:] {
			after := ""
			if slices.Contains(p.After, fact) {
				after = fact
			}
			table.Add("", fact, after)
		}
		for _, fact := range p.After[1:] {
			if !slices.Contains(p.Before, fact) {
				table.Add("", "", fact)
			}
		}
	}
	return table
}

// checkPatterns is check with --patterns.
func (v *verification) checkPatterns(ctx context.Context, sys *ringcheck.System) error {
	c, err := prove.CheckPatterns(ctx, sys, os.DirFS(v.patterns), v.options())
	if wrong := (*ringcheck.RequestError)(nil); errors.As(err, &wrong) && wrong.Option == "patterns" {
		wrong.Value = v.patterns
	}
	if err != nil {
		return err
	}
	summary := &report{Document: document.Document{Data: c}, stopErr: c.Err()}
	summary.Line("%s", c.Title())
	summary.Gap()
	summary.Row("patterns", comma(c.Patterns))
	summary.Row("states", comma(c.States))
	if c.Occurs != "" {
		summary.violation = "a pattern occurs: " + c.Occurs
	}
	return v.finish(summary)
}
