package interp

import (
	"fmt"
	"math/big"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A walk works out what one process can do in one state, either on its own or with one arriving message.
type walk struct {
	*Interpreter
	state   *State
	process int
	arrival *arrival // nil: on its own
}

// An arrival is a message that the process may receive.
type arrival struct {
	link, position int
}

// steps walks the term at the control point of the process.
func (w *walk) steps() ([][]Transition, error) {
	local := w.state.Processes[w.process]
	vars := w.fresh()
	for i, v := range local.Point.Live {
		vars[v.ID] = local.Env[i]
	}
	return w.term(local.Point.Term, vars)
}

// fresh returns values for all variables, none of them meaningful yet.
func (w *walk) fresh() []int64 { return make([]int64, w.protocol.EnvSize) }

// term returns the distributions that t leaves to choose from. vars is not changed.
func (w *walk) term(t ir.Term, vars []int64) ([][]Transition, error) {
	switch t := t.(type) {
	case *ir.Stop:
		return nil, nil
	case *ir.Call:
		params, err := w.call(t, vars)
		if err != nil {
			return nil, err
		}
		return w.term(t.Equation.Start.Term, params)
	case *ir.Let:
		value, err := t.Value.Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, w.failed(err)
		}
		return w.with(t.Var, value, t.Pos, t.Then, vars)
	case *ir.If:
		cond, err := t.Cond.Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, w.failed(err)
		}
		if cond != 0 {
			return w.term(t.Then, vars)
		}
		return w.term(t.Else, vars)
	case *ir.Choice:
		return w.choice(t, vars)
	case *ir.Draw:
		if t.Choose {
			return w.choose(t, vars)
		}
		return w.draw(t, vars)
	case *ir.Prefix:
		return w.prefix(t, vars)
	}
	return nil, fmt.Errorf("unknown term %T", t)
}

// with walks then in an environment where v has a value.
func (w *walk) with(v *ir.Var, value int64, pos syntax.Pos, then ir.Term, vars []int64) ([][]Transition, error) {
	vars = slices.Clone(vars)
	if err := w.bind(vars, v, value, pos); err != nil {
		return nil, err
	}
	return w.term(then, vars)
}

// call returns the environment in which the body of the called equation runs.
func (w *walk) call(c *ir.Call, vars []int64) ([]int64, error) {
	params := w.fresh()
	for i, v := range c.Equation.Params {
		value, err := c.Args[i].Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, w.failed(err)
		}
		if err := w.bind(params, v, value, c.Pos); err != nil {
			return nil, err
		}
	}
	return params, nil
}

func (w *walk) choice(c *ir.Choice, vars []int64) ([][]Transition, error) {
	var all [][]Transition
	for _, t := range c.Terms {
		some, err := w.term(t, vars)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (w *walk) choose(d *ir.Draw, vars []int64) ([][]Transition, error) {
	lottery, err := w.lottery(d, vars)
	if err != nil {
		return nil, err
	}
	var all [][]Transition
	for _, ticket := range lottery {
		some, err := w.with(d.Var, ticket.value, d.Pos, d.Then, vars)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// draw makes one distribution of the actions that the values lead to. They are never receives.
func (w *walk) draw(d *ir.Draw, vars []int64) ([][]Transition, error) {
	if w.arrival != nil {
		return nil, nil
	}
	lottery, err := w.lottery(d, vars)
	if err != nil {
		return nil, err
	}
	if len(lottery) == 0 {
		return nil, w.fault(d.Pos, "the draw of %s has no value to draw", d.Var.Name)
	}
	var mixed []Transition
	for _, ticket := range lottery {
		alternatives, err := w.with(d.Var, ticket.value, d.Pos, d.Then, vars)
		if err != nil {
			return nil, err
		}
		if len(alternatives) != 1 {
			return nil, w.fault(d.Pos, "the draw of %s does not lead to one definite action", d.Var.Name)
		}
		for _, t := range alternatives[0] {
			t.Weight = new(big.Rat).Mul(t.Weight, ticket.weight)
			mixed = append(mixed, t)
		}
	}
	return [][]Transition{mixed}, nil
}

// A ticket is a value that a draw may give.
type ticket struct {
	value  int64
	weight *big.Rat
}

func (w *walk) lottery(d *ir.Draw, vars []int64) ([]ticket, error) {
	var tickets []ticket
	if d.Weights != nil {
		for _, x := range d.Weights {
			tickets = append(tickets, ticket{x.Value, big.NewRat(int64(x.Num), int64(x.Den))})
		}
		return tickets, nil
	}
	values := d.Values
	if d.Among != nil {
		set, err := d.Among.Eval(&ir.Env{Vars: vars})
		if err != nil {
			return nil, w.failed(err)
		}
		values = slices.Collect(d.Among.Type().Elements(set))
	}
	for _, v := range values {
		tickets = append(tickets, ticket{v, big.NewRat(1, int64(len(values)))})
	}
	return tickets, nil
}

// bind gives v a value, which must be one of its type.
func (w *walk) bind(vars []int64, v *ir.Var, value int64, pos syntax.Pos) error {
	if err := v.Check(value, pos); err != nil {
		return w.failed(err)
	}
	vars[v.ID] = value
	return w.bounded(v.Type, value, pos, "variable "+v.Name)
}

// bounded checks that a value of type nat is not beyond the bound.
func (w *walk) bounded(t *ir.Type, value int64, pos syntax.Pos, what string) error {
	if t.Kind != ir.Nat || value <= w.options.MaxNat {
		return nil
	}
	f := w.fault(pos, "%s: %d is beyond the bound of %d for nat", what, value, w.options.MaxNat)
	f.Growth = true
	return f
}

func (w *walk) fault(pos syntax.Pos, format string, args ...any) *model.Fault {
	return &model.Fault{
		Place:   pos.String(),
		Process: w.process,
		Message: fmt.Sprintf("process %d: ", w.process) + fmt.Sprintf(format, args...),
	}
}

// failed turns an error of an expression into a fault.
func (w *walk) failed(err error) error {
	if e, ok := err.(*ir.Error); ok {
		return w.fault(e.Pos, "%s", e.Message)
	}
	return err
}
