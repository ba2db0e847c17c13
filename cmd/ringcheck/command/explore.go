package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/lts"
	"ringcheck/reduce/confluence"
)

// exploration is the sub-command explore.
type exploration struct {
	job
	engine  engine
	output  outFile // the transition system
	events  bool    // in the output, all but events is τ
	dump    dump
	kept    kept
	explain bool
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{job: a.job()}
	cmd := a.command("explore", e.work(e.run, e.engine.validate, e.dump.validate, e.validate))
	e.protocol.stored = e.kept.stored
	e.protocol.register(a, cmd)
	e.search.register(cmd)
	e.search.registerReductions(cmd, &e.protocol)
	e.engine.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&e.explain, "explain", false, "say which steps are confluent, and why or why not; on standard error with --json")
	e.output.register(cmd, "out", "write the transition system to `FILE`"+systemUsage, systemFormats)
	flags.BoolVar(&e.events, "hide-internal", false, "in --out, write τ for all but visible events")
	e.dump.register(cmd)
	e.kept.register(cmd)
	e.form.register(cmd)
	return cmd
}

// validate reports flags that make no sense together.
func (e *exploration) validate(flags *pflag.FlagSet) error {
	err := cmp.Or(e.output.named(), e.kept.validate(&e.search.opt, e.showing(flags)))
	reduced := e.search.opt.Reduction != none
	switch {
	case err != nil:
		return err
	case e.engine.symbolic() && (e.showing(flags) || e.kept.dir() != "" || e.explain):
		return wrongRequestf("--engine %s counts: it has no --out, --dump-level, --store, --resume and --explain", ringcheck.Symbolic)
	case e.explain && !reduced:
		return wrongRequestf("--explain is about --reduce %s and %s: give one of them", ringcheck.Confelm, ringcheck.OnTheFly)
	case e.events && e.output.path == "":
		return wrongRequestf("--hide-internal needs --out")
	case e.dump.wanted(flags) && e.output.path != "":
		return wrongRequestf("--dump-level stops before there is anything to write with --out: give one of them")
	}
	return nil
}

func (e *exploration) run(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if e.kept.resume != "" {
		if err := e.adopt(flags); err != nil {
			return err
		}
	}
	sys, err := e.protocol.system()
	if err != nil {
		return err
	}
	e.warn(sys.Spec)
	ctx := cmd.Context()
	switch {
	case e.engine.symbolic():
		return e.symbolically(ctx, sys)
	case e.dump.wanted(flags):
		return e.show(ctx, sys)
	}
	if err := e.kept.open(); err != nil {
		return err
	}
	return cmp.Or(e.count(ctx, sys), e.kept.close())
}

// showing reports whether states or transitions are to be shown.
func (e *exploration) showing(flags *pflag.FlagSet) bool {
	return e.output.path != "" || e.dump.wanted(flags)
}

// count explores everything and reports the numbers.
func (e *exploration) count(ctx context.Context, sys *ringcheck.System) error {
	r, err := searching(&e.job, func(opt ringcheck.Options) (*ringcheck.Report, error) {
		err := cmp.Or(e.engine.advise(ctx, e.app, sys, opt), e.account(sys, &opt))
		switch {
		case err != nil:
			return nil, err
		case e.output.path == "":
			return ringcheck.Explore(ctx, sys, opt)
		}
		return e.export(ctx, sys, opt)
	})
	if r == nil {
		return err
	}
	text := ""
	if e.explain {
		text = confluenceText(r.Confluence)
	}
	if e.explain && e.json {
		fmt.Fprint(e.stderr, text)
	}
	return cmp.Or(e.publish(r, exploreText(r)+text), err, e.verdict(ctx, r))
}

// export explores and writes the transitions to the file, which gets its name only if the exploration is complete. An error
// with a report means that the file could not be written; the numbers are those so far.
func (e *exploration) export(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (r *ringcheck.Report, err error) {
	err = e.output.saveSystem(func(w lts.Writer) (keep bool, err error) {
		r, err = ringcheck.Export(ctx, sys, w, e.events, opt)
		return err == nil && r.Complete, err
	})
	if err != nil && r != nil {
		r.Complete, r.Stopped, err = false, "output", e.output.failed(err)
	}
	return r, err
}

// show prints some states of a level.
func (e *exploration) show(ctx context.Context, sys *ringcheck.System) error {
	level, err := searching(&e.job, func(opt ringcheck.Options) (*ringcheck.LevelReport, error) {
		return ringcheck.Level(ctx, sys, e.dump.level, e.dump.limit, opt)
	})
	if err != nil {
		return err
	}
	if err := e.publish(level, levelText(level)); err != nil || level.Report == nil {
		return err
	}
	return e.verdict(ctx, level.Report)
}

// verdict returns nil if the search came to its end, else why not, with the run to a fault.
func (e *exploration) verdict(ctx context.Context, r *ringcheck.Report) error {
	err := r.Err()
	if err == nil {
		if r.Useless && !e.quiet {
			fmt.Fprintf(e.stderr, "ringcheck: --assume %s made no difference: it keeps no two messages of a channel apart\n", r.Assumption)
		}
		return nil
	}
	if r.Fault == nil {
		return stopped(fmt.Errorf("%w%s", err, e.kept.hint(err)))
	}
	return e.faulty(ctx, r, &r.Ending)
}

// A faulted is a report of a search that may have met a fault.
type faulted interface {
	FaultRun(ctx context.Context) (*ringcheck.Run, error)
}

// lastSteps is how many steps of a long run are shown on standard error: channels that grow make long runs, and long lines.
const lastSteps = 20

// faulty returns the failure for the fault that ended a search, with the run that leads there.
func (a *app) faulty(ctx context.Context, r faulted, e *ringcheck.Ending) error {
	f := classify(e.Err())
	var b strings.Builder
	b.WriteString(describe(f))
	for _, line := range e.Fault.Why {
		fmt.Fprintln(&b, line)
	}
	run, err := r.FaultRun(ctx)
	if err == nil {
		from := 0
		fmt.Fprintf(&b, "after %s", countOf(run.Length(), "step"))
		if run.Length() > 2*lastSteps {
			from = run.Length() - lastSteps
			fmt.Fprintf(&b, ", of which these are the last %d", lastSteps)
		}
		b.WriteString(":\n")
		err = run.WriteSteps(&b, from, false)
	}
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return &failure{status: f.status, err: f.err, rendered: b.String()}
}

// exploreText returns a report for people.
func exploreText(r *ringcheck.Report) string {
	var b strings.Builder
	writeHead(&b, r.Title(), &r.Ending, lowerBounds)
	reduced := r.Reduction != none
	if !reduced && r.Assumption != "" && r.Complete {
		fmt.Fprintf(&b, "checked in every state: the assumption %s\n\n", r.Assumption)
	}
	writeReduction(&b, &r.Subject, r.StoredStates)
	rows := []row{{"states", comma(r.States), ""}}
	if r.Reduction == ringcheck.OnTheFly.String() {
		rows = append(rows, row{"internal states", comma(r.InternalStates), ""})
	}
	rows = append(append(rows, countRows(&r.Counts)...), []row{
		{"time", fmt.Sprintf("%.3f", r.Seconds), "s"},
		{"rate", comma(r.TransitionsPerSecond), "transitions/s"},
		{"workers", comma(r.Workers), ""},
		{"visited set", humanize.Comma(int64(r.Visited.Bytes)), "bytes"},
		{"per state", fmt.Sprintf("%.2f", r.Visited.BytesPerState), "bytes"},
		{"peak memory", comma(r.PeakRSSBytes >> 20), "MiB"},
	}...)
	if r.DiskBytes > 0 {
		rows = append(rows, []row{
			{"on disk", comma(r.DiskBytes), "bytes"},
			{"per state", fmt.Sprintf("%.2f", float64(r.DiskBytes)/float64(max(1, r.StoredStates))), "bytes"},
		}...)
	}
	writeRows(&b, rows)
	return b.String()
}

// confluenceText says what was found out about confluence.
func confluenceText(verdicts []confluence.Verdict) string {
	var b strings.Builder
	fmt.Fprintln(&b, "\nconfluence of the steps that the search came across, by control point")
	for _, v := range verdicts {
		is := "confluent"
		if !v.Confluent {
			is = "not confluent"
		}
		fmt.Fprintf(&b, "\n  %s, %s: %s (%s)\n", v.Point, v.Action, is, comma(v.Count))
		fmt.Fprintf(&b, "    %s: %s\n", v.Example, v.Reason)
	}
	return b.String()
}

// levelText writes states slot by slot.
func levelText(l *ringcheck.LevelReport) string {
	var b strings.Builder
	fmt.Fprintln(&b, ringcheck.Title(l.Spec, l.Params, l.Options))
	fmt.Fprintf(&b, "level %d: %s %s, %d shown\n", l.Level, comma(l.Count), printable.Noun(l.Count, "state"), len(l.States))
	for _, s := range l.States {
		fmt.Fprintf(&b, "\n  state %d\n", s.ID)
		ringcheck.WriteContents(&b, s.Slots)
	}
	return b.String()
}

// dump is which states to show instead of exploring everything.
type dump struct {
	level int
	limit int
}

func (d *dump) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&d.level, "dump-level", 0, "show the states of BFS level `L`, from 0, and stop there")
	flags.IntVar(&d.limit, "dump-limit", 10, "show at most `N` states of that level")
	noFiles(cmd, "dump-level", "dump-limit")
}

// wanted reports whether states are to be shown.
func (d *dump) wanted(flags *pflag.FlagSet) bool { return flags.Changed("dump-level") }

// validate reports values that make no sense.
func (d *dump) validate(flags *pflag.FlagSet) error {
	switch {
	case d.wanted(flags) && d.level < 0:
		return wrongRequestf("--dump-level %d: levels count from 0", d.level)
	case d.wanted(flags) && d.limit < 1:
		return wrongRequestf("--dump-limit %d: want at least 1", d.limit)
	case !d.wanted(flags) && flags.Changed("dump-limit"):
		return wrongRequestf("--dump-limit needs --dump-level")
	}
	return nil
}
