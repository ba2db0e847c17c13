package compile

import (
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Reception is a receive that is open in a local state: the messages that it takes have the given values in
// the fields for which there is one.
type Reception struct {
	Source  *int64 // nil: any
	Message *ir.Message
	Fields  []*int64 // nil: any
}

// Receptions returns the receives that are open to a process in local state v. It takes more messages for
// possible than there are: what the receives say of variables that they bind is left out. The error is a
// *model.Fault of no process.
func (s *System) Receptions(v model.Value) ([]Reception, error) {
	w := walker{System: s}
	l := s.locals.at(v).Local
	env := s.protocol.NewEnv(nil)
	l.Load(env)
	return w.receptions(l.Point.Term, env)
}

func (w *walker) receptions(t ir.Term, env *ir.Env) ([]Reception, error) {
	switch t := t.(type) {
	case *ir.Prefix:
		if r, ok := t.Action.(*ir.Receive); ok {
			return w.reception(r, env)
		}
	case *ir.Choice:
		var all []Reception
		for _, u := range t.Terms {
			some, err := w.receptions(u, env)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	case *ir.Draw:
		if t.Choose {
			return w.receptionsOf(t, env)
		}
	default:
		next, env, err := w.decide(t, env)
		if err != nil || next == nil {
			return nil, err
		}
		return w.receptions(next, env)
	}
	return nil, nil
}

// receptionsOf returns the receives that follow the values of a choice.
func (w *walker) receptionsOf(d *ir.Draw, env *ir.Env) ([]Reception, error) {
	values, err := w.values(d, env)
	if err != nil {
		return nil, err
	}
	var all []Reception
	for _, x := range values {
		env := clone(env)
		if err := w.bind(env, d.Var, x.value, d.Pos); err != nil {
			return nil, err
		}
		some, err := w.receptions(d.Then, env)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (w *walker) reception(r *ir.Receive, env *ir.Env) ([]Reception, error) {
	open := Reception{Message: r.Message, Fields: make([]*int64, len(r.Patterns))}
	var err error
	if open.Source, err = w.wanted(r.Source, env); err != nil {
		return nil, err
	}
	for i, p := range r.Patterns {
		if open.Fields[i], err = w.wanted(p, env); err != nil {
			return nil, err
		}
	}
	return []Reception{open}, nil
}

// wanted returns the value that a pattern asks for, nil if it takes any.
func (w *walker) wanted(p ir.Pattern, env *ir.Env) (*int64, error) {
	if p.Equal == nil {
		return nil, nil
	}
	value, err := p.Equal.Eval(env)
	if err != nil {
		return nil, w.failed(err)
	}
	return &value, nil
}

// decide takes one of the decisions that a term begins with, and returns what follows, nil if t is something
// else.
func (w *walker) decide(t ir.Term, env *ir.Env) (ir.Term, *ir.Env, error) {
	switch t := t.(type) {
	case *ir.If:
		cond, err := t.Cond.Eval(env)
		if err != nil {
			return nil, nil, w.failed(err)
		}
		if cond != 0 {
			return t.Then, env, nil
		}
		return t.Else, env, nil
	case *ir.Let:
		value, err := t.Value.Eval(env)
		if err != nil {
			return nil, nil, w.failed(err)
		}
		env = clone(env)
		return t.Then, env, w.bind(env, t.Var, value, t.Pos)
	case *ir.Call:
		point, env, err := w.call(t, env)
		if err != nil {
			return nil, nil, err
		}
		return point.Term, env, nil
	}
	return nil, nil, nil
}

// Head returns a local state in which a process does the same as in v: where it is after the decisions that
// are pending in v, if these lead to the start of an equation. So many local states have one head.
func (s *System) Head(v model.Value) model.Value {
	w := walker{System: s}
	l := s.locals.at(v).Local
	env := s.protocol.NewEnv(nil)
	l.Load(env)
	for t := l.Point.Term; t != nil; {
		if call, ok := t.(*ir.Call); ok {
			start, params, err := w.call(call, env)
			if err != nil {
				return v
			}
			v = s.internLocal(start.Local(params))
		}
		next, after, err := w.decide(t, env)
		if err != nil {
			return v
		}
		t, env = next, after
	}
	return v
}
