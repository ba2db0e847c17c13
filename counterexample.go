package ringcheck

import (
	"cmp"
	"context"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
	"ringcheck/verify/hunt"
)

// Run searches for a shortest run that violates a property that Check found to be violated, or that shows its error. It
// is an error if neither is known.
func (r *Report) Run(ctx context.Context, property string) (*Run, error) {
	if r.Property(property) == nil {
		return nil, fmt.Errorf("property %s was not checked", property)
	}
	claims := Claims{Properties: []string{property}, Fairness: r.fairness}
	search := r.steps
	search.Engine = Explicit
	run, found, err := Counterexample(ctx, r.sys, claims, search)
	if err == nil && run == nil {
		run, err = found.ErrorRun(ctx)
	}
	if err == nil && run == nil {
		return nil, cmp.Or(found.Err(), fmt.Errorf("property %s: no violation is known", property))
	}
	return run, err
}

// Counterexample searches for a shortest run that violates a property: an invariant or a terminal property first and,
// if these hold, another. If no single run shows the violation, as with a reachable property, the run has no steps. A
// second implementation replays the run step by step. The run is nil if the search found no violation; the report says
// how far the search got.
func Counterexample(ctx context.Context, sys *System, claims Claims, search Search) (*Run, *Report, error) {
	t, err := newRunTask(sys, claims, search)
	if err != nil {
		return nil, nil, err
	}
	switch err := t.Countable(); {
	case err != nil:
		return nil, nil, err
	case len(t.Bounds) > 0 && (t.checks.Properties != nil || len(t.ChosenProperties) == 0):
		return nil, nil, model.Refuse("property", t.Bounds[0].Name,
			"a probability bound has no single counterexample run; use check")
	}
	run, r, err := t.find(ctx, t.verifier, t.ChosenProperties)
	if run == nil && err == nil && r.Complete {
		bounds := verify.NewBounds(t.Subject)
		err = t.decide(ctx, r, bounds)
		run = t.boundRun(bounds.Verdicts)
	}
	return run, r, err
}

// Witness searches for a shortest run to a state that satisfies one of the reachable properties with the given names;
// nil means all. The run is nil if the search found none; the report, which has no verdicts, says how far the search
// got.
func Witness(ctx context.Context, sys *System, properties []string, search Search) (*Run, *Report, error) {
	t, err := newRunTask(sys, Claims{Properties: properties}, search)
	if err != nil {
		return nil, nil, err
	}
	return t.witness(ctx)
}

// newRunTask returns a task with its chosen properties for an operation that finds runs.
func newRunTask(sys *System, claims Claims, search Search) (*task, error) {
	if err := search.Stepwise(); err != nil {
		return nil, err
	}
	t, err := newCheckTask(sys, Checks{Claims: claims}, search)
	if err != nil {
		return nil, err
	}
	return t, t.Liftable()
}

// boundRun returns a run without steps that names the first violated bound, nil if none is violated. All runs together
// violate a bound.
func (t *task) boundRun(bounds []Verdict) *Run {
	for _, v := range bounds {
		if v.Outcome() == verify.Violated {
			run := verify.FullRun(t.Subject, v.Name+" is violated, but not by a single run; check shows the value", nil)
			run.Property = v.Name
			return run
		}
	}
	return nil
}

// witness searches for a shortest run to a state that satisfies one of the reachable properties.
func (t *task) witness(ctx context.Context) (*Run, *Report, error) {
	var goals []*ir.Property
	for _, p := range t.ChosenProperties {
		switch {
		case p.Kind.Existential():
			goals = append(goals, p)
		case t.checks.Properties != nil:
			return nil, nil, model.Refuse("property", p.Name,
				"only reachable properties have witnesses; counterexample shows runs that break other properties")
		}
	}
	if len(goals) == 0 {
		return nil, nil, model.Refuse("", "", "%s states no reachable property", t.System.Name)
	}
	run, r, err := t.find(ctx, func() verify.Verifier { return t.negatedVerifier(goals) }, negatedGoals(goals))
	if err != nil {
		return nil, nil, err
	}
	if run != nil {
		run.Why = nil
	}
	report := t.report(r.search, nil, r.search.Elapsed)
	report.Ending, report.invalid = r.Ending, r.invalid
	return run, report, nil
}

// negatedGoals returns the invariants that the goals are never reached.
func negatedGoals(goals []*ir.Property) (negated []*ir.Property) {
	for _, p := range goals {
		n := *p
		n.Kind = p.Kind.Negation()
		if p.Body != nil {
			n.Body = &ir.Unary{Op: ir.Not, X: p.Body, T: ir.BoolType()}
		}
		negated = append(negated, &n)
	}
	return negated
}

// negatedVerifier returns the verifier for negatedGoals(goals).
func (t *task) negatedVerifier(goals []*ir.Property) verify.Verifier {
	v := t.verifier()
	v.OnViolation = nil
	if t.Full == nil {
		var names []string
		for _, p := range goals {
			names = append(names, p.Name)
		}
		holds := t.System.HoldsOf(names)
		v.Holds = func(i int, value model.Value) bool { return !holds(i, value) }
	}
	return v
}

// find prepares t, searches for a shortest run that violates one of the properties, and replays it. The function
// verifier returns the verifier after the preparation.
func (t *task) find(
	ctx context.Context, verifier func() verify.Verifier, properties []*ir.Property,
) (run *Run, c *Report, err error) {
	var found *verify.Run
	c, err = t.check(ctx, properties, func() (r *verify.Result, err error) {
		found, r, err = verifier().Counterexample(ctx, properties, t.Search.ExploreOptions())
		return r, err
	})
	if err == nil && found != nil {
		run, err = verify.Show(t.Subject, found)
	}
	return run, c, err
}

// A HuntReport is the report of Hunt: what was tried.
type HuntReport = hunt.Report

// Hunt looks for a run that violates an invariant or a terminal property in a system with too many states for
// Counterexample, see hunt.Search.
func Hunt(
	ctx context.Context, sys *System, properties []string, seed uint64, search Search,
) (*Run, *HuntReport, error) {
	t, err := newStepwiseTask(sys, search)
	if err == nil {
		err = t.Choose(properties, "")
	}
	if err != nil {
		return nil, nil, err
	}
	run, r, err := hunt.Search(ctx, t.Subject, seed)
	return run, r, t.propertyError(err)
}
