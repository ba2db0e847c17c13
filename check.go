package ringcheck

import (
	"cmp"
	"context"
	"errors"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// Check decides properties of a system in one search. A search that ends early is not an error: see Report.Err. The
// error is a *RequestError, or says why the search could not begin.
func Check(ctx context.Context, sys *System, checks Checks, search Search) (*Report, error) {
	t, err := newCheckTask(sys, checks, search)
	if err != nil {
		return nil, err
	}
	err = t.Countable()
	if err == nil && t.Search.Engine == Symbolic {
		err = t.undecidable()
	}
	if err != nil {
		return nil, err
	}
	r, err := t.check(ctx, t.ChosenProperties, func() (*verify.Result, error) {
		if t.Search.Engine == Symbolic {
			return t.checkSymbolically(ctx)
		}
		return t.verifier().Check(ctx, t.ChosenProperties, t.Search.ExploreOptions())
	})
	if err != nil {
		return nil, err
	}
	err = t.decide(ctx, r, verify.NewBounds(t.Subject))
	for _, phase := range []func(context.Context, *Report) error{t.cover, t.countWithoutGhosts} {
		if err == nil {
			err = r.Phase(ctx, func() error { return phase(ctx, r) })
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// decide adds the verdicts on some bounds to a report on properties.
func (t *task) decide(ctx context.Context, r *Report, bounds *verify.Bounds) error {
	if len(bounds.Verdicts) == 0 {
		return nil
	}
	err := r.Phase(ctx, func() error { return t.propertyError(bounds.Decide(ctx)) })
	r.addInvalid(bounds.Invalid)
	if early := bounds.Search; early != nil && r.Complete {
		r.Ending, r.errorState = early.Ending(), early.ErrorState
	}
	r.Verdicts.Properties = append(r.Verdicts.Properties, bounds.Verdicts...)
	r.Verdicts.Holds = allHold(r.Verdicts.Properties)
	return err
}

// check prepares t and reports the verdicts of do; they are unknown if ctx ends before do begins.
func (t *task) check(
	ctx context.Context, properties []*ir.Property, do func() (*verify.Result, error),
) (*Report, error) {
	found, early, err := reduce.Do(ctx, t.Subject, do)
	begun := found != nil
	switch {
	case err != nil:
		return nil, t.propertyError(err)
	case !begun:
		found = &verify.Result{Search: t.Unbegun(ctx)}
		if t.Search.Engine == Symbolic {
			found.Diagrams = t.unbegunSymbolic(ctx)
		}
		found.Elapsed = found.Search.Elapsed
		for _, p := range properties {
			found.Judgments = append(found.Judgments, verify.Judgment{Property: p})
		}
	}
	r, err := t.newCheckReport(found)
	if err == nil && early.Err() != nil && (!begun || r.Complete || found.Search.Stop == explore.Matched) {
		r.Ending = early
	}
	return r, err
}

// cover adds the coverage of the spec if it was requested.
func (t *task) cover(ctx context.Context, r *Report) error {
	if !t.checks.Coverage || !r.search.Complete() {
		return nil
	}
	list, err := verify.Cover(ctx, t.Full, t.Search.Bounds(), t.Search.ExploreOptions())
	if err != nil {
		return err
	}
	r.Verdicts.Coverage = list
	return nil
}

// newCheckTask returns a task with its chosen properties.
func newCheckTask(sys *System, checks Checks, search Search) (*task, error) {
	t, err := newTask(sys, search)
	if err == nil {
		err = cmp.Or(checks.permits(search.Engine), t.Choose(checks.Properties, checks.Fairness))
	}
	if err != nil {
		return nil, err
	}
	t.checks = checks
	return t, nil
}

// newCheckReport returns the report for verdicts.
func (t *task) newCheckReport(found *verify.Result) (*Report, error) {
	verdicts := &Verdicts{}
	for i := range found.Judgments {
		v := &found.Judgments[i]
		verdict, err := verify.NewVerdict(t.Subject, v)
		if err != nil {
			return nil, err
		}
		if verdict.States = Count(v.Count).Number(); found.Diagrams != nil {
			verdict.States = Number{Int: v.Large}
		}
		verdicts.Properties = append(verdicts.Properties, verdict)
	}
	if found.Holds() || found.Violated() {
		verdicts.Holds = new(found.Holds())
	}
	r := t.report(found.Search, found.Diagrams, found.Elapsed)
	r.Verdicts, r.Storage = verdicts, nil
	for i := range found.Judgments {
		r.addInvalid(found.Judgments[i].EvalError)
	}
	return r, nil
}

// addInvalid records the error of a property in a report, unless it has one with a run that is as short.
func (r *Report) addInvalid(e *verify.EvalError) {
	if e != nil && (r.invalid == nil || e.Level < r.invalid.Level) {
		r.invalid = e
	}
}

// Validate checks a search of a system, as far as possible without exploring it, and the names of properties. The error
// is a *RequestError.
func Validate(sys *System, properties []string, search Search) error {
	t, err := newTask(sys, search)
	if err == nil && properties != nil {
		err = t.Choose(properties, "")
	}
	return err
}

// allHold reports whether all properties hold; nil means unknown.
func allHold(list []Verdict) *bool {
	holds := new(true)
	for i := range list {
		switch list[i].Outcome() {
		case verify.Violated:
			return new(false)
		case verify.Unknown:
			holds = nil
		}
	}
	return holds
}

// A task is a search of a system, and the checks to make.
type task struct {
	*reduce.Subject
	checks Checks
}

func newTask(sys *System, search Search) (*task, error) {
	s, err := reduce.NewSubject(sys, search)
	if err != nil {
		return nil, err
	}
	s.Visible = func(ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64) (
		reduce.Visibility, error) {
		visible, err := verify.Seen(ctx, sys, properties, memory)
		return visible, (&task{Subject: s}).propertyError(err)
	}
	s.Decides = verify.Decides
	return &task{Subject: s}, nil
}

// newStepwiseTask is newTask for an operation that visits states one by one.
func newStepwiseTask(sys *System, search Search) (*task, error) {
	if err := search.Stepwise(); err != nil {
		return nil, err
	}
	return newTask(sys, search)
}

// verifier returns the verifier of the subject.
func (t *task) verifier() verify.Verifier {
	v := verify.For(t.Subject)
	v.StopFirst, v.Diagnose = t.checks.StopFirst, t.checks.Diagnose
	if report := t.checks.OnViolation; report != nil {
		v.OnViolation = func(p *ir.Property, level int) {
			if t.Search.Reduction != NoReduction {
				level = -1
			}
			report(p.Name, level)
		}
	}
	return v
}

// propertyError marks errors about properties as errors of the request.
func (t *task) propertyError(err error) error {
	var e *verify.EvalError
	switch {
	case errors.As(err, &e):
		return &RequestError{Err: err}
	case errors.Is(err, verify.ErrAsymmetric):
		return model.Refuse("symmetry", string(t.Search.Symmetry), "%w; --property chooses others", err)
	case errors.Is(err, verify.ErrTemporal):
		return &RequestError{Err: err}
	}
	return err
}
