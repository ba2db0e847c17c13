package compile

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// prefix returns the move that takes the action, if it is possible.
func (w *walker) prefix(p *ir.Prefix, env *ir.Env) ([]distribution, error) {
	m := move{port: nowhere}
	var err error
	switch a := p.Action.(type) {
	case *ir.Receive:
		env, err = w.receive(a, env, &m)
		if env == nil {
			return nil, err
		}
	case *ir.Send:
		if w.arrival != nil {
			return nil, nil
		}
		err = w.send(a, env, &m)
	case *ir.Emit:
		if w.arrival != nil {
			return nil, nil
		}
		err = w.emit(a, env, &m)
	case *ir.Skip:
		if w.arrival != nil {
			return nil, nil
		}
		m.action = w.internAction(action{kind: model.Internal})
	default:
		err = fmt.Errorf("compile: unknown action %T", a)
	}
	if err != nil {
		return nil, err
	}
	if m.action > math.MaxUint32/uint32(w.protocol.N)-1 {
		return nil, &model.Fault{Message: "there are more labels than 32 bits can number", Growth: true}
	}
	if m.next, err = w.arrive(p.Next, env); err != nil {
		return nil, err
	}
	return []distribution{{{m, big.NewRat(1, 1)}}}, nil
}

// arrive returns the local state of a process that an action has brought to p. A call there is resolved at
// once.
func (w *walker) arrive(p *ir.Point, env *ir.Env) (model.Value, error) {
	for {
		c, ok := p.Term.(*ir.Call)
		if !ok {
			return w.internLocal(p.Local(env)), nil
		}
		var err error
		if p, env, err = w.call(c, env); err != nil {
			return 0, err
		}
	}
}

// args evaluates the arguments of a message or an event.
func (w *walker) args(exprs []ir.Expr, fields []ir.Field, pos syntax.Pos, env *ir.Env) ([]int64, error) {
	args := make([]int64, len(exprs))
	for i, e := range exprs {
		var err error
		if args[i], err = e.Eval(env); err != nil {
			return nil, w.failed(err)
		}
		if err := w.bounded(fields[i].Type, args[i], pos, "field", fields[i].Name); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (w *walker) emit(a *ir.Emit, env *ir.Env, m *move) error {
	args, err := w.args(a.Args, a.Event.Fields, a.Pos, env)
	if err != nil {
		return err
	}
	m.action = w.internAction(action{kind: model.EventAction, event: a.Event, args: args})
	return nil
}

// send fills in a move that sends. Whether there is a channel to the target depends on the process and is
// seen to by System.Next; here it is enough that any process could have it.
func (w *walker) send(a *ir.Send, env *ir.Env, m *move) error {
	target, err := a.Target.Eval(env)
	if err != nil {
		return w.failed(err)
	}
	args, err := w.args(a.Args, a.Message.Fields, a.Pos, env)
	if err != nil {
		return err
	}
	if target < 0 || target >= int64(w.layout.ports) {
		return fault(a.Pos, "there is no channel to %s", a.Target.Type().Format(target))
	}
	m.place = a.Pos.String()
	m.port = target
	m.message = w.internMessage(ir.Content{Message: a.Message, Args: args})
	m.action = w.internAction(action{kind: model.SendAction, port: target, message: m.message})
	return nil
}

// receive fills in a move that takes the arriving message and returns the variables afterwards, nil if the
// message does not fit.
func (w *walker) receive(a *ir.Receive, env *ir.Env, m *move) (*ir.Env, error) {
	if w.arrival == nil {
		return nil, nil
	}
	content := w.messages.at(w.arrival.message)
	if content.Message != a.Message {
		return nil, nil
	}
	patterns := slices.Concat([]ir.Pattern{a.Source}, a.Patterns)
	values := slices.Concat([]int64{w.arrival.source}, content.Args)
	if fits, err := w.equal(patterns, values, env); err != nil || !fits {
		return nil, err
	}
	env = clone(env)
	for i, p := range patterns {
		if p.Bind == nil {
			continue
		}
		if err := w.bind(env, p.Bind, values[i], a.Pos); err != nil {
			return nil, err
		}
	}
	if a.Where != nil {
		cond, err := a.Where.Eval(env)
		if err != nil {
			return nil, w.failed(err)
		}
		if cond == 0 {
			return nil, nil
		}
	}
	m.action = w.internAction(action{kind: model.ReceiveAction, port: w.arrival.source, message: w.arrival.message})
	return env, nil
}

// equal reports whether the values are those that the patterns ask for. All that the patterns ask for is
// evaluated before anything is bound.
func (w *walker) equal(patterns []ir.Pattern, values []int64, env *ir.Env) (bool, error) {
	for i, p := range patterns {
		if p.Equal == nil {
			continue
		}
		want, err := p.Equal.Eval(env)
		if err != nil {
			return false, w.failed(err)
		}
		if want != values[i] {
			return false, nil
		}
	}
	return true, nil
}
