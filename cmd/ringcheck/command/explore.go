package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/lts"
	"ringcheck/reduce/confluence"
)

// exploration is the sub-command explore.
type exploration struct {
	form
	protocol protocol
	search   search
	engine   engine
	output   output
	events   bool // in the output, all but events is τ
	dump     dump
	kept     kept
	explain  bool
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{form: form{app: a}}
	cmd := &cobra.Command{
		Use:   "explore SPEC | --resume DIR",
		Short: "Count the states and transitions of a protocol",
		Long: "Count the reachable states, the transitions and the terminal states of a protocol, breadth first.\n" +
			"SPEC is the name of a built-in protocol (see ringcheck specs) or the path of a .ring file; with it,\n" +
			"--help lists its parameters and options too.",
		Example: "  ringcheck explore franklin -n 4 -k 2\n" +
			"  ringcheck explore my.ring -n 3 --json\n" +
			"  ringcheck explore franklin -n 2 -k 2 --no-bits --out franklin.aut\n" +
			"  ringcheck explore franklin -n 6 -k 2 --mem 512MiB --store run6\n" +
			"  ringcheck explore --resume run6\n" +
			"  ringcheck explore franklin -n 6 -k 2 --store run6 --resume",
		RunE: runE(e.run),
	}
	e.protocol.stored = e.kept.stored
	e.protocol.register(a, cmd)
	e.search.register(cmd)
	e.search.registerReductions(cmd, &e.protocol)
	e.engine.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&e.explain, "explain", false, "say which steps are confluent, and why or why not; on standard error with --json")
	e.output.register(cmd, "write the transition system to `FILE`")
	flags.BoolVar(&e.events, "hide-internal", false, "in --out, write τ for all but visible events")
	e.dump.register(cmd)
	e.kept.register(cmd)
	e.form.register(cmd)
	return cmd
}

func (e *exploration) run(cmd *cobra.Command) error {
	flags := cmd.Flags()
	err := cmp.Or(e.search.validate(flags), e.engine.validate(flags), e.dump.validate(flags), e.output.validate(), e.kept.validate(flags, &e.search.opt, e.showing(flags)))
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
	ctx, cancel := e.search.limit(cmd.Context())
	defer cancel()
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
	watch := newProgress(e.app)
	opt := e.search.options(watch)
	err := cmp.Or(e.engine.advise(ctx, e.app, sys, opt), e.account(sys, &opt))
	if err != nil {
		return err
	}
	var r *ringcheck.Report
	if e.output.path == "" {
		r, err = ringcheck.Explore(ctx, sys, opt)
	} else {
		r, err = e.export(ctx, sys, opt)
	}
	watch.clear()
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
	err = e.output.write(func(w lts.Writer) (keep bool, err error) {
		r, err = ringcheck.Export(ctx, sys, w, e.events, opt)
		return err == nil && r.Complete, err
	})
	if err != nil && r != nil {
		r.Complete, r.Stopped, err = false, "output", writeError(err)
	}
	return r, err
}

// show prints some states of a level.
func (e *exploration) show(ctx context.Context, sys *ringcheck.System) error {
	watch := newProgress(e.app)
	level, err := ringcheck.Level(ctx, sys, e.dump.level, e.dump.limit, e.search.options(watch))
	watch.clear()
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
	fmt.Fprintln(&b, r.Title())
	if !r.Complete {
		fmt.Fprintf(&b, "incomplete (%s): the numbers are lower bounds\n", r.Stopped)
	}
	b.WriteByte('\n')
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
	fmt.Fprintf(&b, "level %d: %s states, %d shown\n", l.Level, comma(l.Count), len(l.States))
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

// output is the file that a transition system is written to.
type output struct{ path string }

func (o *output) register(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&o.path, "out", "", usage+", by its ending .aut (Aldebaran) or .dot (Graphviz)")
	must(cmd.MarkFlagFilename("out", "aut", "dot"))
}

func (o *output) validate() error {
	if ext := filepath.Ext(o.path); o.path != "" && ext != ".aut" && ext != ".dot" {
		return wrongRequestf("--out %s: the file name must end in .aut or .dot", o.path)
	}
	return nil
}

// write makes the file. It gets its name only if make says that it is to be kept.
func (o *output) write(make func(w lts.Writer) (keep bool, err error)) error {
	file, err := replaceFile(o.path)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return writeError(err)
	case err != nil:
		return wrongRequestf("--out: %w", err)
	}
	keep, err := make(o.writer(file))
	if !keep || err != nil {
		file.discard()
		return err
	}
	return file.commit()
}

// writer returns a writer in the format of the file.
func (o *output) writer(file *replacement) lts.Writer {
	if filepath.Ext(o.path) == ".aut" {
		return lts.NewAutWriter(file)
	}
	return lts.NewDotWriter(file)
}

// writeError says that the file could not be written.
func writeError(err error) error { return stopped(fmt.Errorf("--out: %w", err)) }
