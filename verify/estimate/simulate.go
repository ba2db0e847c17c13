package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"ringcheck/explore"
	"ringcheck/explore/simulate"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
)

// Simulate takes random runs of an instance of a spec and estimates their costs and outcomes, see package simulate.
// Invariants that Simulation.Properties names are checked in every state. A simulation that ends early is not an error:
// see Report.Err. The error is a *model.RequestError, or a *simulate.RunError.
func Simulate(ctx context.Context, sys *reduce.System, plan Simulation, search reduce.Search) (*Report, error) {
	search = search.Normal()
	if err := cmp.Or(search.Stepwise(), plan.validate(sys)); err != nil {
		return nil, err
	}
	sys, goal, err := plan.goal(sys)
	if err != nil {
		return nil, err
	}
	t, err := reduce.NewSubject(sys, search)
	if err != nil {
		return nil, err
	}
	s := &simulator{Subject: t, plan: plan, goal: goal}
	r := &Report{
		Description: t.Description(), Seed: plan.Seed, Scheduler: cmp.Or(plan.Scheduler, UniformScheduler),
		Until: cmp.Or(plan.Until, reduce.Terminal), Confidence: plan.Confidence, Estimates: []Estimate{}, by: s,
	}
	if e := s.event(); e != nil {
		r.Until, r.Event = e.Name, true
	}
	if plan.Scheduler == TimedScheduler && sys.Protocol.Faults.Any() {
		r.FaultRate = cmp.Or(plan.FaultRate, simulate.DefaultRate)
	}
	if s.runs, err = simulate.New(ctx, sys.Protocol, search.Bounds(), plan.scheduler()); err != nil {
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
func (s *Simulation) goal(sys *reduce.System) (*reduce.System, *ir.Goal, error) {
	if s.Until == "" || s.Until == reduce.Terminal {
		return sys, nil, nil
	}
	sys, err := sys.WithGoals(s.Until)
	if err != nil {
		return nil, nil, &model.RequestError{Option: "until", Value: s.Until, Err: err}
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
		return &model.RequestError{Option: "until", Value: s.Until, Err: err}
	}
	var run *simulate.RunError
	var at *ir.Error
	_, fails := errors.AsType[*model.Error](err)
	if !fails && errors.As(err, &run) && errors.As(err, &at) {
		return &model.RequestError{Err: fmt.Errorf("%s: %w", at.Pos, err)}
	}
	return err
}

// refusal returns why runs are impossible: the request is wrong unless ctx has ended or the model has an error.
func (s *Simulation) refusal(ctx context.Context, err error) error {
	_, fails := errors.AsType[*model.Error](err)
	switch {
	case fails || ctx.Err() != nil:
		return err
	case s.Scheduler == TimedScheduler:
		return &model.RequestError{Option: "scheduler", Value: string(s.Scheduler), Err: err}
	}
	return &model.RequestError{Err: err}
}

// A simulator observes runs of an instance of a spec.
type simulator struct {
	*reduce.Subject
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
		Workers:  cmp.Or(s.Search.Workers, runtime.GOMAXPROCS(0)),
		MaxSteps: cmp.Or(s.plan.MaxSteps, 10_000_000+10_000*uint64(p.N)), FirstMustEnd: s.plan.MaxSteps == 0,
		Memory: s.Search.Budget(), Progress: s.Search.Progress, ProgressEvery: s.Search.ProgressEvery,
	}
	names := s.plan.Rewards
	if names == nil {
		names = []string{"steps", "messages"}
	}
	var err error
	if opt.Rewards, err = reduce.Rewards("reward", p.Rewards, names); err != nil {
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
	if len(s.plan.Properties) > 0 {
		if err := s.CheckNames(s.plan.Properties); err != nil {
			return err
		}
	}
	for _, q := range s.Protocol.Properties {
		named := slices.Contains(s.plan.Properties, q.Name)
		switch {
		case named && !q.Kind.Safety():
			return model.Refuse("property", q.Name,
				"it is about all reachable states; random runs can tell about invariants and terminal properties")
		case named && q.Kind.OfEnds() && s.goal != nil:
			const text = "it is about terminal states, and runs end where the goal %s is reached"
			return model.Refuse("property", q.Name, text, s.plan.Until)
		case named, len(s.plan.Properties) == 0 && q.Kind.OfEnds() && s.goal == nil:
			s.properties = append(s.properties, q)
		case q.Kind.Safety() && !q.Kind.OfEnds() && len(s.plan.Properties) == 0:
			s.unwatched = append(s.unwatched, q.Name)
		}
	}
	for _, b := range s.Protocol.Bounds {
		if slices.Contains(s.plan.Properties, b.Name) {
			return model.Refuse("property", b.Name, "it is about the probabilities of all runs, which check computes")
		}
	}
	return nil
}

// quantiles are the levels of Estimate.Quantiles.
var quantiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// fill copies the estimates into the report.
func (s *simulator) fill(r *Report, found *simulate.Report, opt simulate.Options) {
	r.EndedRuns = found.EndedRuns
	r.Runs, r.Violating, r.Unfinished = found.Runs, found.Violating, found.Unfinished
	r.Events, r.Workers, r.Cost = found.Steps, opt.Workers, explore.CostOf(found.Elapsed)
	r.EventsPerSecond = uint64(float64(found.Steps) / max(found.Elapsed.Seconds(), 1e-9))
	r.Estimates, r.NotEvaluated = []Estimate{}, s.unwatched
	for i := range found.Means {
		if found.Runs == 0 {
			break
		}
		m := &found.Means[i]
		e := Estimate{
			Name: m.Name, Kind: "expected", Low: model.Real(max(0, m.Low)), High: model.Real(m.High),
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
			Name: share.Name, Kind: "event", Of: share.Runs, Low: model.Real(share.Low), High: model.Real(share.High),
			RunsTrue: &share.True, Against: share.Against, Steps: share.Steps,
		}
		switch property := i - len(s.Protocol.Events); {
		case property == len(s.properties) && s.event() != nil:
			continue // the goal has the event's share
		case property == len(s.properties):
			e.Name, e.Kind = s.plan.Until, "goal"
		case property >= 0:
			e.Kind = s.properties[property].Kind.String()
		}
		r.Estimates = append(r.Estimates, e)
	}
}
