package check

import (
	"math"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// quantifier lowers a quantifier with the given binders, each of which quantifies over the rest.
func (b *builder) quantifier(e *syntax.QuantExpr, binders []*syntax.Binder) ir.Expr {
	if len(binders) == 0 {
		return b.quantified(e)
	}
	q := &ir.Quantifier{Op: quantifiers[e.Op], T: ir.BoolType(), Pos: e.Pos}
	set := b.domain(q, binders[0])
	if c := ofNothing(q, set); c != nil {
		b.collector.emptyRange(e.Pos, binders[0])
		return c
	}
	stateful := b.collector.stateful
	b.collector.stateful = false
	q.Body = b.quantifier(e, binders[1:])
	reads := b.collector.stateful
	b.collector.stateful = stateful || reads
	if set != nil {
		q.Body = b.restrict(q.Op, isIn(q.Var, set, e.Pos), q.Body, e.Pos)
	}
	if q.Op == ir.Sum {
		q.T = binaryBounds(ir.Mul, terms(q), q.Body.Type())
	}
	if q.T.Kind == ir.Bool {
		q.Body = b.isDefined(q.Body, e.Pos)
	}
	if reads && q.Var.Type.Kind == ir.Node {
		return q // even if no process gets to where it looks: then prove must see that it depends on their number
	}
	return b.decidedQuantifier(q)
}

// terms returns the range of the number of values over which q ranges.
func terms(q *ir.Quantifier) *ir.Type {
	if q.Over != nil {
		return ir.IntType(0, math.MaxInt64)
	}
	n := binaryBounds(ir.Add, binaryBounds(ir.Sub, q.Hi.Type(), q.Lo.Type()), ir.IntType(1, 1))
	return ir.IntType(max(0, n.Lo), max(0, n.Hi))
}

// quantifiers are the operators of quantifiers.
var quantifiers = map[string]ir.Quant{"forall": ir.ForAll, "exists": ir.Exists, "count": ir.Sum, "sum": ir.Sum}

// quantified lowers the body of a quantifier and its condition.
func (b *builder) quantified(e *syntax.QuantExpr) ir.Expr {
	body := b.logical
	if e.Op == "sum" {
		body = func(e syntax.Expr) ir.Expr { return b.expr(e, nil) }
	}
	if e.Where == nil {
		return body(e.Body)
	}
	return b.restrict(quantifiers[e.Op], b.logical(e.Where), body(e.Body), e.Pos)
}

// restrict restricts the body of a quantifier to the values for which where holds.
func (b *builder) restrict(op ir.Quant, where, body ir.Expr, pos syntax.Pos) ir.Expr {
	where = b.isDefined(where, pos)
	switch {
	case op == ir.ForAll:
		return implication(where, body, pos)
	case op == ir.Exists || body.Type().Kind == ir.Bool:
		return conjunction(where, body, pos)
	}
	t, _ := hull(body.Type(), ir.IntType(0, 0))
	return fold(&ir.Cond{If: where, Then: body, Else: integer(0), T: t})
}

func isIn(v *ir.Var, set ir.Expr, pos syntax.Pos) ir.Expr {
	return fold(&ir.Binary{Op: ir.In, X: &ir.VarRef{Var: v}, Y: set, T: ir.BoolType(), Pos: pos})
}

// comprehension lowers {x in D where c}: the union of {x} over all x for which c holds.
func (b *builder) comprehension(e *syntax.QuantExpr) ir.Expr {
	q := &ir.Quantifier{Op: ir.Unite, Pos: e.Pos}
	set := b.domain(q, e.Binders[0])
	elem := q.Var.Type
	var ok bool
	if q.T, ok = b.setOf(elem, e.Pos); !ok {
		return &ir.Const{T: q.T}
	}
	if c := ofNothing(q, set); c != nil {
		return c
	}
	cond := b.logical(e.Body)
	if set != nil {
		cond = conjunction(isIn(q.Var, set, e.Pos), cond, e.Pos)
	}
	if all, ok := decided(cond); ok && all && q.Lo != nil {
		return fold(&ir.Interval{Lo: q.Lo, Hi: q.Hi, T: q.T, Pos: e.Pos})
	}
	one := &ir.SetLit{Elems: []ir.Expr{&ir.VarRef{Var: q.Var}}, T: q.T, Pos: e.Pos}
	q.Body = &ir.Cond{If: cond, Then: one, Else: &ir.Const{T: q.T}, T: q.T}
	return b.decidedQuantifier(q)
}

// domain sets what the quantifier ranges over, and its binder. If that is a set, it ranges over all values of the
// elements' type, and the set is returned.
func (b *builder) domain(q *ir.Quantifier, d *syntax.Binder) (set ir.Expr) {
	lo, hi, over, t := b.extent(d)
	q.Lo, q.Hi, q.Over = lo, hi, over
	if over != nil && over.Type().Kind == ir.Set {
		set, q.Over = over, nil
		q.Lo, q.Hi = bounds(t)
	}
	q.Var = b.binder(symbolOf(d.Name.Binding), t)
	return set
}

// extent returns the range of a binder, values of type t: the values from lo to hi, or the elements of over, a set or a
// channel.
func (b *builder) extent(d *syntax.Binder) (lo, hi, over ir.Expr, t *ir.Type) {
	switch r := d.Type.(type) {
	case nil:
		if kind := b.kindNamed(d.Over); kind != nil {
			lo, hi = b.processesOf(kind)
			return lo, hi, nil, ir.NodeType(b.protocol.N)
		}
		over = b.expr(d.Over, nil)
		if over.Type().Kind == ir.Set {
			return nil, nil, over, over.Type().Elem
		}
		return nil, nil, over, &ir.Type{Kind: ir.MessageRef, Hi: math.MaxInt64}
	case *syntax.RangeType:
		lo, hi = b.expr(r.Lo, nil), b.expr(r.Hi, nil)
		least := lo.Type().Lo
		return lo, hi, nil, ir.IntType(least, max(least, hi.Type().Hi))
	default:
		t = b.typ(r)
		lo, hi = bounds(t)
		return lo, hi, nil, t
	}
}

// bounds returns the first and the last value of a type.
func bounds(t *ir.Type) (lo, hi ir.Expr) {
	return &ir.Const{T: t, Value: t.Lo}, &ir.Const{T: t, Value: t.Hi}
}

// binder makes the variable of a binder.
func (b *builder) binder(sym *symbol, t *ir.Type) *ir.Var {
	v := &ir.Var{ID: b.protocol.EnvSize, Name: sym.name, Type: t}
	b.protocol.EnvSize++
	b.vars[sym] = v
	return v
}
