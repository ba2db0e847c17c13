package check

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
)

// A callKey is a definition with its constant arguments.
type callKey struct {
	define    *ir.Define
	arguments string
}

// decidedCall returns the value of a call as a constant if the constants among the arguments decide it, as they would
// decide the text of the definition in its place. The other arguments are then not evaluated, so they must not be
// undefined.
func (b *builder) decidedCall(a *ir.Apply) ir.Expr {
	var known strings.Builder
	for i, arg := range a.Args {
		switch c, ok := arg.(*ir.Const); {
		case ok && !c.T.Wide:
			fmt.Fprintf(&known, "%d=%d ", i, c.Value)
		case b.mayBeUndefined(arg):
			return a
		}
	}
	key := callKey{a.Define, known.String()}
	value, done := b.decidedCalls[key]
	if !done {
		values := make(map[*ir.Var]*ir.Const)
		for i, p := range a.Define.Params {
			if c, ok := a.Args[i].(*ir.Const); ok && !c.T.Wide {
				values[p] = &ir.Const{T: p.Type, Value: c.Value}
			}
		}
		value, _ = b.substitute(values, a.Define.Body).(*ir.Const)
		b.decidedCalls[key] = value
	}
	if value == nil {
		return a
	}
	return value
}

// substitute returns e with constants in place of variables; parts that they decide are constants. A part in which none
// of these variables is stays the same.
func (b *builder) substitute(values map[*ir.Var]*ir.Const, e ir.Expr) ir.Expr {
	if ref, ok := e.(*ir.VarRef); ok {
		if c := values[ref.Var]; c != nil {
			return c
		}
		return e
	}
	parts, changed := ir.Children(e), false
	for i, part := range parts {
		parts[i] = b.substitute(values, part)
		changed = changed || parts[i] != part
	}
	if !changed {
		return e
	}
	switch e := ir.WithChildren(e, parts).(type) {
	case *ir.Binary:
		switch e.Op {
		case ir.And:
			return conjunction(e.X, e.Y, e.Pos)
		case ir.Or:
			return disjunction(e.X, e.Y, e.Pos)
		case ir.Implies:
			return implication(e.X, e.Y, e.Pos)
		}
		return fold(e)
	case *ir.Cond:
		switch v, ok := decided(e.If); {
		case !ok:
			return e
		case v:
			return e.Then
		}
		return e.Else
	case *ir.Quantifier:
		if c := ofNothing(e, nil); c != nil {
			return c
		}
		return b.decidedQuantifier(e)
	case *ir.Apply:
		return b.decidedCall(e)
	case *ir.Unary, *ir.Convert, *ir.SetLit, *ir.Interval, *ir.Index, *ir.Update, *ir.Fill, *ir.Holds, *ir.Neighbours:
		return fold(e)
	default: // it reads the state
		return e
	}
}

// isEmptyDomain reports whether the domain of a binder has no values before the run: the range lo..hi, or the set over.
func isEmptyDomain(lo, hi, over ir.Expr) bool {
	if c, ok := over.(*ir.Const); ok {
		return c.T.Kind == ir.Set && !c.T.Wide && c.Value == 0
	}
	first, last, ok := fixed(lo, hi)
	return ok && first > last
}

// ofNothing returns the value of a quantifier over an empty domain, nil if the domain may have a value: its range, or
// set, which may be nil.
func ofNothing(q *ir.Quantifier, set ir.Expr) ir.Expr {
	switch {
	case !isEmptyDomain(q.Lo, q.Hi, set) || q.T.Wide:
		return nil
	case q.Op == ir.Sum:
		return integer(0)
	case q.Op == ir.Unite:
		return &ir.Const{T: q.T}
	}
	return boolean(q.Op == ir.ForAll)
}

// decidedQuantifier returns the value of q as a constant if it depends on nothing, and does not fail.
func (b *builder) decidedQuantifier(q *ir.Quantifier) ir.Expr {
	if q.T.Wide || !b.closed(q, map[*ir.Var]bool{}) {
		return q
	}
	v, err := b.decide(q)
	if err != nil {
		return q
	}
	return &ir.Const{T: exactly(q.T, v), Value: v}
}

// closed reports whether the value of e depends only on bound variables. It adds the variables that e binds to them.
func (b *builder) closed(e ir.Expr, bound map[*ir.Var]bool) bool {
	switch e := e.(type) {
	case *ir.Quantifier:
		if e.Over != nil {
			return false
		}
		bound[e.Var] = true
	case *ir.VarRef:
		return bound[e.Var] && !e.Var.Type.Wide
	case *ir.Apply:
		if !b.closedBody(e.Define) {
			return false
		}
	case *ir.Const, *ir.Unary, *ir.Binary, *ir.Cond, *ir.Convert, *ir.SetLit, *ir.Interval, *ir.Index, *ir.Update,
		*ir.Fill, *ir.Neighbours:
	default:
		return false
	}
	return !slices.ContainsFunc(ir.Children(e), func(part ir.Expr) bool { return !b.closed(part, bound) })
}

// closedBody reports whether the value of a definition depends on nothing but its parameters.
func (b *builder) closedBody(d *ir.Define) bool {
	closed, known := b.closedBodies[d]
	if !known {
		bound := make(map[*ir.Var]bool)
		for _, p := range d.Params {
			bound[p] = true
		}
		closed = b.closed(d.Body, bound)
		b.closedBodies[d] = closed
	}
	return closed
}

// decidedSteps bounds the values that quantifiers decided before the run may take: some milliseconds' worth.
const decidedSteps = 1 << 16

// decide evaluates a quantifier that depends on nothing. Taking too long is an error.
func (b *builder) decide(q *ir.Quantifier) (v int64, err error) {
	defer effort.Catch(&err)
	env := b.env()
	env.Tick = effort.Steps(decidedSteps)
	return q.Eval(env)
}
