package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// connective reports whether the operands of e may be temporal formulas wherever e may be one.
func connective(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		return e.Op != "-"
	case *syntax.BinaryExpr:
		return temporal(e.Op) || e.Op == "and" || e.Op == "or" || e.Op == "=>"
	case *syntax.HappensExpr, *syntax.EndExpr:
		return true
	case *syntax.QuantExpr:
		return e.Op == "forall" || e.Op == "exists"
	}
	return false
}

// temporal reports whether op is an operator of temporal logic.
func temporal(op string) bool {
	switch op {
	case "always", "eventually", "next", "until", "unless", "releases", "leads to":
		return true
	}
	return false
}

// temporalAtom checks an atom about a step or the end of a run, such as "leader happens" or "terminal".
func (c *checker) temporalAtom(s scope, e syntax.Expr) *shape {
	if h, ok := e.(*syntax.HappensExpr); ok {
		c.uses[h] = c.resolve(c.events, h.Event.Pos, eventSymbol, h.Event.Name)
		if h.At != nil {
			c.expect(s, h.At, anInteger, "process")
		}
	}
	c.needTemporal(s, e.ExprPos(), "this")
	return aBoolean
}

func (c *checker) needTemporal(s scope, pos syntax.Pos, what string) {
	if !s.temporal {
		c.errs.Add(pos, "%s can stand only in ltl and in goals, outside of definitions, comparisons, count and sum", what)
	}
}

// formulas is the scope of temporal formulas and goals.
func (c *checker) formulas() scope {
	return scope{context: propertyContext, order: len(c.file.Order), temporal: true}
}

// plainGoal reports temporal operators in a goal, which is reached at one moment.
func (c *checker) plainGoal(e syntax.Expr) {
	refuse := func(pos syntax.Pos, op string) {
		if temporal(op) {
			c.errs.Add(pos, "a goal is reached at one moment: %s cannot stand here", op)
		}
	}
	switch e := e.(type) {
	case *syntax.HappensExpr:
		if e.At != nil {
			c.errs.Add(e.At.ExprPos(), "a goal speaks of an event of any process")
		}
	case *syntax.UnaryExpr:
		refuse(e.Pos, e.Op)
		c.plainGoal(e.X)
	case *syntax.BinaryExpr:
		refuse(e.Pos, e.Op)
		c.plainGoal(e.X)
		c.plainGoal(e.Y)
	case *syntax.QuantExpr:
		c.plainGoal(e.Body)
	}
}

// formula resolves a formula; what has no temporal parts is one atom.
func (b *builder) formula(e syntax.Expr) *ir.Formula {
	if !hasTemporal(e) {
		return &ir.Formula{Op: ir.StateAtom, State: b.logical(e), Pos: e.ExprPos()}
	}
	switch e := e.(type) {
	case *syntax.HappensExpr:
		b.noticed.stateful = true
		f := &ir.Formula{Op: ir.EventAtom, Event: b.events[b.uses[e]], Pos: e.Pos}
		if e.At != nil {
			f.Process = b.process(e.At)
		}
		return f
	case *syntax.EndExpr:
		b.noticed.stateful = true
		return &ir.Formula{Op: ir.TerminalAtom, Pos: e.Pos}
	case *syntax.UnaryExpr:
		ops := map[string]ir.Operator{"not": ir.Negation, "always": ir.Always, "eventually": ir.Eventually, "next": ir.Next}
		return &ir.Formula{Op: ops[e.Op], X: b.formula(e.X), Pos: e.Pos}
	}
	if q, ok := e.(*syntax.QuantExpr); ok {
		return b.quantified(q, q.Binders)
	}
	op := e.(*syntax.BinaryExpr) // nothing else has temporal parts
	x, y := b.formula(op.X), b.formula(op.Y)
	if op.Op == "leads to" {
		y = &ir.Formula{Op: ir.Eventually, X: y, Pos: op.Pos}
		return &ir.Formula{Op: ir.Always, X: &ir.Formula{Op: ir.Implication, X: x, Y: y, Pos: op.Pos}, Pos: op.Pos}
	}
	ops := map[string]ir.Operator{
		"and": ir.Conjunction, "or": ir.Disjunction, "=>": ir.Implication,
		"until": ir.Until, "unless": ir.Unless, "releases": ir.Releases,
	}
	return &ir.Formula{Op: ops[op.Op], X: x, Y: y, Pos: op.Pos}
}

// quantified writes a quantifier over a temporal formula out for the values of its binders.
func (b *builder) quantified(e *syntax.QuantExpr, binders []*syntax.Binder) *ir.Formula {
	if len(binders) == 0 {
		return b.formula(e.Body)
	}
	q := &ir.Quantifier{}
	set := b.domain(q, binders[0])
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	all := &ir.Formula{Op: ir.StateAtom, State: boolean(e.Op == "forall"), Pos: e.Pos}
	if !ok || !ok2 || set != nil {
		b.errs.Add(e.Pos, "a quantifier over a temporal formula ranges over processes, types and "+
			"ranges whose ends are constants")
		return all
	}
	if hi.Value-lo.Value >= maxQuantified {
		b.large(e.Pos, "a quantifier over a temporal formula ranges over more than %d values", maxQuantified)
		return all
	}
	op := ir.Conjunction
	if e.Op == "exists" {
		op = ir.Disjunction
	}
	body := b.quantified(e, binders[1:])
	for v := hi.Value; v >= lo.Value; v-- {
		one := body.Substitute(q.Var, &ir.Const{T: q.Var.Type, Value: v})
		if v == hi.Value {
			all = one
		} else {
			all = &ir.Formula{Op: op, X: one, Y: all, Pos: e.Pos}
		}
	}
	return all
}

// maxQuantified is how many values a quantifier over a temporal formula ranges over at most: each has atoms of its own.
const maxQuantified = 64

// hasTemporal reports whether e is more than a predicate of states.
func hasTemporal(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.HappensExpr, *syntax.EndExpr:
		return true
	case *syntax.UnaryExpr:
		return temporal(e.Op) || hasTemporal(e.X)
	case *syntax.QuantExpr:
		return connective(e) && hasTemporal(e.Body)
	case *syntax.BinaryExpr:
		return temporal(e.Op) || connective(e) && (hasTemporal(e.X) || hasTemporal(e.Y))
	}
	return false
}
