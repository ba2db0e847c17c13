package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/results/sweep"
	"ringcheck/verify"
	"ringcheck/view"
)

// drawing is the format and the destination of a run.
type drawing struct {
	job
	format string
	out    outFile
}

func (c *drawing) register(cmd *cobra.Command) {
	names := ringcheck.Choices("format")
	flags := cmd.Flags()
	c.out.drawn = true
	flags.StringVar(&c.format, "format", "", "draw the run as `FORM`: "+strings.Join(names, ", ")+" (default: by the "+
		"ending of --out, else text)")
	c.runFile(cmd, &c.out, "out", "write the run to `FILE` instead of standard output")
	flags.BoolVar(&c.json, "json", false, "the same as --format json")
	offer(cmd, "format", names)
}

// validate determines the format from --format, --json and the name of the file.
func (c *drawing) validate(*pflag.FlagSet) error {
	if err := c.out.checkName(); err != nil {
		return err
	}
	byName := view.ByEnding(c.out.ending())
	switch {
	case c.json && c.format != "" && c.format != "json":
		return wrongRequestf("--json and --format %s contradict each other", c.format)
	case c.json:
		c.format = "json"
	}
	if c.out.path != "" && c.format != "" && c.format != byName && !(byName == textFormat && c.format == "msc") {
		return wrongRequestf("--out %s and --format %s contradict each other", c.out.path, c.format)
	}
	c.format = cmp.Or(c.format, byName)
	c.json = c.format == "json"
	if err := oneOf("format", c.format, ringcheck.Choices("format")); err != nil {
		return err
	}
	if f, err := view.Lookup(c.format); err == nil && f.Binary && c.out.path == "" {
		return wrongRequestf("--format %s needs --out FILE, since it is not text", c.format)
	}
	return nil
}

// columns returns the width of the terminal that output without a path goes to; 0 if it does not go to a terminal.
func (a *app) columns(path string) int {
	if f, ok := a.stdout.(*os.File); ok && path == "" && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// draw prints or writes a run.
func (c *drawing) draw(run *ringcheck.Run) error {
	run.Width, run.Selection = c.columns(c.out.path), c.out.selection
	return c.output(&c.out, func(w io.Writer) error { return run.Write(w, c.format) })
}

// refutation is the sub-command counterexample, or witness.
type refutation struct {
	drawing
	witness bool // the run satisfies a reachable property
	hunts   bool
	seed    uint64
}

// defaultSpec is the protocol that counterexample searches if none is named.
const defaultSpec = "franklin"

func (a *app) counterexampleCommand() *cobra.Command {
	c := &refutation{drawing: drawing{job: a.job()}}
	c.protocol.fallback = defaultSpec
	return c.command("counterexample", c.search.fairness, c.hunting)
}

func (a *app) witnessCommand() *cobra.Command {
	c := &refutation{drawing: drawing{job: a.job()}}
	c.witness = true
	return c.command("witness")
}

func (c *refutation) command(page string, more ...func(*cobra.Command)) *cobra.Command {
	return c.job.command(page, c.work(c.run, c.drawing.validate), append(more, c.protocol.register, c.search.limits,
		c.search.reduce, c.search.symmetry, c.search.properties, c.drawing.register)...)
}

func (c *refutation) run(cmd *cobra.Command) error {
	if c.hunts {
		return c.hunt(cmd)
	}
	candidates, err := c.protocol.candidates()
	if err = cmp.Or(err, needs(cmd.Flags(), "seed", "hunt")); err != nil {
		return err
	}
	return c.refute(cmd.Context(), candidates, func(
		ctx context.Context, sys *ringcheck.System, search ringcheck.Search,
	) (*ringcheck.Run, *ringcheck.Report, error) {
		if c.witness {
			return ringcheck.Witness(ctx, sys, c.search.checks.Properties, search)
		}
		return ringcheck.Counterexample(ctx, sys, c.search.checks.Claims, search)
	})
}

// refute searches the instances with the given settings one by one and shows the first run that find returns.
func (c *refutation) refute(ctx context.Context, settings []ringcheck.Set, find func(
	context.Context, *ringcheck.System, ringcheck.Search,
) (*ringcheck.Run, *ringcheck.Report, error)) error {
	c.warn(c.protocol.spec)
	s := &searchReport{Steps: []string{}}
	for _, set := range settings {
		var run *ringcheck.Run
		var r *ringcheck.Report
		sys, err := c.protocol.systemWith(set)
		if err == nil {
			run, r, err = find(ctx, sys, c.options())
		}
		switch {
		case err != nil && len(settings) > 1 && statusOf(err) == statusRequest:
			s.Instances = append(s.Instances, c.protocol.refusedInstance(set, err))
			continue
		case err != nil:
			return err
		}
		i := s.add(r)
		c.note(i.title() + ": " + i.outcome())
		switch {
		case run != nil:
			c.warnSkipped(s)
			return c.show(run, s)
		case r.ModelError != nil, r.Invalid() != nil && i.broken() == nil:
			c.warnSkipped(s)
			return c.modelError(ctx, r)
		case i.broken() != nil:
			s.Property, s.Length = &i.broken().Name, i.broken().TraceLength
			summary := s.report("no run found")
			summary.stopErr = earlyStop(fmt.Errorf("%w, before a run that violates %s was found", r.Err(), *s.Property))
			return c.finish(summary)
		}
	}
	if s.Spec == "" {
		return s.Instances[0].failure
	}
	return c.reportNone(s)
}

// warnSkipped names the instances that were not searched before one with a run to show.
func (c *refutation) warnSkipped(s *searchReport) {
	for _, i := range s.Instances {
		if i.failure != nil && !c.quiet {
			fmt.Fprintln(c.stderr, printable.Text("ringcheck: "+i.title()+": "+i.outcome()))
		}
	}
}

// refusedInstance returns the instance, one of several, that an error refuses. It is named in an error that has a place
// in the spec; other errors are about the request.
func (p *protocol) refusedInstance(set ringcheck.Set, err error) *instance {
	i := &instance{States: ringcheck.Count(0).Number(), report: new(ringcheck.Report), failure: classify(err)}
	i.report.Spec, i.Refused = p.spec.Name, i.failure.Error()
	for _, param := range p.spec.Declarations.Params {
		if v, ok := set[param.Name]; ok {
			if n, err := strconv.Atoi(fmt.Sprint(v)); err == nil {
				v = n
			}
			i.Params = append(i.Params, ringcheck.Setting{Name: param.Name, Value: v})
		}
	}
	about := "with " + i.Params.String()
	switch f := i.failure; {
	case f.text != "":
		i.failure = &failure{f.status, fmt.Errorf("%w (%s)", f.err, about), f.text + about + "\n"}
	case placed.MatchString(i.Refused):
		i.failure = &failure{f.status, fmt.Errorf("%w (%s)", f.err, about), ""}
	}
	return i
}

// show draws a run. If the property is violated by the set of all runs and not by a single one, JSON describes the
// search.
func (c *refutation) show(run *ringcheck.Run, s *searchReport) error {
	var err error
	if run.Moves == nil && c.json && !c.witness {
		s.Property = &run.Property
		err = c.publish(&s.report("").Document)
	} else {
		err = c.draw(run)
	}
	if err != nil || c.witness {
		return err
	}
	return (&report{violation: "violated: " + run.Property}).verdict()
}

// modelError draws the run to the model error that ended a search, and returns its failure.
func (c *drawing) modelError(ctx context.Context, r *ringcheck.Report) error {
	summary := &report{stopErr: r.Err()}
	if r.ModelError == nil {
		summary.stopErr = r.Invalid()
	}
	run, err := r.ErrorRun(ctx)
	if run == nil || err != nil {
		summary.evidence = c.errorRun(ctx, r)
		return summary.verdict()
	}
	return cmp.Or(c.draw(run), summary.verdict())
}

// reportNone reports that no instance has a run to show.
func (c *refutation) reportNone(s *searchReport) error {
	if !c.witness {
		return c.finish(s.report("no violation found"))
	}
	if len(s.Instances) == 1 {
		s.only = s.Instances[0].report
	}
	summary := s.report("no witness found")
	if summary.stopErr == nil {
		summary.violation = "no reachable state satisfies a reachable property"
	}
	return c.finish(summary)
}

// searchReport is the JSON report on the instances that were searched if there is no run to show.
type searchReport struct {
	Spec      string             `json:"-"` // "" if every instance so far is refused
	Options   ringcheck.Settings `json:"-"`
	Property  *string            `json:"property"` // null: none is known to be violated
	Length    *int               `json:"length"`   // the length of the run, null if unknown
	Steps     []string           `json:"steps"`    // none
	Instances []*instance        `json:"searched"`

	only *ringcheck.Report // of the instance without a witness, if there is only one
}

// MarshalJSON returns an object that begins with the report of the only instance without a witness, or with the spec.
func (s *searchReport) MarshalJSON() ([]byte, error) {
	type results searchReport // without this method
	if s.only != nil {
		return document.Join(s.only, (*results)(s))
	}
	return document.Join(&struct {
		Spec    string             `json:"spec"`
		Options ringcheck.Settings `json:"options"`
	}{s.Spec, s.Options}, (*results)(s))
}

// An instance is the result of the search of one instance.
type instance struct {
	Params   ringcheck.Settings `json:"params"`
	Complete bool               `json:"complete"`
	Stopped  string             `json:"stopped,omitempty"` // as in ringcheck.Ending
	Refused  string             `json:"refused,omitempty"` // why the instance was not searched
	Holds    *bool              `json:"holds"`
	States   ringcheck.Number   `json:"states"`

	report  *ringcheck.Report
	failure *failure // nil if the instance was searched
}

func (s *searchReport) add(r *ringcheck.Report) *instance {
	i := &instance{Params: r.Params, Complete: r.Complete, Stopped: r.Stopped, States: r.States, report: r}
	if r.Verdicts != nil {
		i.Holds = r.Verdicts.Holds
	}
	s.Spec, s.Options = r.Spec, r.Description.Options
	s.Instances = append(s.Instances, i)
	return i
}

// report lists the instances. The work ended early unless every search was complete and had a verdict.
func (s *searchReport) report(finding string) *report {
	r := &report{Document: document.Document{Data: s}}
	r.Line("%s", (&ringcheck.Description{Spec: s.Spec, Options: s.Options}).Title())
	r.Gap()
	r.Line("%s", finding)
	r.Gap()
	for _, i := range s.Instances {
		r.Line("  %s: %s", i.title(), i.outcome())
		if r.stopErr == nil && i.failure == nil && (!i.Complete || i.Holds == nil && i.report.Verdicts != nil) {
			r.stopErr = earlyStop(fmt.Errorf("%s: %s", i.title(), i.outcome()))
		}
	}
	return r
}

// title names the instance without its options.
func (i *instance) title() string {
	return (&ringcheck.Description{Spec: i.report.Spec, Params: i.Params}).Title()
}

func (i *instance) outcome() string {
	switch v := i.broken(); {
	case i.failure != nil:
		return "refused: " + i.Refused
	case v != nil && v.TraceLength == nil:
		return "violated: " + v.Name
	case v != nil:
		return fmt.Sprintf("violated: %s, after %s", v.Name, countOf(*v.TraceLength, "step"))
	case i.Holds != nil:
		return "all properties hold (" + numberOf(i.States, "state") + ")"
	case i.report.Err() != nil:
		return fmt.Sprintf("unknown: %v after %s", i.report.Err(), numberOf(i.States, "state"))
	case i.report.Verdicts == nil:
		return "no witness (" + numberOf(i.States, "state") + ")"
	}
	for _, v := range i.report.Verdicts.Properties {
		if v.Holds == nil && len(v.Why) > 0 {
			return "unknown: " + v.Name + ": " + v.Why[0]
		}
	}
	return "unknown: all " + numberOf(i.States, "state") + " are known, but the time did not suffice to decide more"
}

// broken returns the first verdict with a violated property, or nil.
func (i *instance) broken() *ringcheck.Verdict {
	if i.report.Verdicts == nil {
		return nil
	}
	list := i.report.Verdicts.Properties
	at := slices.IndexFunc(list, func(v ringcheck.Verdict) bool { return v.Outcome() == verify.Violated })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// The number of values that are searched for a parameter that is not given.
const (
	firstValues = 4 // of the first parameter
	otherValues = 2
)

// candidates returns the settings to search, in order. A given setting can be a list or a range. For other parameters
// the least values are searched, unless their bounds depend on further parameters.
func (p *protocol) candidates() ([]ringcheck.Set, error) {
	values := maps.Clone(p.given)
	for i, param := range p.spec.Declarations.Params {
		lo, err := strconv.Atoi(param.Lo)
		if _, given := values[param.Name]; given || err != nil {
			continue
		}
		hi := lo + otherValues - 1
		if i == 0 {
			hi = lo + firstValues - 1
		}
		if top, err := strconv.Atoi(param.Hi); err == nil {
			hi = min(hi, top)
		}
		values[param.Name] = fmt.Sprintf("%d..%d", lo, hi)
	}
	all, err := sweep.Grid(p.spec, values)
	if err != nil {
		return nil, wrongRequest(err)
	}
	return all, nil
}
