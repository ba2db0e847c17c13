package ringcheck

import (
	"context"
	"errors"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// A task is a system to be searched, with the options of the operation.
type task struct {
	*reduce.Subject
	opt Options // opt.Search is that of the Subject
}

func newTask(sys *System, opt Options) (*task, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	s, err := reduce.NewSubject(sys, opt.Search)
	if err != nil {
		return nil, err
	}
	s.Visible = func(ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64) (
		reduce.Visibility, error) {
		visible, err := verify.Seen(ctx, sys, properties, memory)
		return visible, propertyError(err)
	}
	return &task{s, opt}, nil
}

// prepare prepares sys. If ctx ends that, the error wraps ErrIncomplete and the task is returned, too.
func prepare(ctx context.Context, sys *System, opt Options) (*task, error) {
	t, err := newTask(sys, opt)
	if err != nil {
		return t, err
	}
	return t, explore.ContextError(ctx, effort.Do(ctx, func() error { return t.Prepare(ctx) }))
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
