// Package partial evaluates the properties of a protocol where only a part of the state is known: a process, and some
// messages of one channel. The value of an expression is then known to be within bounds.
package partial

import (
	"ringcheck/model/language/ir"
)

// A State is what is known of a state.
type State struct {
	Process  int
	Local    ir.Local
	Link     int
	Messages []ir.Content // that are in the channel; there can be others too
}

// Excludes reports whether a property's body is true in no state that s is a part of. It errs on the side of false.
func Excludes(p *ir.Protocol, body ir.Expr, s State) bool {
	e := &evaluation{protocol: p, state: s, bound: make(map[*ir.Var]value)}
	return e.of(body).is(0)
}

// An evaluation evaluates expressions in one part of a state. A message of type ir.MessageRef is its index in
// State.Messages.
type evaluation struct {
	protocol *ir.Protocol
	state    State
	bound    map[*ir.Var]value
}

func (e *evaluation) of(x ir.Expr) value {
	switch x := x.(type) {
	case *ir.Const:
		return exactly(x.Value)
	case *ir.VarRef:
		return e.bound[x.Var]
	case *ir.Quantifier:
		return e.quantifier(x)
	case *ir.Apply:
		return e.apply(x)
	case *ir.Holds:
		return e.of(x.X).holds()
	case *ir.Cond:
		return e.cond(x)
	case *ir.Binary:
		return e.binary(x)
	case *ir.Unary:
		if x.Op == ir.Not {
			return e.of(x.X).not()
		}
	case *ir.At, *ir.ProcessVar, *ir.MessageIs, *ir.MessageField, *ir.Length:
		return e.look(x)
	}
	return e.constant(x)
}

// constant evaluates what has a value in every state if its parts have.
func (e *evaluation) constant(x ir.Expr) value {
	var parts []ir.Expr
	for _, c := range ir.Children(x) {
		v := e.of(c)
		if v.none {
			return undefined
		}
		if !v.exact() {
			return anything
		}
		parts = append(parts, &ir.Const{T: c.Type(), Value: v.lo})
	}
	v, err := ir.WithChildren(x, parts).Eval(&ir.Env{})
	if err != nil {
		return anything
	}
	return exactly(v)
}

// look looks at the process, channel or message that is known.
func (e *evaluation) look(x ir.Expr) value {
	of := e.of(ir.Children(x)[0])
	if of.none {
		return undefined
	}
	switch x := x.(type) {
	case *ir.At:
		if of.is(int64(e.state.Process)) {
			return truth(e.state.Local.Point.Equation == x.Equation)
		}
		return boolean
	case *ir.ProcessVar:
		if of.is(int64(e.state.Process)) {
			return e.variable(x.Var)
		}
	case *ir.MessageIs:
		if of.exact() {
			return truth(e.state.Messages[of.lo].Message == x.Message)
		}
		return boolean
	case *ir.MessageField:
		if of.exact() {
			return e.field(x, e.state.Messages[of.lo])
		}
	case *ir.Length:
		switch {
		case of.is(-1):
			return exactly(0)
		case of.is(int64(e.state.Link)):
			return value{lo: int64(len(e.state.Messages)), hi: most}
		}
		return value{hi: most}
	}
	return anything
}

func (e *evaluation) variable(v *ir.Var) value {
	for i, live := range e.state.Local.Point.Live {
		if live == v {
			return exactly(e.state.Local.Env[i])
		}
	}
	return undefined
}

func (e *evaluation) field(x *ir.MessageField, m ir.Content) value {
	if i := x.Fields[m.Message.ID]; i >= 0 {
		return exactly(m.Args[i])
	}
	return undefined
}

func (e *evaluation) apply(x *ir.Apply) value {
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		if args[i] = e.of(a); !args[i].certain() {
			return anything
		}
	}
	for i, p := range x.Define.Params {
		e.bound[p] = args[i]
	}
	return e.of(x.Define.Body)
}

func (e *evaluation) cond(x *ir.Cond) value {
	c := e.of(x.If)
	switch {
	case !c.certain():
		return anything
	case c.is(0):
		return e.of(x.Else)
	case c.lo > 0:
		return e.of(x.Then)
	}
	return e.of(x.Then).or(e.of(x.Else))
}

func (e *evaluation) binary(x *ir.Binary) value {
	a, b := e.of(x.X), e.of(x.Y)
	switch x.Op {
	case ir.And:
		return a.and(b)
	case ir.Or:
		return a.not().and(b.not()).not()
	case ir.Implies:
		return a.and(b.not()).not()
	}
	if a.none || b.none {
		return undefined
	}
	if !a.certain() || !b.certain() {
		return anything
	}
	switch x.Op {
	case ir.Add:
		return a.plus(b)
	case ir.Le:
		return known(b.hi < a.lo, a.hi <= b.lo)
	case ir.Lt:
		return known(b.hi <= a.lo, a.hi < b.lo)
	case ir.Eq:
		return known(a.hi < b.lo || b.hi < a.lo, a.exact() && a == b)
	case ir.Ne:
		return known(a.exact() && a == b, a.hi < b.lo || b.hi < a.lo)
	}
	if a.exact() && b.exact() {
		v, err := x.Apply(a.lo, b.lo)
		if err == nil {
			return exactly(v)
		}
	}
	return anything
}
