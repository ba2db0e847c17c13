package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/explore/simulate"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
)

// A Simulation configures the random runs of a system.
type Simulation struct {
	Runs       int     // the number of runs
	Precision  float64 // stops earlier when every estimate is so precise, see simulate.Options; 0 means never
	Confidence float64 // of the intervals; 0 means 0.95
	Scheduler  Scheduler
	// FaultRate is the probability, under the TimedScheduler and where the spec allows it, that a message is lost or
	// duplicated, that a process crashes before a step, or recovers within a tick; 0 means 0.01. The UniformScheduler
	// takes faults like all other steps.
	FaultRate float64
	Seed      uint64
	// MaxSteps ends a run; math.MaxUint64 means no limit. 0 means ten million plus ten thousand for each process, and
	// no further runs if the first does not end within that.
	MaxSteps uint64
	// Rewards are the names of the rewards whose expectations are estimated; nil means steps and messages. Until is a
	// goal that ends a run, as in Questions; "" and "terminal" mean that runs end in terminal states.
	Rewards  []string
	Until    string
	Progress func(simulate.Progress)
}

// A SimulationReport is the report of Simulate.
type SimulationReport struct {
	Description
	Ending
	Runs  int   `json:"runs"` // that ended: the estimates are about these
	Ended []int `json:"-"`    // their numbers
	// Violating is the number of runs that ended by violating an invariant; estimates of invariants include them.
	Violating  int        `json:"violating"`
	Unfinished int        `json:"unfinished"` // runs cut short by Simulation.MaxSteps
	Seed       uint64     `json:"seed"`
	Scheduler  Scheduler  `json:"scheduler"`
	FaultRate  float64    `json:"fault_rate,omitempty"` // of the TimedScheduler, if there can be faults
	Until      string     `json:"until"`                // "terminal", the name of an event, or another goal
	Confidence float64    `json:"confidence"`
	Estimates  []Estimate `json:"estimates"`
	// Unwatched are the invariants that were not evaluated: all of them, unless Options.Properties names some.
	Unwatched []string `json:"unwatched,omitempty"`

	Events          uint64  `json:"events"` // steps of all runs
	EventsPerSecond uint64  `json:"events_per_second"`
	Workers         int     `json:"workers"`
	Seconds         float64 `json:"seconds"`
	PeakRSSBytes    uint64  `json:"peak_rss_bytes"`

	Event bool `json:"-"` // whether Until is an event

	by *simulator
}

// An Estimate estimates an expected reward, or the probability that an event happens, a property holds or the goal is
// reached in a run.
type Estimate struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // "expected", "event", "terminal", "invariant" or "goal"
	Low  Real   `json:"low"`  // the confidence interval
	High Real   `json:"high"`

	Mean      *float64           `json:"mean,omitempty"` // of expected rewards only, as the next three
	Min       *float64           `json:"min,omitempty"`
	Max       *float64           `json:"max,omitempty"`
	Quantiles map[string]float64 `json:"quantiles,omitempty"`

	RunsTrue *int `json:"runs_true,omitempty"` // of the others only
	Against  *int `json:"against,omitempty"`   // number of the first run in which it was not true

	Values []float64 `json:"-"` // of the runs, ascending
	ByRun  []float64 `json:"-"` // the same in the order of SimulationReport.Ended
	Of     int       `json:"-"` // number of runs among which RunsTrue counts
	Steps  uint64    `json:"-"` // of the run Against, until it was not true
}

// Simulate takes random runs of an instance of a spec and estimates their costs and outcomes, see package simulate.
// Invariants that Options.Properties names are checked in every state. A simulation that ends early is not an error:
// see SimulationReport.Err. The error is a *RequestError, or a *simulate.RunError.
func Simulate(ctx context.Context, sys *System, plan Simulation, opt ...Options) (*SimulationReport, error) {
	o := only(opt)
	if err := plan.validate(sys); err != nil {
		return nil, err
	}
	sys, goal, err := plan.goal(sys)
	if err != nil {
		return nil, err
	}
	t, err := newTask(sys, o)
	if err != nil {
		return nil, err
	}
	s := &simulator{task: t, plan: plan, goal: goal}
	r := &SimulationReport{
		Description: t.Description(), Seed: plan.Seed, Scheduler: cmp.Or(plan.Scheduler, UniformScheduler),
		Until: cmp.Or(plan.Until, reduce.Terminal), Confidence: plan.Confidence, Estimates: []Estimate{}, by: s,
	}
	if e := s.event(); e != nil {
		r.Until, r.Event = e.Name, true
	}
	if plan.Scheduler == TimedScheduler && sys.Protocol.Faults.Any() {
		r.FaultRate = cmp.Or(plan.FaultRate, simulate.DefaultRate)
	}
	if s.runs, err = simulate.New(ctx, sys.Protocol, o.Bounds(), plan.scheduler()); err != nil {
		return r, r.Stop(ctx, plan.refusal(ctx, err))
	}
	options, err := s.options()
	if err != nil {
		return nil, err
	}
	r.Confidence = options.Confidence
	found, err := simulate.Estimate(ctx, s.runs, options)
	if err != nil {
		return r, r.Stop(ctx, plan.invalidRun(err))
	}
	s.fill(r, found, options)
	return r, r.end(ctx, found, options)
}

// goal returns the system with the goal of the runs in its protocol, and the goal, nil if runs end in terminal states.
func (s *Simulation) goal(sys *System) (*System, *ir.Goal, error) {
	if s.Until == "" || s.Until == reduce.Terminal {
		return sys, nil, nil
	}
	sys, err := sys.WithGoals(s.Until)
	if err != nil {
		return nil, nil, &RequestError{Option: "until", Value: s.Until, Err: err}
	}
	goal, err := ir.NewGoal(sys.Protocol.Goals[0])
	if err, ok := errors.AsType[*ir.GoalError](err); ok {
		return nil, nil, model.Refuse("until", s.Until, "%s", err.Reason)
	}
	return sys, goal, err
}

// invalidRun makes the error of a run about a goal, a reward or a property without a value an error of the request.
func (s *Simulation) invalidRun(err error) error {
	if _, ok := errors.AsType[*ir.ValueError](err); ok {
		return &RequestError{Option: "until", Value: s.Until, Err: err}
	}
	var run *simulate.RunError
	var at *ir.Error
	_, isFault := errors.AsType[*model.Fault](err)
	if !isFault && errors.As(err, &run) && errors.As(err, &at) {
		return &RequestError{Err: fmt.Errorf("%s: %w", at.Pos, err)}
	}
	return err
}

func (s *Simulation) validate(sys *System) error {
	switch {
	case sys.Protocol == nil:
		return model.Refuse("", "", "%s is not an instance of a spec: there is nothing to simulate", sys.Name)
	case s.Scheduler != "" && !slices.Contains(Choices("random"), string(s.Scheduler)):
		return model.Refuse("scheduler", string(s.Scheduler), "expected %s", strings.Join(Choices("random"), " or "))
	case s.Runs <= 0:
		return model.Refuse("runs", fmt.Sprint(s.Runs), "must be at least 1")
	case s.Precision != 0 && !(s.Precision > 0 && s.Precision < 1):
		return model.Refuse("precision", fmt.Sprint(s.Precision), "must be between 0 and 1")
	case s.FaultRate != 0 && !(s.FaultRate > 0 && s.FaultRate <= 1):
		return model.Refuse("fault-rate", fmt.Sprint(s.FaultRate), "must be greater than 0 and at most 1")
	case s.FaultRate != 0 && (s.Scheduler != TimedScheduler || !sys.Protocol.Faults.Any()):
		return model.Refuse("fault-rate", fmt.Sprint(s.FaultRate),
			"it is for --scheduler time and a protocol with faults")
	case s.Confidence != 0 && !(s.Confidence > 0 && s.Confidence < 1):
		return model.Refuse("confidence", fmt.Sprint(s.Confidence), "must be between 0 and 1")
	}
	return nil
}

// refusal returns why runs are impossible: the request is wrong unless ctx has ended or the model has a fault.
func (s *Simulation) refusal(ctx context.Context, err error) error {
	_, isFault := errors.AsType[*model.Fault](err)
	switch {
	case isFault || ctx.Err() != nil:
		return err
	case s.Scheduler == TimedScheduler:
		return &RequestError{Option: "scheduler", Value: string(s.Scheduler), Err: err}
	}
	return &RequestError{Err: err}
}

// end records whether the simulation is complete, and if not, why.
func (r *SimulationReport) end(ctx context.Context, found *simulate.Report, opt simulate.Options) error {
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
	return incomplete("steps", "%s not over after %s", were(r.Unfinished), limit)
}

// were returns "1 run was" or "5 runs were".
func were(runs int) string {
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

// A simulator observes runs of an instance of a spec.
type simulator struct {
	*task
	runs       *simulate.System
	plan       Simulation
	goal       *ir.Goal // nil if runs end in terminal states
	properties []*ir.Property
	unwatched  []string // invariants, if no property is named
}

func (s *simulator) options() (simulate.Options, error) {
	p := s.Protocol
	opt := simulate.Options{
		Runs: s.plan.Runs, Precision: s.plan.Precision, Seed: s.plan.Seed, Confidence: cmp.Or(s.plan.Confidence, 0.95),
		Workers:  cmp.Or(s.opt.Workers, runtime.GOMAXPROCS(0)),
		MaxSteps: cmp.Or(s.plan.MaxSteps, 10_000_000+10_000*uint64(p.N)), FirstMustEnd: s.plan.MaxSteps == 0,
		Memory: s.Search.Budget(), Progress: s.plan.Progress,
	}
	names := s.plan.Rewards
	if names == nil {
		names = []string{"steps", "messages"}
	}
	var err error
	if opt.Rewards, err = rewardsOf(p.Rewards, func(r *ir.Reward) string { return r.Name }, names, ""); err != nil {
		return opt, err
	}
	opt.Until = s.goal
	if err := s.choose(); err != nil {
		return opt, err
	}
	opt.Properties = s.properties
	return opt, nil
}

// event returns the event that is the goal, nil if it is not just an event.
func (s *simulator) event() *ir.Event {
	if s.goal == nil || len(s.goal.Events) != 1 || len(s.goal.States) > 0 {
		return nil
	}
	return s.goal.Events[0]
}

// scheduler returns the scheduler of the runs.
func (s *Simulation) scheduler() simulate.Scheduler {
	scheduler := simulate.Scheduler{FaultRate: s.FaultRate}
	if s.Scheduler == TimedScheduler {
		scheduler.Schedule = simulate.Timed
	}
	return scheduler
}

// choose finds the properties to evaluate: terminal properties, if runs end in terminal states, and the invariants that
// are named. The others are about all states, and random runs cannot decide them.
func (s *simulator) choose() error {
	if len(s.opt.Properties) > 0 {
		if err := s.Known(s.opt.Properties); err != nil {
			return err
		}
	}
	for _, q := range s.Protocol.Properties {
		named := slices.Contains(s.opt.Properties, q.Name)
		switch {
		case named && q.Kind != ir.Terminal && q.Kind != ir.Invariant:
			return model.Refuse("property", q.Name,
				"it is about all reachable states; random runs can tell about invariants and terminal properties")
		case named && q.Kind == ir.Terminal && s.goal != nil:
			const text = "it is about terminal states, and runs end where the goal %s is reached"
			return model.Refuse("property", q.Name, text, s.plan.Until)
		case named, len(s.opt.Properties) == 0 && q.Kind == ir.Terminal && s.goal == nil:
			s.properties = append(s.properties, q)
		case q.Kind == ir.Invariant && len(s.opt.Properties) == 0:
			s.unwatched = append(s.unwatched, q.Name)
		}
	}
	for _, b := range s.Protocol.Bounds {
		if slices.Contains(s.opt.Properties, b.Name) {
			return model.Refuse("property", b.Name, "it is about the probabilities of all runs, which check computes")
		}
	}
	return nil
}

// quantiles are the levels of Estimate.Quantiles.
var quantiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// fill copies the estimates into the report.
func (s *simulator) fill(r *SimulationReport, found *simulate.Report, opt simulate.Options) {
	r.Ended = found.Ended
	r.Runs, r.Violating, r.Unfinished = found.Runs, found.Violating, found.Unfinished
	r.Events, r.Workers, r.Seconds = found.Steps, opt.Workers, seconds(found.Elapsed)
	r.EventsPerSecond = uint64(float64(found.Steps) / max(found.Elapsed.Seconds(), 1e-9))
	r.PeakRSSBytes = machine.PeakRSS()
	r.Estimates, r.Unwatched = []Estimate{}, s.unwatched
	for i := range found.Means {
		if found.Runs == 0 {
			break
		}
		m := &found.Means[i]
		e := Estimate{
			Name: m.Name, Kind: "expected", Low: Real(max(0, m.Low)), High: Real(m.High),
			Mean: &m.Mean, Min: &m.Min, Max: &m.Max,
			Quantiles: make(map[string]float64), Values: m.Values, ByRun: m.ByRun,
		}
		for _, q := range quantiles {
			e.Quantiles[fmt.Sprint(q)] = m.Quantile(q)
		}
		r.Estimates = append(r.Estimates, e)
	}
	for i, share := range found.Shares {
		if share.Runs == 0 && share.Against == nil {
			continue
		}
		e := Estimate{
			Name: share.Name, Kind: "event", Of: share.Runs, Low: Real(share.Low), High: Real(share.High),
			RunsTrue: &share.True, Against: share.Against, Steps: share.Steps,
		}
		switch property := i - len(s.Protocol.Events); {
		case property == len(s.properties) && s.event() != nil:
			continue // the event's share is that of the goal
		case property == len(s.properties):
			e.Name, e.Kind = s.plan.Until, "goal"
		case property >= 0:
			e.Kind = s.properties[property].Kind.String()
		}
		r.Estimates = append(r.Estimates, e)
	}
}

// Violated reports whether e is the estimate of a property that some run violated.
func (e *Estimate) Violated() bool { return e.Against != nil && e.Kind != "event" && e.Kind != "goal" }

// Violated returns the estimates of the properties that some run violated.
func (r *SimulationReport) Violated() []Estimate {
	var all []Estimate
	for _, e := range r.Estimates {
		if e.Violated() {
			all = append(all, e)
		}
	}
	return all
}
