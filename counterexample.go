package ringcheck

import (
	"cmp"
	"context"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// Run searches for a shortest run that violates a property that Check found to be violated, or that shows its fault. It
// is an error if neither is known.
func (r *Report) Run(ctx context.Context, property string) (*Run, error) {
	if r.Property(property) == nil {
		return nil, fmt.Errorf("property %s was not checked", property)
	}
	opt := r.opt
	opt.Properties = []string{property}
	run, found, err := Counterexample(ctx, r.sys, opt)
	if err == nil && run == nil {
		run, err = found.FaultRun(ctx)
	}
	if err == nil && run == nil {
		return nil, cmp.Or(found.Err(), fmt.Errorf("property %s: no violation is known", property))
	}
	return run, err
}

// Counterexample searches for a shortest run that violates a property: an invariant or a terminal property first and,
// if these hold, another. If no single run shows the violation, as with a reachable property, the run has no steps. A
// second implementation replays the run step by step. The run is nil if the search found no violation; the report says
// how far the search got. With Options.Witness the run leads to a state that satisfies a reachable property, and the
// report has no verdicts.
func Counterexample(ctx context.Context, sys *System, opt ...Options) (*Run, *Report, error) {
	t, err := newCheckTask(sys, only(opt))
	if err != nil {
		return nil, nil, err
	}
	if err := t.Liftable(); err != nil {
		return nil, nil, err
	}
	if t.opt.Witness {
		return t.witness(ctx)
	}
	bounds := t.Bounds
	switch err := t.Countable(); {
	case err != nil:
		return nil, nil, err
	case len(bounds) > 0 && (t.opt.Properties != nil || len(t.Chosen) == 0):
		return nil, nil, model.Refuse("property", bounds[0].Name,
			"a probability bound has no single counterexample run; use check")
	}
	run, r, err := t.find(ctx, t.subject, t.Chosen)
	if run == nil && err == nil && r.Complete {
		err = t.decide(ctx, r, bounds)
		run = t.outweighed(r.Properties[len(r.Properties)-len(bounds):])
	}
	return run, r, err
}

// outweighed returns what is found if one of some bounds is violated, which all runs together do: a run without steps.
func (t *task) outweighed(bounds []Verdict) *Run {
	for _, v := range bounds {
		if v.Outcome() == verify.Violated {
			run := verify.FullRun(t.Subject, v.Name+" is violated by all runs together; check has the value", nil)
			run.Property = v.Name
			return run
		}
	}
	return nil
}

// witness searches for a shortest run to a state that satisfies one of the reachable properties.
func (t *task) witness(ctx context.Context) (*Run, *Report, error) {
	var goals []*ir.Property
	for _, p := range t.Chosen {
		switch {
		case p.Kind == ir.Reachable:
			goals = append(goals, p)
		case t.opt.Properties != nil:
			return nil, nil, model.Refuse("property", p.Name,
				"only reachable properties have witnesses; counterexample shows runs that break other properties")
		}
	}
	if len(goals) == 0 {
		return nil, nil, model.Refuse("", "", "%s states no reachable property", t.System.Name)
	}
	run, r, err := t.find(ctx, func() verify.Subject { return t.opposite(goals) }, never(goals))
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

// never returns the invariants that the goals are never reached.
func never(goals []*ir.Property) (never []*ir.Property) {
	for _, p := range goals {
		n := *p
		n.Kind = ir.Invariant
		if p.Body != nil {
			n.Body = &ir.Unary{Op: ir.Not, X: p.Body, T: ir.BoolType()}
		}
		never = append(never, &n)
	}
	return never
}

// opposite returns the subject for never(goals).
func (t *task) opposite(goals []*ir.Property) verify.Subject {
	subject := t.subject()
	subject.Met = nil
	if t.Full == nil {
		var names []string
		for _, p := range goals {
			names = append(names, p.Name)
		}
		holds := t.System.HoldsOf(names)
		subject.Holds = func(i int, v model.Value) bool { return !holds(i, v) }
	}
	return subject
}

// find prepares t, searches subject() for a shortest run that violates one of the properties, and replays that run.
func (t *task) find(
	ctx context.Context, subject func() verify.Subject, properties []*ir.Property,
) (run *Run, c *Report, err error) {
	var found *verify.Run
	c, err = t.check(ctx, properties, func() (r *verify.Report, err error) {
		found, r, err = subject().Counterexample(ctx, properties, t.opt.ExploreOptions())
		return r, err
	})
	if err == nil && found != nil {
		found.Witness = t.opt.Witness
		run, err = verify.Show(t.Subject, found)
	}
	return run, c, err
}
