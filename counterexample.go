package ringcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ringcheck/internal/printable"
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
			run := t.fullRun(v.Name+" is violated by all runs together; check has the value", nil)
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
		run.why = nil
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
		run, err = t.run(found)
	}
	return run, c, err
}

// run replays a run and returns it with its explanation.
func (t *task) run(found *verify.Run) (*Run, error) {
	var err error
	if t.Full != nil {
		err = verify.Replay(t.Full, found)
	} else {
		err = t.retrace(found.Moves)
	}
	if err != nil {
		return nil, fmt.Errorf("the run found in %s cannot be replayed: %w", t.System.Name, err)
	}
	if found.Fault != nil {
		finding := fmt.Sprintf("%v, after %s", found.Fault, printable.Count(len(found.Moves)-1, "step"))
		return t.fullRun(finding, found.Moves), nil
	}
	run := &Run{Property: found.Property.Name, sys: t.System, shown: t.Searched, full: t.Full, moves: found.Moves}
	if t.Full != nil {
		run.shown = t.Full
	}
	terminal := true
	if n := len(found.Moves); n > 0 {
		if _, terminal, err = model.Quiescent(run.shown, found.Moves[n-1].State); err != nil {
			return nil, err
		}
	}
	run.Finding = finding(found, t.opt.Witness, terminal)
	switch {
	case found.Lasso != nil:
		run.Lasso = &Lasso{Stem: found.Lasso.Stem, Cycle: found.Lasso.Cycle}
		run.why = found.Lasso.Why
	case found.Moves != nil:
		run.why, err = t.explain(found.Property, found.Moves[len(found.Moves)-1].State)
	}
	return run, err
}

// finding says in a sentence what a run shows: a violation or, if witness is set, that a state is reached. terminal
// reports whether its last state is terminal.
func finding(run *verify.Run, witness, terminal bool) string {
	text := run.Property.Name
	if run.Property.Doc != "" {
		text += fmt.Sprintf(" (%s)", run.Property.Doc)
	}
	if run.Moves == nil {
		return text + " is violated: no reachable state satisfies it"
	}
	if l := run.Lasso; l != nil {
		text += " is violated: "
		if l.Cycle == 0 {
			return text + "the run ends after " + printable.Count(l.Stem, "step")
		}
		if l.Cycle == 1 {
			return text + fmt.Sprintf("after %s the next one is repeated for ever", printable.Count(l.Stem, "step"))
		}
		return fmt.Sprintf("%safter %s the next %d are repeated for ever", text,
			printable.Count(l.Stem, "step"), l.Cycle)
	}
	steps := printable.Count(len(run.Moves)-1, "step")
	if witness {
		return text + " is reached after " + steps
	}
	text += " is violated after " + steps
	switch {
	case run.Property.Kind != ir.Terminal:
	case terminal:
		text += ", in a terminal state"
	default:
		text += ", in a state in which only the environment can act"
	}
	return text
}

// retrace returns an error unless each state of the run is a successor of the one before it.
func (t *task) retrace(moves []model.Move) error {
	for i, m := range moves {
		found := false
		var err error
		if i == 0 {
			err = t.Searched.Initial(func(s []model.Value) bool {
				found = slices.Equal(s, m.State)
				return !found
			})
		} else {
			err = model.Each(t.Searched, moves[i-1].State, func(_ int, step model.Step, next []model.Value) bool {
				found = step.Label == m.Step.Label && slices.Equal(next, m.State)
				return !found
			})
		}
		if !found {
			return cmp.Or(err, fmt.Errorf("there is no step %d", i))
		}
	}
	return nil
}
