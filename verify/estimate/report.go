package estimate

import (
	"context"
	"fmt"
	"math"

	"ringcheck/explore"
	"ringcheck/explore/simulate"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce"
)

// A Report is the report of Simulate.
type Report struct {
	reduce.Description
	explore.Ending
	Runs      int   `json:"runs"` // that ended: the estimates are about these
	EndedRuns []int `json:"-"`    // their numbers
	// Violating is the number of runs that ended by violating an invariant; estimates of invariants include them.
	Violating  int        `json:"violating"`
	Unfinished int        `json:"unfinished"` // runs cut short by Simulation.MaxSteps
	Seed       uint64     `json:"seed"`
	Scheduler  Scheduler  `json:"scheduler"`
	FaultRate  float64    `json:"fault_rate,omitempty"` // of the TimedScheduler, if there can be faults
	Until      string     `json:"until"`                // "terminal", the name of an event, or another goal
	Confidence float64    `json:"confidence"`
	Estimates  []Estimate `json:"estimates"`
	// Unwatched are the invariants that were not evaluated: all of them, unless Simulation.Properties names some.
	NotEvaluated []string `json:"unwatched,omitempty"`

	Events          uint64 `json:"events"` // steps of all runs
	EventsPerSecond uint64 `json:"events_per_second"`
	Workers         int    `json:"workers"`
	explore.Cost

	Event bool `json:"-"` // whether Until is an event

	by *simulator
}

// An Estimate estimates an expected reward, or the probability that an event happens, a property holds or the goal is
// reached in a run.
type Estimate struct {
	Name string     `json:"name"`
	Kind string     `json:"kind"` // "expected", "event", "terminal", "invariant" or "goal"
	Low  model.Real `json:"low"`  // the confidence interval
	High model.Real `json:"high"`

	Mean      *float64           `json:"mean,omitempty"` // of expected rewards only, as the next three
	Min       *float64           `json:"min,omitempty"`
	Max       *float64           `json:"max,omitempty"`
	Quantiles map[string]float64 `json:"quantiles,omitempty"`

	RunsTrue *int `json:"runs_true,omitempty"` // of the others only
	Against  *int `json:"against,omitempty"`   // number of the first run in which it was not true

	Values []float64 `json:"-"` // of the runs, ascending
	ByRun  []float64 `json:"-"` // the same in the order of Report.Ended
	Of     int       `json:"-"` // number of runs among which RunsTrue counts
	Steps  uint64    `json:"-"` // of the run Against, until it was not true
}

// end records whether the simulation is complete, and if not, why.
func (r *Report) end(ctx context.Context, found *simulate.Report, opt simulate.Options) error {
	r.Complete = found.Complete(opt)
	incomplete := func(why, format string, args ...any) error {
		r.Ending = explore.Incomplete(why, format, args...)
		return nil
	}
	switch {
	case r.Complete:
		return nil
	case ctx.Err() != nil:
		err := r.Stop(ctx, ctx.Err())
		if opt.Precision > 0 && found.Runs > 1 {
			r.Annotate(imprecise(found, opt))
		}
		return err
	case found.Overfull:
		return incomplete("memory", "%v", explore.MemoryLimit)
	case found.Endless:
		return incomplete("steps", "the first run was not over after %s", printable.Count(opt.MaxSteps, "step"))
	case found.Unfinished == 0:
		return incomplete("precision", "%s", imprecise(found, opt))
	}
	limit := printable.Count(r.by.plan.MaxSteps, "step")
	return incomplete("steps", "%s not over after %s", describeRuns(r.Unfinished), limit)
}

// describeRuns returns "1 run was" or "5 runs were".
func describeRuns(runs int) string {
	if runs == 1 {
		return "1 run was"
	}
	return printable.Count(runs, "run") + " were"
}

// imprecise reports the widest interval and the number of runs that the requested precision would take: the width of an
// interval is inversely proportional to the square root of the number of runs.
func imprecise(found *simulate.Report, opt simulate.Options) string {
	wide := found.Widest()
	if math.IsInf(wide, 0) {
		return fmt.Sprintf("%s give no finite interval; the requested precision is %g",
			printable.Count(found.Runs, "run"), opt.Precision)
	}
	needed := float64(found.Runs) * math.Pow(wide/opt.Precision, 2)
	return fmt.Sprintf("a precision of %g takes about %.2g runs; after %s the widest interval is ±%.2g",
		opt.Precision, needed, printable.Count(found.Runs, "run"), wide)
}

// Violated reports whether e is the estimate of a property that some run violated.
func (e *Estimate) Violated() bool { return e.Against != nil && e.Kind != "event" && e.Kind != "goal" }

// ViolatedEstimates returns the estimates of the properties that some run violated.
func (r *Report) ViolatedEstimates() []Estimate {
	var all []Estimate
	for _, e := range r.Estimates {
		if e.Violated() {
			all = append(all, e)
		}
	}
	return all
}
