package interp

import (
	"fmt"
	"math/big"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// prefix returns the transition that takes the action, if it is possible now.
func (w *walk) prefix(p *ir.Prefix, vars []int64) ([][]Transition, error) {
	t := Transition{Process: w.process, Link: -1, Weight: big.NewRat(1, 1), Target: w.state.clone()}
	possible, vars, err := w.act(p.Action, vars, &t)
	if err != nil || !possible {
		return nil, err
	}
	t.Target.Processes[w.process], err = w.arrive(p.Next, vars)
	if err != nil {
		return nil, err
	}
	return [][]Transition{{t}}, nil
}

func (s *State) clone() *State {
	c := &State{Processes: slices.Clone(s.Processes)}
	for _, channel := range s.Channels {
		c.Channels = append(c.Channels, slices.Clone(channel))
	}
	return c
}

// act fills in what t is and what it does to the channels. It returns the variables afterwards.
func (w *walk) act(a ir.Action, vars []int64, t *Transition) (possible bool, after []int64, err error) {
	if r, ok := a.(*ir.Receive); ok {
		return w.receive(r, vars, t)
	}
	if w.arrival != nil {
		return false, nil, nil
	}
	switch a := a.(type) {
	case *ir.Send:
		err = w.send(a, vars, t)
	case *ir.Emit:
		err = w.emit(a, vars, t)
	case *ir.Skip:
		t.Kind = model.Internal
		t.Label = fmt.Sprintf("skip(%d)", w.process)
	default:
		err = fmt.Errorf("unknown action %T", a)
	}
	return err == nil, vars, err
}

func (w *walk) emit(a *ir.Emit, vars []int64, t *Transition) error {
	args, err := w.args(a.Event.Fields, a.Args, vars, a.Pos)
	if err != nil {
		return err
	}
	t.Kind = model.EventAction
	t.Label = ir.FormatFields(a.Event.Name, a.Event.Fields, args)
	return nil
}

// args evaluates the arguments of a message or an event.
func (w *walk) args(fields []ir.Field, exprs []ir.Expr, vars []int64, pos syntax.Pos) ([]int64, error) {
	args := make([]int64, len(fields))
	for i, e := range exprs {
		value, err := e.Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, w.failed(err)
		}
		if err := w.bounded(fields[i].Type, value, pos, "field "+fields[i].Name); err != nil {
			return nil, err
		}
		args[i] = value
	}
	return args, nil
}

func (w *walk) send(a *ir.Send, vars []int64, t *Transition) error {
	target, err := a.Target.Eval(&ir.Env{Vars: vars})
	if err != nil {
		return w.failed(err)
	}
	args, err := w.args(a.Message.Fields, a.Args, vars, a.Pos)
	if err != nil {
		return err
	}
	t.Link = slices.IndexFunc(w.protocol.Links, func(l ir.Link) bool {
		return l.From == w.process && l.Out == target
	})
	if t.Link < 0 {
		return w.fault(a.Pos, "there is no channel to %s", a.Target.Type().Format(target))
	}
	m := ir.Content{Message: a.Message, Args: args}
	t.Kind = model.SendAction
	t.Label = fmt.Sprintf("send(%d,%s,%s)", w.process, a.Target.Type().Format(target), m)
	return w.put(m, a, t)
}

// put puts a message behind the others, or in its place among them.
func (w *walk) put(m ir.Content, a *ir.Send, t *Transition) error {
	channel := append(t.Target.Channels[t.Link], m)
	if w.protocol.Channel == ir.Unordered {
		slices.SortStableFunc(channel, ir.Content.Compare)
	}
	t.Target.Channels[t.Link] = channel
	if len(channel) > w.options.MaxMessages {
		f := w.fault(a.Pos, "%s would hold more than %d messages",
			w.protocol.FormatLink(t.Link), w.options.MaxMessages)
		f.Growth = true
		return f
	}
	return nil
}

// receive takes the arriving message if it fits.
func (w *walk) receive(a *ir.Receive, vars []int64, t *Transition) (possible bool, after []int64, err error) {
	if w.arrival == nil {
		return false, nil, nil
	}
	t.Link = w.arrival.link
	source := w.protocol.Links[t.Link].In
	m := t.Target.Channels[t.Link][w.arrival.position]
	if m.Message != a.Message {
		return false, nil, nil
	}
	vars, fits, err := w.match(a, source, m.Args, vars)
	if err != nil || !fits {
		return false, nil, err
	}
	t.Kind = model.ReceiveAction
	t.Label = fmt.Sprintf("recv(%d,%s,%s)", w.process, w.protocol.FormatPort(source), m)
	t.Target.Channels[t.Link] = slices.Delete(t.Target.Channels[t.Link], w.arrival.position, w.arrival.position+1)
	return true, vars, nil
}

// match compares source and fields with the patterns: first what must be equal, then it binds, then it asks
// for the condition.
func (w *walk) match(a *ir.Receive, source int64, args, vars []int64) (after []int64, fits bool, err error) {
	patterns := append([]ir.Pattern{a.Source}, a.Patterns...)
	values := append([]int64{source}, args...)
	for i, p := range patterns {
		if p.Equal == nil {
			continue
		}
		want, err := p.Equal.Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, false, w.failed(err)
		}
		if want != values[i] {
			return nil, false, nil
		}
	}
	after = slices.Clone(vars)
	for i, p := range patterns {
		if p.Bind == nil {
			continue
		}
		if err := w.bind(after, p.Bind, values[i], a.Pos); err != nil {
			return nil, false, err
		}
	}
	if a.Where == nil {
		return after, true, nil
	}
	cond, err := a.Where.Eval(&ir.Env{Vars: after})
	if err != nil {
		return nil, false, w.failed(err)
	}
	return after, cond != 0, nil
}

// arrive returns the local state at p. A call there is resolved at once, and so is a call that it leads to.
func (w *walk) arrive(p *ir.Point, vars []int64) (ir.Local, error) {
	for {
		c, ok := p.Term.(*ir.Call)
		if !ok {
			break
		}
		params, err := w.call(c, vars)
		if err != nil {
			return ir.Local{}, err
		}
		p, vars = c.Equation.Start, params
	}
	local := ir.Local{Point: p}
	for _, v := range p.Live {
		local.Env = append(local.Env, vars[v.ID])
	}
	return local, nil
}
