package step

import (
	"ringcheck/model/language/ir"
)

// A Reception is a receive that is open in a local state: the messages that it takes have the given values in
// the fields for which there is one.
type Reception struct {
	Source  *int64 // nil: any
	Message *ir.Message
	Fields  []*int64 // nil: any
}

// Receptions returns the receives that are open to a process in a local state. It takes more messages for
// possible than there are: what the receives say of variables that they bind is left out. The error is a
// *model.Fault of no process.
func (m *Machine) Receptions(l ir.Local) ([]Reception, error) {
	env := m.protocol.NewEnv(nil)
	l.Load(env)
	return m.receptions(l.Point.Term, env)
}

func (m *Machine) receptions(t ir.Term, env *ir.Env) ([]Reception, error) {
	switch t := t.(type) {
	case *ir.Prefix:
		if r, ok := t.Action.(*ir.Receive); ok {
			return m.reception(r, env)
		}
	case *ir.Choice:
		return collect(t.Terms, func(u ir.Term) ([]Reception, error) { return m.receptions(u, env) })
	case *ir.Draw:
		if t.Choose {
			return m.receptionsOf(t, env)
		}
	default:
		next, env, err := m.decide(t, env)
		if err != nil || next == nil {
			return nil, err
		}
		return m.receptions(next, env)
	}
	return nil, nil
}

// receptionsOf returns the receives that follow the values of a choice.
func (m *Machine) receptionsOf(d *ir.Draw, env *ir.Env) ([]Reception, error) {
	values, err := m.values(d, env)
	if err != nil {
		return nil, err
	}
	return collect(values, func(x weighted) ([]Reception, error) {
		env := clone(env)
		if err := m.bind(env, d.Var, x.value, d.Pos); err != nil {
			return nil, err
		}
		return m.receptions(d.Then, env)
	})
}

func (m *Machine) reception(r *ir.Receive, env *ir.Env) ([]Reception, error) {
	if r.Message == nil {
		source, err := m.wanted(r.Source, env)
		var all []Reception
		for _, kind := range m.protocol.Messages {
			all = append(all, Reception{source, kind, make([]*int64, len(kind.Fields))})
		}
		return all, err
	}
	open := Reception{Message: r.Message, Fields: make([]*int64, len(r.Patterns))}
	var err error
	if open.Source, err = m.wanted(r.Source, env); err != nil {
		return nil, err
	}
	for i, p := range r.Patterns {
		if open.Fields[i], err = m.wanted(p, env); err != nil {
			return nil, err
		}
	}
	return []Reception{open}, nil
}

// wanted returns the value that a pattern asks for, nil if it takes any.
func (m *Machine) wanted(p ir.Pattern, env *ir.Env) (*int64, error) {
	if p.Equal == nil {
		return nil, nil
	}
	value, err := p.Equal.Eval(env)
	if err != nil {
		return nil, failed(err)
	}
	return &value, nil
}

// Head returns a local state in which a process does the same as in l: where it is after the decisions that
// are pending in l, if these lead to the start of an equation. So many local states have one head. Where a process may
// ignore messages, which leaves it in l, every local state is its own head.
func (m *Machine) Head(l ir.Local) ir.Local {
	if m.ignores {
		return l
	}
	env := m.protocol.NewEnv(nil)
	l.Load(env)
	for t := l.Point.Term; t != nil; {
		next, after, err := m.decide(t, env)
		if err != nil {
			return l
		}
		if call, ok := t.(*ir.Call); ok {
			l = call.Equation.Start.Local(after)
		}
		t, env = next, after
	}
	return l
}
