package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/lts"
)

// exploration is the sub-command explore.
type exploration struct {
	job
	output outFile // the transition system
	events bool    // in the output, all but events is τ
	kept   kept
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{job: a.job()}
	cmd := a.command("explore", e.work(e.run, e.validate))
	e.protocol.stored = e.kept.stored
	e.protocol.register(a, cmd)
	e.search.register(cmd)
	e.search.registerReductions(cmd)
	e.search.registerEngine(cmd)
	flags := cmd.Flags()
	e.output.register(cmd, "out", "write the transition system to `FILE`"+systemUsage, systemFormats)
	flags.BoolVar(&e.events, "hide-internal", false, "in --out, write τ for all labels but visible events")
	e.kept.register(cmd)
	e.form.register(cmd)
	return cmd
}

// validate reports flags that contradict each other.
func (e *exploration) validate(*pflag.FlagSet) error {
	err := cmp.Or(e.output.named(), e.kept.validate(&e.search.opt, e.output.path != ""))
	switch {
	case err != nil:
		return err
	case e.search.opt.Engine == ringcheck.Symbolic && (e.output.path != "" || e.kept.dir != ""):
		return wrongRequestf("--engine %s counts: it has no --out and --store", ringcheck.Symbolic)
	case e.events && e.output.path == "":
		return wrongRequestf("--hide-internal needs --out")
	}
	return nil
}

func (e *exploration) run(cmd *cobra.Command) error {
	resumed, err := e.adopt(cmd)
	if err != nil {
		return err
	}
	sys, err := e.protocol.system()
	if err != nil {
		return err
	}
	e.warn(sys.Spec)
	if err := e.kept.open(resumed); err != nil {
		return err
	}
	return cmp.Or(e.count(cmd.Context(), sys), e.kept.close())
}

// count explores everything and reports the numbers.
func (e *exploration) count(ctx context.Context, sys *ringcheck.System) error {
	r, err := searching(&e.job, func(opt ringcheck.Options) (*ringcheck.Report, error) {
		if err := e.kept.record(sys, &opt); err != nil {
			return nil, err
		}
		if e.output.path == "" {
			return ringcheck.Explore(ctx, sys, opt)
		}
		return e.export(ctx, sys, opt)
	})
	if r == nil {
		return err
	}
	return cmp.Or(e.publish(r, exploreText(r)), err, e.verdict(ctx, r))
}

// export explores and writes the transitions to the file, which is kept only if the exploration completes. If the file
// cannot be written, the error comes with a report of the numbers so far.
func (e *exploration) export(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (
	r *ringcheck.Report, err error,
) {
	err = e.output.saveSystem(func(w lts.Writer) (keep bool, err error) {
		r, err = ringcheck.Export(ctx, sys, w, e.events, opt)
		return err == nil && r.Complete, err
	})
	if err != nil && r != nil {
		r.Complete, r.Stopped, err = false, "output", e.output.failed(err)
	}
	return r, err
}

// verdict returns nil if the search completed, otherwise the reason, with the run to a fault.
func (e *exploration) verdict(ctx context.Context, r *ringcheck.Report) error {
	err := r.Err()
	if err == nil {
		return nil
	}
	if r.Fault == nil {
		return stopped(fmt.Errorf("%w%s", err, e.kept.hint(err)))
	}
	return e.faulty(ctx, r)
}

// lastSteps is the number of steps of a long run that are shown on standard error: growing channels make long runs with
// long lines.
const lastSteps = 20

// faulty returns the failure for the fault that ended a search, with the run to it.
func (a *app) faulty(ctx context.Context, r *ringcheck.Report) error {
	f := classify(r.Err())
	var b strings.Builder
	b.WriteString(describe(f))
	run, err := r.FaultRun(ctx)
	if run != nil {
		from := 0
		fmt.Fprintf(&b, "after %s", countOf(run.Length(), "step"))
		if run.Length() > 2*lastSteps {
			from = run.Length() - lastSteps
			fmt.Fprintf(&b, ", of which these are the last %d", lastSteps)
		}
		b.WriteString(":\n")
		err = run.WriteSteps(&b, from)
	}
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return &failure{status: f.status, err: f.err, rendered: b.String()}
}

// exploreText returns a report as text.
func exploreText(r *ringcheck.Report) string {
	var b strings.Builder
	writeHead(&b, r.Title(), &r.Ending, lowerBounds)
	reduced := r.Reduction != none
	if !reduced && r.Assumption != "" && r.Complete {
		fmt.Fprintf(&b, "checked in every state: the assumption %s\n\n", r.Assumption)
	}
	writeReduction(&b, r)
	rows := countRows(&r.Counts)
	if r.Diagram != nil {
		rows = append(rows, row{"workers", comma(r.Workers), ""})
		writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
		return b.String()
	}
	if r.Reduction == ringcheck.OnTheFly.String() {
		rows = slices.Insert(rows, 1, row{"internal states", comma(r.InternalStates), ""})
	}
	rows = append(rows, []row{
		{"time", fmt.Sprintf("%.3f", r.Seconds), "s"},
		{"rate", comma(*r.TransitionsPerSecond), "transitions/s"},
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
