package step

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A walker works out what a process can do from one local state: on its own, or with one arriving message.
type walker struct {
	*Machine
	from    ir.Local
	arrival *arrival // nil: on its own
	drawn   []Drawn  // see Site.Drawn: those of the draws to come
}

// An arrival is a message with the source that it comes from.
type arrival struct {
	source  int64
	message ir.Content
}

// walk returns the distinct alternatives from a local state, in the order of the text.
func (w *walker) walk(l ir.Local, at Site) ([]Distribution, error) {
	env := w.protocol.NewEnv(at.View)
	env.Self, env.Sets = at.Process, at.Sets
	if len(at.Drawn) > 0 {
		w.drawn = at.Drawn
	}
	w.from = l
	l.Load(env)
	alternatives, err := w.term(l.Point.Term, env)
	return distinct(alternatives), err
}

// term returns the alternatives that t leaves. env is not changed.
func (w *walker) term(t ir.Term, env *ir.Env) ([]Distribution, error) {
	switch t := t.(type) {
	case *ir.Stop:
		return nil, nil
	case *ir.Prefix:
		return w.prefix(t, env)
	case *ir.Choice:
		return collect(t.Terms, func(u ir.Term) ([]Distribution, error) { return w.term(u, env) })
	case *ir.Draw:
		if t.Choose {
			return w.choose(t, env)
		}
		return w.draw(t, env)
	}
	next, env, err := w.decide(t, env)
	if err != nil {
		return nil, err
	}
	return w.term(next, env)
}

// decide takes one of the decisions that a term begins with, and returns what follows, nil if t is something
// else.
func (m *Machine) decide(t ir.Term, env *ir.Env) (ir.Term, *ir.Env, error) {
	switch t := t.(type) {
	case *ir.If:
		cond, err := t.Cond.Eval(env)
		if m.listener != nil && err == nil {
			m.listener.Decided(t, cond != 0)
		}
		switch {
		case err != nil:
			return nil, nil, failed(err)
		case cond != 0:
			return t.Then, env, nil
		}
		return t.Else, env, nil
	case *ir.Let:
		value, err := t.Value.Eval(env)
		if err != nil {
			return nil, nil, failed(err)
		}
		env = clone(env)
		return t.Then, env, m.bind(env, t.Var, value, t.Pos)
	case *ir.Call:
		point, env, err := m.call(t, env)
		if err != nil {
			return nil, nil, err
		}
		return point.Term, env, nil
	case *ir.For:
		env = clone(env)
		point, err := t.Next(env, false)
		if err != nil {
			return nil, nil, failed(err)
		}
		return point.Term, env, nil
	}
	return nil, nil, nil
}

// collect joins what follows from each of some things.
func collect[T, R any](things []T, follow func(T) ([]R, error)) ([]R, error) {
	var all []R
	for _, x := range things {
		some, err := follow(x)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// with returns the alternatives of then where v has a value.
func (w *walker) with(v *ir.Var, value int64, pos syntax.Pos, then ir.Term, env *ir.Env) ([]Distribution, error) {
	env = clone(env)
	if err := w.bind(env, v, value, pos); err != nil {
		return nil, err
	}
	return w.term(then, env)
}

func clone(env *ir.Env) *ir.Env {
	return &ir.Env{Vars: slices.Clone(env.Vars), State: env.State, Self: env.Self, Sets: env.Sets}
}

// bind gives v a value.
func (m *Machine) bind(env *ir.Env, v *ir.Var, value int64, pos syntax.Pos) error {
	if err := v.Check(value, pos); err != nil {
		return failed(err)
	}
	env.Vars[v.ID] = value
	return m.Bounded(v.Type, value, pos, "variable", v.Name)
}

// call returns the start of the called equation and the variables there.
func (m *Machine) call(c *ir.Call, env *ir.Env) (*ir.Point, *ir.Env, error) {
	params := m.protocol.NewEnv(env.State)
	params.Self, params.Sets = env.Self, env.Sets
	for _, v := range m.lasting {
		params.Vars[v.ID] = env.Vars[v.ID]
	}
	for i, v := range c.Equation.Params {
		value, err := c.Args[i].Eval(env)
		if err != nil {
			return nil, nil, failed(err)
		}
		if err := m.bind(params, v, value, c.Pos); err != nil {
			return nil, nil, err
		}
	}
	return c.Equation.Start, params, nil
}

// A weighted value is one that a draw can give, with its probability.
type weighted struct {
	value  int64
	weight *big.Rat
}

// values returns the values of d with their probabilities, ascending or in the order of the text.
func (m *Machine) values(d *ir.Draw, env *ir.Env) ([]weighted, error) {
	switch {
	case d.Weights != nil:
		var all []weighted
		for _, x := range d.Weights {
			all = append(all, weighted{x.Value, big.NewRat(int64(x.Num), int64(x.Den))})
		}
		return all, nil
	case d.Among != nil && d.Among.Type().Wide:
		return nil, fault(d.Pos, "%s has too many possible elements to list what can be drawn", d.Among.Type())
	case d.Among != nil:
		set, err := d.Among.Eval(env)
		if err != nil {
			return nil, failed(err)
		}
		switch {
		case d.Size != nil:
			return subsets(d, set, env)
		case d.Permuted:
			return permutations(d, set)
		}
		return uniform(slices.Collect(d.Among.Type().Elements(set))), nil
	}
	return uniform(d.Values), nil
}

// uniform gives values equal probabilities.
func uniform(values []int64) []weighted {
	all := make([]weighted, len(values))
	for i, v := range values {
		all[i] = weighted{v, big.NewRat(1, int64(len(values)))}
	}
	return all
}

// permutations returns the arrays of the elements of a set in any order, in lexicographic order.
func permutations(d *ir.Draw, set int64) ([]weighted, error) {
	elems := slices.Collect(d.Among.Type().Elements(set))
	length, _ := d.Var.Type.Index.Size()
	if uint64(len(elems)) != length {
		return nil, fault(d.Pos, "the permutations of %s do not fill an array of %d elements", d.Among.Type().Format(set), length)
	}
	return uniform(slices.Collect(d.Var.Type.Permutations(elems))), nil
}

// maxSubsets is how many subsets there can be to draw from.
const maxSubsets = 1 << 16

// subsets returns the subsets of a set with d.Size elements, in ascending order of their masks.
func subsets(d *ir.Draw, set int64, env *ir.Env) ([]weighted, error) {
	size, err := d.Size.Eval(env)
	if err != nil {
		return nil, failed(err)
	}
	n := int64(bits.OnesCount64(uint64(set)))
	if size < 0 || size > n {
		return nil, fault(d.Pos, "a set of %d elements has no subset of %d", n, size)
	}
	if new(big.Int).Binomial(n, size).Cmp(big.NewInt(maxSubsets)) > 0 {
		return nil, fault(d.Pos, "a set of %d elements has too many subsets of %d to draw from", n, size)
	}
	var masks []int64
	var extend func(mask, rest, left int64)
	extend = func(mask, rest, left int64) {
		if left == 0 {
			masks = append(masks, mask)
			return
		}
		for rest != 0 {
			low := rest & -rest
			rest &^= low
			extend(mask|low, rest, left-1)
		}
	}
	extend(0, set, size)
	slices.Sort(masks)
	return uniform(masks), nil
}

func (w *walker) choose(d *ir.Draw, env *ir.Env) ([]Distribution, error) {
	values, err := w.values(d, env)
	if err != nil {
		return nil, err
	}
	return collect(values, func(x weighted) ([]Distribution, error) {
		return w.with(d.Var, x.value, d.Pos, d.Then, env)
	})
}

// draw makes one distribution of the actions that the values lead to.
func (w *walker) draw(d *ir.Draw, env *ir.Env) ([]Distribution, error) {
	if w.arrival != nil {
		return nil, nil // no receive follows a draw
	}
	if w.drawn != nil {
		return w.drew(d, env)
	}
	values, err := w.values(d, env)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fault(d.Pos, "the draw of %s has no value to draw", d.Var.Name)
	}
	var mixed Distribution
	for _, x := range values {
		alternatives, err := w.with(d.Var, x.value, d.Pos, d.Then, env)
		if err != nil {
			return nil, err
		}
		if len(alternatives) != 1 {
			return nil, fault(d.Pos, "the draw of %s does not lead to one definite action", d.Var.Name)
		}
		mixed = append(mixed, alternatives[0].scaled(x.weight)...)
	}
	return []Distribution{mixed}, nil
}

// drew returns the alternatives where d has given the value that is known, if it can.
func (w *walker) drew(d *ir.Draw, env *ir.Env) ([]Distribution, error) {
	if len(w.drawn) == 0 || w.drawn[0].Var != d.Var {
		return nil, nil
	}
	value := w.drawn[0].Value
	if can, err := w.canDraw(d, value, env); err != nil || !can {
		return nil, err
	}
	before := w.drawn
	defer func() { w.drawn = before }()
	w.drawn = w.drawn[1:]
	return w.with(d.Var, value, d.Pos, d.Then, env)
}

// canDraw reports whether d can give a value. A set that is too large to list what can be drawn from it is looked at itself.
func (w *walker) canDraw(d *ir.Draw, value int64, env *ir.Env) (bool, error) {
	if d.Among == nil || !d.Among.Type().Wide || d.Permuted {
		values, err := w.values(d, env)
		return slices.ContainsFunc(values, func(x weighted) bool { return x.value == value }), err
	}
	set, err := d.Among.Eval(env)
	if err != nil {
		return false, failed(err)
	}
	from := env.Members(d.Among.Type(), set)
	in := func(x int32) bool { _, found := slices.BinarySearch(from, x); return found }
	if d.Size == nil {
		return value == int64(int32(value)) && in(int32(value)), nil
	}
	size, err := d.Size.Eval(env)
	if err != nil {
		return false, failed(err)
	}
	subset := env.Members(d.Var.Type, value)
	return int64(len(subset)) == size && !slices.ContainsFunc(subset, func(x int32) bool { return !in(x) }), nil
}

// prefix returns the alternative that takes the action, if it is possible.
func (w *walker) prefix(p *ir.Prefix, env *ir.Env) ([]Distribution, error) {
	r, receives := p.Action.(*ir.Receive)
	if receives != (w.arrival != nil) {
		return nil, nil
	}
	o := Outcome{Probability: big.NewRat(1, 1)}
	var err error
	switch a := p.Action.(type) {
	case *ir.Receive:
		env, err = w.receive(r, env, &o)
	case *ir.Send:
		err = w.send(a, env, &o)
	case *ir.Emit:
		o.Action = Action{Kind: model.EventAction, Event: a.Event}
		o.Action.Args, err = w.args(a.Args, a.Event.Fields, a.Pos, env)
	case *ir.Assign:
		env = clone(env)
		var value int64
		if value, err = a.Value.Eval(env); err != nil {
			return nil, failed(err)
		}
		o.Action = Action{Kind: model.Internal, Set: a.Var, Args: []int64{value}}
		err = w.bind(env, a.Var, value, a.Pos)
	case *ir.Skip:
		o.Action.Kind = model.Internal
	case *ir.Crash:
		o.Action.Kind = model.CrashAction
		env = w.stopped(env)
	default:
		err = fmt.Errorf("unknown action %T", a)
	}
	if err != nil || env == nil {
		return nil, err
	}
	if p.Next == nil {
		o.Next = ir.Local{Point: w.from.Point, Env: slices.Clone(w.from.Env)}
		o.Next.Set(env)
	} else if o.Next, err = w.arrive(p.Next, env); err != nil {
		return nil, err
	}
	if w.listener != nil {
		w.listener.Possible(p)
	}
	return []Distribution{{o}}, nil
}

// arrive returns the local state of a process that an action has brought to p. A call there is resolved at
// once, and so is what is next in a loop and what a receive sets.
func (m *Machine) arrive(p *ir.Point, env *ir.Env) (ir.Local, error) {
	for ir.Passing(p.Term) {
		var err error
		switch t := p.Term.(type) {
		case *ir.Call:
			p, env, err = m.call(t, env)
		case *ir.For:
			env = clone(env)
			p, err = t.Next(env, false)
		case *ir.Again:
			env = clone(env)
			p, err = t.Next(env, true)
		case *ir.Store:
			var value int64
			if value, err = t.Value.Eval(env); err == nil {
				env = clone(env)
				err = m.bind(env, t.Var, value, t.Pos)
				p = t.Then
			}
		}
		if err != nil {
			return ir.Local{}, failed(err)
		}
	}
	return p.Local(env), nil
}

// args evaluates the arguments of a message or an event.
func (m *Machine) args(exprs []ir.Expr, fields []ir.Field, pos syntax.Pos, env *ir.Env) ([]int64, error) {
	args := make([]int64, len(exprs))
	for i, e := range exprs {
		var err error
		if args[i], err = e.Eval(env); err != nil {
			return nil, failed(err)
		}
		if err := m.Bounded(fields[i].Type, args[i], pos, "field", fields[i].Name); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// send sets what is sent where. Whether the process has a channel to the target is for others to see, since all processes
// do the same in the same local state.
func (m *Machine) send(a *ir.Send, env *ir.Env, o *Outcome) error {
	target, err := a.Target.Eval(env)
	if err != nil {
		return failed(err)
	}
	args, err := m.args(a.Args, a.Message.Fields, a.Pos, env)
	if err != nil {
		return err
	}
	o.Action = Action{Kind: model.SendAction, Port: target, Message: ir.Content{Message: a.Message, Args: args}}
	o.Place = a.Pos.String()
	return nil
}

// receive takes the arriving message and returns the variables afterwards, nil if the message does not fit.
func (w *walker) receive(a *ir.Receive, env *ir.Env, o *Outcome) (*ir.Env, error) {
	content := w.arrival.message
	content.Age = 0 // is no matter of who receives it
	if a.Message != nil && content.Message != a.Message {
		return nil, nil
	}
	patterns := slices.Concat([]ir.Pattern{a.Source}, a.Patterns)
	values := slices.Concat([]int64{w.arrival.source}, content.Args)[:len(patterns)]
	if fits, err := equal(patterns, values, env); err != nil || !fits {
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
			return nil, failed(err)
		}
		if cond == 0 {
			return nil, nil
		}
	}
	o.Action = Action{Kind: model.ReceiveAction, Port: w.arrival.source, Message: content}
	return env, nil
}

// equal reports whether the values are those that the patterns ask for. All that the patterns ask for is
// evaluated before anything is bound.
func equal(patterns []ir.Pattern, values []int64, env *ir.Env) (bool, error) {
	for i, p := range patterns {
		if p.Equal == nil {
			continue
		}
		want, err := p.Equal.Eval(env)
		if err != nil {
			return false, failed(err)
		}
		if want != values[i] {
			return false, nil
		}
	}
	return true, nil
}
