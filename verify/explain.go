package verify

import (
	"slices"
	"strconv"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Witness says what makes a property false in a state.
type Witness struct {
	// Bindings are the values for which it is false: "forall p in node" fails for p = 2.
	Bindings []Binding
	// Sums are the counts and sums that are not as they should be.
	Sums []Sum
	// Processes and Links are those that decide, in ascending order.
	Processes, Links []int
}

// A Binding is a value of a binder for people.
type Binding struct{ Name, Value string }

// A Sum is the value of a count or sum.
type Sum struct {
	Value int64
	Count bool      // else it is a sum
	For   []Binding // of a count: what counts
}

// Explain returns why the body of a property is false in a state. The error is an *EvalError.
func Explain(sys *compile.System, property *ir.Property, state []model.Value) (*Witness, error) {
	view := sys.NewView()
	view.Show(state)
	x := &explainer{protocol: sys.Protocol(), seen: &looks{View: view}}
	x.env = x.protocol.NewEnv(x.seen)
	if err := x.reason(property.Body, false); err != nil {
		return nil, &EvalError{property, err}
	}
	slices.Sort(x.seen.processes)
	slices.Sort(x.seen.links)
	x.witness.Processes, x.witness.Links = slices.Compact(x.seen.processes), slices.Compact(x.seen.links)
	return &x.witness, nil
}

// An explainer goes down a formula to the place that decides it.
type explainer struct {
	protocol *ir.Protocol
	env      *ir.Env
	seen     *looks
	witness  Witness
}

// value evaluates e without taking note of what it looks at.
func (x *explainer) value(e ir.Expr) (int64, error) {
	x.seen.off = true
	defer func() { x.seen.off = false }()
	return e.Eval(x.env)
}

func (x *explainer) isTrue(e ir.Expr) (bool, error) {
	v, err := x.value(e)
	return v != 0, err
}

// reason collects why e has the value that it has.
func (x *explainer) reason(e ir.Expr, value bool) error {
	switch e := e.(type) {
	case *ir.Holds:
		if _, err := x.value(e.X); err == nil {
			return x.reason(e.X, value)
		}
	case *ir.Apply:
		return x.apply(e, value)
	case *ir.Unary:
		if e.Op == ir.Not {
			return x.reason(e.X, !value)
		}
	case *ir.Binary:
		return x.binary(e, value)
	case *ir.Cond:
		c, err := x.isTrue(e.If)
		if err != nil {
			return err
		}
		if c {
			return x.reason(e.Then, value)
		}
		return x.reason(e.Else, value)
	case *ir.Quantifier:
		if e.Op == ir.ForAll && !value || e.Op == ir.Exists && value {
			return x.example(e, value)
		}
	}
	return x.look(e)
}

// look takes note of what e looks at.
func (x *explainer) look(e ir.Expr) error {
	_, err := e.Eval(x.env)
	return err
}

func (x *explainer) apply(e *ir.Apply, value bool) error {
	var args []int64
	for _, a := range e.Args {
		v, err := x.value(a)
		if err != nil {
			return x.look(e)
		}
		args = append(args, v)
	}
	for i, p := range e.Define.Params {
		x.env.Vars[p.ID] = args[i]
	}
	return x.reason(e.Define.Body, value)
}

// binary goes on with the operand that decides, if it is one.
func (x *explainer) binary(e *ir.Binary, value bool) error {
	switch {
	case e.Op == ir.And && !value || e.Op == ir.Or && value:
		left, err := x.isTrue(e.X)
		if err != nil {
			return err
		}
		if left == value {
			return x.reason(e.X, value)
		}
		return x.reason(e.Y, value)
	case e.Op == ir.Implies && !value:
		return x.reason(e.Y, false)
	case e.Op == ir.And, e.Op == ir.Or, e.Op == ir.Implies:
		return x.look(e)
	}
	for _, side := range []ir.Expr{e.X, e.Y} {
		if err := x.sum(side); err != nil {
			return err
		}
	}
	return x.look(e)
}

// example finds the values for which a quantifier's body has a value.
func (x *explainer) example(q *ir.Quantifier, value bool) error {
	found, err := x.each(q, func() (bool, error) {
		b, err := x.isTrue(q.Body)
		return err == nil && b == value, nil // what fails does not decide
	})
	if err != nil || !found {
		return err
	}
	x.witness.Bindings = append(x.witness.Bindings, x.binding(q.Var))
	x.mention(q.Var)
	return x.reason(q.Body, value)
}

// each sets the variable of q to one value after the other until stop.
func (x *explainer) each(q *ir.Quantifier, stop func() (bool, error)) (stopped bool, err error) {
	x.seen.off = true
	lo, hi, err := q.Domain(x.env)
	x.seen.off = false
	for v := lo; v <= hi && err == nil && !stopped; v++ {
		x.env.Vars[q.Var.ID] = v
		stopped, err = stop()
	}
	return stopped, err
}

// sum takes note of e if it is a count or sum.
func (x *explainer) sum(e ir.Expr) error {
	if a, ok := e.(*ir.Apply); ok && len(a.Args) == 0 {
		return x.sum(a.Define.Body)
	}
	q, ok := e.(*ir.Quantifier)
	if !ok || q.Op != ir.Sum {
		return nil
	}
	total, err := x.value(q)
	if err != nil {
		return err
	}
	s := Sum{Value: total, Count: q.Body.Type().Kind == ir.Bool}
	_, err = x.each(q, func() (bool, error) {
		counts, err := x.isTrue(q.Body)
		if counts && s.Count {
			s.For = append(s.For, x.binding(q.Var))
		}
		return false, err
	})
	x.witness.Sums = append(x.witness.Sums, s)
	return err
}

// binding returns the value of a binder for people.
func (x *explainer) binding(v *ir.Var) Binding {
	value := x.env.Vars[v.ID]
	switch v.Type.Kind {
	case ir.MessageRef:
		return Binding{v.Name, ir.MessageAt(x.seen.View, value).String()}
	case ir.Node:
		return Binding{v.Name, strconv.FormatInt(value, 10)}
	}
	return Binding{v.Name, v.Type.Format(value)}
}

// mention takes note of the process that a binder stands for.
func (x *explainer) mention(v *ir.Var) {
	if v.Type.Kind == ir.Node {
		x.seen.At(int(x.env.Vars[v.ID]))
	}
}

// looks is a View that takes note of what is looked at.
type looks struct {
	ir.View
	off              bool
	processes, links []int
}

// At implements ir.View.
func (l *looks) At(p int) *ir.Point {
	l.process(p)
	return l.View.At(p)
}

// Var implements ir.View.
func (l *looks) Var(p int, v *ir.Var) (int64, bool) {
	l.process(p)
	return l.View.Var(p, v)
}

// Channel implements ir.View.
func (l *looks) Channel(link int) []ir.Content {
	if !l.off {
		l.links = append(l.links, link)
	}
	return l.View.Channel(link)
}

func (l *looks) process(p int) {
	if !l.off {
		l.processes = append(l.processes, p)
	}
}
