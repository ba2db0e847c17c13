package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/bisim/lts"
)

// exploration is the explore sub-command.
type exploration struct {
	job
	output outFile // the transition system
	events bool    // in the output, all but events is τ
	folder storeFolder
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{job: a.job()}
	e.protocol.specOfStore = e.folder.storedSpec
	cmd := e.command("explore", e.work(e.run, e.validate), e.protocol.register, e.search.limits, e.search.reductions,
		e.search.engine, e.folder.register, e.asJSON)
	e.file(cmd, &e.output, "out", "write the transition system to `FILE`"+systemUsage, systemFormats...)
	cmd.Flags().BoolVar(&e.events, "hide-internal", false, "in --out, write τ for all labels but visible events")
	return cmd
}

// validate reports flags that contradict each other.
func (e *exploration) validate(flags *pflag.FlagSet) error {
	switch opt := &e.search.opt; {
	case e.folder.dir != "" && opt.Reduction == ringcheck.OnTheFly:
		return wrongRequestf("--store cannot keep the representatives of --reduce %s", opt.Reduction)
	case opt.Engine == ringcheck.Symbolic && (e.output.path != "" || e.folder.dir != ""):
		return wrongRequestf("--engine %s counts: it has no --out and --store", opt.Engine)
	}
	return cmp.Or(needs(flags, "hide-internal", "out"), clash(flags, "store", "out"))
}

func (e *exploration) run(cmd *cobra.Command) error {
	resumed, err := e.adopt(cmd)
	if err != nil {
		return err
	}
	sys, err := e.instance()
	if err != nil {
		return err
	}
	if err := e.folder.open(resumed); err != nil {
		return err
	}
	return cmp.Or(e.count(cmd.Context(), sys), e.folder.close())
}

// count explores and reports the numbers.
func (e *exploration) count(ctx context.Context, sys *ringcheck.System) error {
	r, err := e.explore(ctx, sys, e.options())
	if r == nil {
		return err
	}
	err = e.conclude(ctx, r, err)
	if e.output.path == "" && e.folder.db == nil { // the symbolic engine has neither
		e.advise(ctx, r)
	}
	return err
}

// explore explores and, with --out, writes the transitions to the file, which is kept only if the exploration
// completes. If the file cannot be written, the error comes with a report of the numbers so far.
func (e *exploration) explore(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (
	r *ringcheck.Report, err error,
) {
	if e.output.path == "" {
		return e.folder.explore(ctx, sys, search)
	}
	err = e.output.saveSystem(func(w lts.Writer) error {
		if r, err = ringcheck.Export(ctx, sys, w, e.events, search); err == nil && !r.Complete {
			return errDiscard
		}
		return err
	})
	switch {
	case errors.Is(err, errDiscard):
		return r, nil
	case err != nil && r != nil:
		r.Complete, r.Stopped = false, "output"
	}
	return r, err
}

// errDiscard discards a file.
var errDiscard = errors.New("the file is discarded")

// conclude publishes a report. If err is not nil, the file of --out could not be written.
func (e *exploration) conclude(ctx context.Context, r *ringcheck.Report, err error) error {
	summary := explorationReport(r)
	switch {
	case err != nil:
		summary.stopErr = err
	case r.ModelError != nil:
		summary.evidence = e.errorRun(ctx, r)
	case r.Err() != nil:
		summary.stopErr = earlyStop(fmt.Errorf("%w%s", r.Err(), e.folder.hint(r.Err())))
	}
	return e.finish(summary)
}

// lastSteps is the number of steps of a long run to a model error that are shown: if a channel grows, the lines are
// long.
const lastSteps = 20

// errorRun returns the evidence for the error that ended a search: the run to it.
func (a *app) errorRun(ctx context.Context, r *ringcheck.Report) func() (string, error) {
	return func() (string, error) {
		var b strings.Builder
		run, err := r.ErrorRun(ctx)
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
		return b.String(), nil
	}
}

// explorationReport returns the report of explore.
func explorationReport(s *ringcheck.Report) *report {
	r := newReport(s, s.Title(), &s.Ending, lowerBounds)
	if s.Reduction == none && s.Assumption != "" && s.Complete {
		r.Gap()
		r.Line("checked in every state: the assumption %s", s.Assumption)
	}
	r.reduction(s)
	var internal *ringcheck.Count
	if s.Storage != nil && s.Reduction == ringcheck.OnTheFly.String() {
		internal = &s.Storage.InternalStates
	}
	r.counts(s, internal)
	r.Row("time", fmt.Sprintf("%.3f", s.Seconds), "s")
	if s.TransitionsPerSecond != nil {
		r.Row("rate", comma(*s.TransitionsPerSecond), "transitions/s")
	}
	r.Row("workers", comma(s.Workers))
	if s.Storage != nil {
		r.Row("visited set", comma(s.Storage.Visited.Bytes), "bytes")
		r.Row("per state", fmt.Sprintf("%.2f", s.Storage.Visited.BytesPerState), "bytes")
	}
	r.Row("peak memory", comma(s.PeakRSSBytes>>20), "MiB")
	if s.DiskBytes > 0 {
		r.Row("on disk", comma(s.DiskBytes), "bytes")
		perState := float64(s.DiskBytes) / float64(max(1, s.Enumeration.StoredStates))
		r.Row("per state", fmt.Sprintf("%.2f", perState), "bytes")
	}
	return r
}
