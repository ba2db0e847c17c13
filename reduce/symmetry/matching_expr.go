package symmetry

import (
	"reflect"
	"slices"

	"ringcheck/model/language/ir"
)

// exprs compares two lists of expressions.
func (m *matching) exprs(a, b []ir.Expr) bool {
	if len(a) != len(b) {
		return m.at(m.pos, false)
	}
	for i := range a {
		if !m.expr(a[i], b[i]) {
			return false
		}
	}
	return true
}

// expr compares two expressions, which may be nil.
func (m *matching) expr(a, b ir.Expr) bool {
	if a == nil || b == nil {
		return m.at(m.pos, a == nil && b == nil)
	}
	if !m.at(ir.PosOf(a), reflect.TypeOf(a) == reflect.TypeOf(b) && m.head(a, b)) {
		return false
	}
	switch a := a.(type) {
	case *ir.VarRef:
		return m.variable(a.Var, b.(*ir.VarRef).Var)
	case *ir.ProcessVar:
		return m.variable(a.Var, b.(*ir.ProcessVar).Var) && m.expr(a.Process, b.(*ir.ProcessVar).Process)
	case *ir.Quantifier:
		return m.quantifier(a, b.(*ir.Quantifier))
	case *ir.Apply:
		return m.apply(a, b.(*ir.Apply))
	case *ir.SetLit:
		if failing(a.Elems) <= 1 {
			return inAnyOrder(m, a.Elems, b.(*ir.SetLit).Elems, m.expr)
		}
	case *ir.Binary:
		if commutes(a) {
			return inAnyOrder(m, operands(a), operands(b.(*ir.Binary)), m.expr)
		}
	}
	return m.exprs(ir.Children(a), ir.Children(b))
}

// head compares two expressions of one type without their operands, variables and binders.
func (m *matching) head(a, b ir.Expr) bool {
	if !sameType(a.Type(), b.Type()) {
		return false
	}
	switch a := a.(type) {
	case *ir.Const:
		return m.value(a.T, a.Value) == b.(*ir.Const).Value
	case *ir.SharedVar:
		return a.Var == b.(*ir.SharedVar).Var
	case *ir.Unary:
		return a.Op == b.(*ir.Unary).Op
	case *ir.Binary:
		return a.Op == b.(*ir.Binary).Op && a.Wide == b.(*ir.Binary).Wide
	case *ir.At:
		return imageIn(m.equations, a.Equation) == b.(*ir.At).Equation
	case *ir.BoundFor:
		return imageIn(m.equations, a.Equation) == b.(*ir.BoundFor).Equation
	case *ir.ProcessVar:
		return a.Required == b.(*ir.ProcessVar).Required
	case *ir.MessageIs:
		return a.Message == b.(*ir.MessageIs).Message
	case *ir.MessageField:
		return slices.Equal(a.Fields, b.(*ir.MessageField).Fields)
	case *ir.Neighbours:
		return a.Ports == b.(*ir.Neighbours).Ports
	case *ir.Quantifier:
		return a.Op == b.(*ir.Quantifier).Op
	case *ir.Apply:
		return a.Define == b.(*ir.Apply).Define
	case *ir.AssignedValue:
		return false
	}
	return true
}

// value returns the image of a value of a type.
func (m *matching) value(t *ir.Type, v int64) int64 {
	if namesDirection(t) {
		return permuteValue(t, v, m.exchange)
	}
	return v
}

// quantifier compares two quantifiers. One over directions has the images of its values.
func (m *matching) quantifier(a, b *ir.Quantifier) bool {
	if !m.at(a.Pos, sameType(a.Var.Type, b.Var.Type) && (a.Over == nil) == (b.Over == nil)) {
		return false
	}
	switch {
	case a.Over != nil:
		if !m.expr(a.Over, b.Over) {
			return false
		}
	case a.Var.Type.Kind == ir.Dir:
		if !m.at(a.Pos, m.sameRange(a, b)) {
			return false
		}
	case !m.expr(a.Lo, b.Lo) || !m.expr(a.Hi, b.Hi):
		return false
	}
	return m.binding([]*ir.Var{a.Var}, []*ir.Var{b.Var}, func() bool { return m.expr(a.Body, b.Body) })
}

// sameRange reports whether the directions over which b ranges are the images of those over which a does.
func (m *matching) sameRange(a, b *ir.Quantifier) bool {
	var ranges [2]map[int64]bool
	for i, q := range []*ir.Quantifier{a, b} {
		lo, ok := q.Lo.(*ir.Const)
		hi, too := q.Hi.(*ir.Const)
		if !ok || !too {
			return false
		}
		ranges[i] = make(map[int64]bool)
		for d := range numbers(lo.Value, hi.Value) {
			if i == 0 {
				d = m.exchange.direction(d)
			}
			ranges[i][d] = true
		}
	}
	return reflect.DeepEqual(ranges[0], ranges[1])
}

// binding is compare with the binders b as the images of a.
func (m *matching) binding(a, b []*ir.Var, compare func() bool) bool {
	before := make([]*ir.Var, len(a))
	for i := range a {
		before[i] = m.bound[a[i]]
		m.bound[a[i]] = b[i]
	}
	equal := compare()
	for i, v := range a {
		if m.bound[v] = before[i]; before[i] == nil {
			delete(m.bound, v)
		}
	}
	return equal
}

// apply compares two uses of a definition.
func (m *matching) apply(a, b *ir.Apply) bool {
	return m.exprs(a.Args, b.Args) && m.binding(a.Define.Params, b.Define.Params, func() bool {
		return m.expr(a.Define.Body, b.Define.Body)
	})
}

// commutes reports whether the order of the operands of an operator does not matter, not even for the failure of their
// evaluation.
func commutes(e *ir.Binary) bool {
	switch e.Op {
	case ir.Every, ir.Some:
		return true
	case ir.Add, ir.Mul, ir.Min, ir.Max, ir.Eq, ir.Ne, ir.Union:
		return failing(operands(e)) <= 1
	case ir.And, ir.Or:
		return failing(operands(e)) == 0
	}
	return false
}

// failing returns the number of expressions that may fail.
func failing(list []ir.Expr) (n int) {
	for _, e := range list {
		if mayFail(e) {
			n++
		}
	}
	return n
}

// operands returns the operands of an operator, for and and or of a whole chain of them.
func operands(e *ir.Binary) []ir.Expr {
	if e.Op != ir.And && e.Op != ir.Or {
		return ir.Children(e)
	}
	var list []ir.Expr
	for _, x := range ir.Children(e) {
		if next, ok := x.(*ir.Binary); ok && next.Op == e.Op {
			list = append(list, operands(next)...)
		} else {
			list = append(list, x)
		}
	}
	return list
}

// mayFail reports whether the evaluation of an expression may fail or be undefined, as far as its form shows.
func mayFail(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Const, *ir.VarRef:
		return false
	case *ir.At, *ir.Holds, *ir.Cond:
	case *ir.Unary:
		if e.Op != ir.Not && e.Op != ir.Opposite && e.Op != ir.Card {
			return true
		}
	case *ir.Binary:
		switch e.Op {
		case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.And, ir.Or, ir.Implies, ir.In, ir.Union, ir.Minus:
		default:
			return true
		}
	default:
		return true
	}
	return slices.ContainsFunc(ir.Children(e), mayFail)
}
