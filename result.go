package ringcheck

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/symbolic"
)

// about says what reports on t are about.
func (t *task) about() Subject {
	return Subject{
		Spec: t.sys.Name, Params: t.sys.Params(), Options: t.sys.Options(),
		Reduction: t.opt.Reduction.String(), Symmetry: t.opt.Symmetry.String(), Assumption: t.opt.assumption(),
	}
}

// ending returns that of a search, and the state in which the model does something wrong, nil if it does not.
func (t *task) ending(r *explore.Result) (Ending, []model.Value, error) {
	e := Ending{Complete: r.Complete(), Stopped: stopWord(r)}
	switch {
	case r.Complete():
		return e, nil, nil
	case r.Stop == explore.Faulted:
		e.err, e.Fault = r.Fault, newFault(r.Fault)
		return e, r.FaultState, nil
	case r.Stop == explore.DiskFailure:
		e.err = fmt.Errorf("%w: %w", ErrIncomplete, r.Failure)
		return e, nil, nil
	}
	e.err = fmt.Errorf("%w: %v", ErrIncomplete, r.Stop)
	if r.Needs > 0 {
		e.err = fmt.Errorf("%w: the numbers of parts of states, which stay in memory, take %s; "+
			"to go on from here takes a budget of %s, to the end more",
			e.err, humanize.IBytes(r.Parts), humanize.IBytes(r.Needs))
	}
	return e, nil, nil
}

// report returns that of a search, which diagrams is unless it is nil; then r says how it ended. took is the time until
// all was known.
func (t *task) report(r *explore.Result, diagrams *symbolic.Result, took time.Duration) (*Report, error) {
	report := &Report{
		Subject: t.about(), HeldBytes: r.TotalBytes, DiskBytes: r.DiskBytes,
		Counts: NewCounts(r.States, r.Transitions, r.Deadlocks, r.EnvironmentOnly),
		sys:    t.sys, opt: t.opt, search: r,
		Effort: Effort{Workers: r.Workers, Seconds: seconds(took), PeakRSSBytes: machine.PeakRSS()},
	}
	report.faultRun = func(ctx context.Context) (*Run, error) { return t.faultRun(ctx, report) }
	if diagrams != nil {
		report.Engine, report.Workers, report.HeldBytes = Symbolic, 1, report.PeakRSSBytes
		report.Counts = newSymbolicCounts(diagrams)
	} else {
		t.enumerated(report, r)
	}
	var err error
	report.Ending, report.fault, err = t.ending(r)
	return report, err
}

func newSymbolicCounts(r *symbolic.Result) Counts {
	return Counts{
		States: Number{r.States}, Transitions: Number{r.Transitions},
		Deadlocks: Number{r.Deadlocks}, TerminalStates: Number{r.Deadlocks},
		EnvironmentOnlyStates: Number{r.EnvironmentOnly}, Diagram: &Diagram{r.Nodes, r.Arcs, r.PeakNodes},
	}
}

// enumerated completes the report of a search state by state.
func (t *task) enumerated(report *Report, r *explore.Result) {
	report.Enumeration = &Enumeration{Levels: len(r.Levels), StoredStates: Count(r.Stored)}
	report.Storage = &Storage{t.internalStates(), Visited{
		Exact: true, Bytes: r.Bytes, SpilledStates: Count(r.Spilled),
		BytesPerState: math.Round(100*float64(r.Bytes)/float64(max(1, r.Stored))) / 100,
	}}
	report.TransitionsPerSecond = new(uint64)
	if r.Elapsed > 0 {
		*report.TransitionsPerSecond = uint64(float64(r.Transitions) / r.Elapsed.Seconds())
	}
	for _, n := range r.Levels {
		report.LevelSizes = append(report.LevelSizes, Count(n))
	}
	t.opt.log("%d levels, %d states stored, %d of them on disk; "+
		"the visited set holds %d bytes, the search held %d; %.3f s",
		len(r.Levels), r.Stored, r.Spilled, r.Bytes, r.TotalBytes, r.Elapsed.Seconds())
}

// faultRun returns a shortest run to the fault that r tells of, nil if there is none.
func (t *task) faultRun(ctx context.Context, r *Report) (*Run, error) {
	if r.fault == nil {
		return nil, nil
	}
	run, err := t.runTo(ctx, r.fault, r.err)
	if err != nil {
		return nil, err
	}
	run.Finding = fmt.Sprintf("%v, after %s", r.err, printable.Count(run.Length(), "step"))
	return run, nil
}
