package compile

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
// Its errors are faults that do not say yet which process it is.
type walker struct {
	*System
	arrival *arrival // nil: on its own
}

// An arrival is a message with the source that it comes from.
type arrival struct {
	source  int64
	message uint32
}

// walk returns the distinct alternatives from a local state, in the order of the text.
func (w *walker) walk(l ir.Local) ([]distribution, error) {
	env := w.protocol.NewEnv(nil)
	l.Load(env)
	alternatives, err := w.term(l.Point.Term, env)
	return distinct(alternatives), err
}

// term returns the alternatives that t leaves. env is not changed.
func (w *walker) term(t ir.Term, env *ir.Env) ([]distribution, error) {
	switch t := t.(type) {
	case *ir.Stop:
		return nil, nil
	case *ir.Prefix:
		return w.prefix(t, env)
	case *ir.Choice:
		return collect(t.Terms, func(u ir.Term) ([]distribution, error) { return w.term(u, env) })
	case *ir.If:
		cond, err := t.Cond.Eval(env)
		switch {
		case err != nil:
			return nil, w.failed(err)
		case cond != 0:
			return w.term(t.Then, env)
		}
		return w.term(t.Else, env)
	case *ir.Let:
		value, err := t.Value.Eval(env)
		if err != nil {
			return nil, w.failed(err)
		}
		return w.with(t.Var, value, t.Pos, t.Then, env)
	case *ir.Call:
		point, env, err := w.call(t, env)
		if err != nil {
			return nil, err
		}
		return w.term(point.Term, env)
	case *ir.Draw:
		if t.Choose {
			return w.choose(t, env)
		}
		return w.draw(t, env)
	}
	return nil, fmt.Errorf("compile: unknown term %T", t)
}

// collect joins the alternatives that follow from each of some things.
func collect[T any](things []T, follow func(T) ([]distribution, error)) ([]distribution, error) {
	var all []distribution
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
func (w *walker) with(v *ir.Var, value int64, pos syntax.Pos, then ir.Term, env *ir.Env) ([]distribution, error) {
	env = clone(env)
	if err := w.bind(env, v, value, pos); err != nil {
		return nil, err
	}
	return w.term(then, env)
}

func clone(env *ir.Env) *ir.Env { return &ir.Env{Vars: slices.Clone(env.Vars)} }

// bind gives v a value.
func (w *walker) bind(env *ir.Env, v *ir.Var, value int64, pos syntax.Pos) error {
	if err := v.Check(value, pos); err != nil {
		return w.failed(err)
	}
	env.Vars[v.ID] = value
	return w.bounded(v.Type, value, pos, "variable", v.Name)
}

// bounded checks a value of type nat against the bound.
func (w *walker) bounded(t *ir.Type, value int64, pos syntax.Pos, kind, name string) error {
	if t.Kind != ir.Nat || value <= w.options.MaxNat {
		return nil
	}
	return &model.Fault{
		Place:   pos.String(),
		Message: fmt.Sprintf("%s %s: %d is beyond the bound of %d for nat", kind, name, value, w.options.MaxNat),
		Growth:  true,
	}
}

// call returns the start of the called equation and the variables there.
func (w *walker) call(c *ir.Call, env *ir.Env) (*ir.Point, *ir.Env, error) {
	params := w.protocol.NewEnv(nil)
	for i, v := range c.Equation.Params {
		value, err := c.Args[i].Eval(env)
		if err != nil {
			return nil, nil, w.failed(err)
		}
		if err := w.bind(params, v, value, c.Pos); err != nil {
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
func (w *walker) values(d *ir.Draw, env *ir.Env) ([]weighted, error) {
	var all []weighted
	switch {
	case d.Weights != nil:
		for _, x := range d.Weights {
			all = append(all, weighted{x.Value, big.NewRat(int64(x.Num), int64(x.Den))})
		}
	case d.Among != nil:
		set, err := d.Among.Eval(env)
		if err != nil {
			return nil, w.failed(err)
		}
		for v := range d.Among.Type().Elements(set) {
			all = append(all, weighted{v, big.NewRat(1, int64(bits.OnesCount64(uint64(set))))})
		}
	default:
		for _, v := range d.Values {
			all = append(all, weighted{v, big.NewRat(1, int64(len(d.Values)))})
		}
	}
	return all, nil
}

func (w *walker) choose(d *ir.Draw, env *ir.Env) ([]distribution, error) {
	values, err := w.values(d, env)
	if err != nil {
		return nil, err
	}
	return collect(values, func(x weighted) ([]distribution, error) {
		return w.with(d.Var, x.value, d.Pos, d.Then, env)
	})
}

// draw makes one distribution of the actions that the values lead to.
func (w *walker) draw(d *ir.Draw, env *ir.Env) ([]distribution, error) {
	if w.arrival != nil {
		return nil, nil // no receive follows a draw
	}
	values, err := w.values(d, env)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fault(d.Pos, "the draw of %s has no value to draw", d.Var.Name)
	}
	var mixed distribution
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
	return []distribution{mixed}, nil
}

func fault(pos syntax.Pos, format string, args ...any) *model.Fault {
	return &model.Fault{Place: pos.String(), Message: fmt.Sprintf(format, args...)}
}

// failed turns an error of an expression into a fault.
func (w *walker) failed(err error) error {
	if e, ok := err.(*ir.Error); ok {
		return fault(e.Pos, "%s", e.Message)
	}
	return err
}
