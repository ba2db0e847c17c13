package ringcheck

import (
	"context"
	"errors"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// A task is a system to be searched, with what is to be checked.
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
		return visible, propertyError(err)
	}
	return &task{Subject: s}, nil
}

// newStepwiseTask is newTask for an operation that visits states one by one.
func newStepwiseTask(sys *System, search Search) (*task, error) {
	if err := search.Stepwise(); err != nil {
		return nil, err
	}
	return newTask(sys, search)
}

// subject returns the system for verify.
func (t *task) subject() verify.Subject {
	s := verify.For(t.Subject)
	s.StopFirst = t.checks.StopFirst
	if tell := t.checks.Violated; tell != nil {
		s.Met = func(p *ir.Property, level int) {
			if t.Search.Reduction != NoReduction {
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
