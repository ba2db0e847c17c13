package ringcheck

import (
	"context"
	"errors"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// A task is a system to be searched, with the options of the operation.
type task struct {
	*reduce.Subject
	opt   Options // opt.Search is that of the Subject
	began time.Time
}

func newTask(sys *System, opt Options) (*task, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	s, err := reduce.NewSubject(sys, opt.Search)
	if err != nil {
		return nil, err
	}
	s.Visible = verify.Seen
	return &task{s, opt, time.Now()}, nil
}

// prepare prepares sys. If ctx ends that, the error wraps ErrIncomplete and the task is returned, too.
func prepare(ctx context.Context, sys *System, opt Options) (*task, error) {
	t, err := newTask(sys, opt)
	if err != nil {
		return t, err
	}
	return t, explore.ContextError(ctx, effort.Do(ctx, func() error { return t.prepare(ctx) }))
}

// prepare compiles and reduces the system. Errors about properties are errors of the request.
func (t *task) prepare(ctx context.Context) error { return propertyError(t.Prepare(ctx)) }

// search prepares t and calls do. If ctx or a limit ends either, early says so; the result is nil if do has not
// returned one.
func search[R any](ctx context.Context, t *task, do func() (*R, error)) (result *R, early Ending, err error) {
	err = early.Phase(ctx, func() (err error) {
		if err = t.prepare(ctx); err == nil {
			result, err = do()
		}
		return err
	})
	return result, early, err
}

// explore is search for the explicit engine. If ctx ends before the search begins, the result is empty.
func (t *task) explore(ctx context.Context, do func() (*explore.Result, error)) (*explore.Result, error) {
	result, early, err := search(ctx, t, do)
	switch {
	case result != nil || err != nil:
		return result, err
	case ctx.Err() == nil:
		return nil, early.Err() // a limit
	}
	return t.unbegun(ctx), nil
}

// subject returns the system for verify.
func (t *task) subject() verify.Subject {
	s := verify.For(t.Subject)
	s.StopFirst = t.opt.StopFirst
	if tell := t.opt.Violated; tell != nil {
		s.Met = func(p *ir.Property, level int) {
			if t.opt.Reduction != NoReduction {
				level = -1
			}
			tell(p.Name, level)
		}
	}
	return s
}

// unbegun returns the result of a search that ctx ended before it began.
func (t *task) unbegun(ctx context.Context) *explore.Result {
	return &explore.Result{Stop: explore.StopFor(ctx), Elapsed: time.Since(t.began)}
}

// propertyError marks errors about properties as errors of the request.
func propertyError(err error) error {
	var e *verify.EvalError
	switch {
	case errors.As(err, &e):
		return &RequestError{Err: err}
	case errors.Is(err, verify.ErrAsymmetric):
		return model.Refuse("symmetry", string(Rotation), "%w; --property chooses others", err)
	case errors.Is(err, verify.ErrTemporal):
		return &RequestError{Err: err}
	}
	return err
}
