package check

import (
	"errors"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// fold returns the value of e as a constant if all its parts are constants and the evaluation does not fail.
func fold(e ir.Expr) ir.Expr {
	if b, ok := e.(*ir.Binary); ok {
		b.Wide = b.X.Type().Wide || b.Y.Type().Wide
	}
	for _, part := range ir.Children(e) {
		if _, ok := part.(*ir.Const); !ok || part.Type().Wide {
			return e
		}
	}
	if e.Type().Wide {
		return e
	}
	v, err := e.Eval(&ir.Env{})
	if err != nil {
		return e
	}
	return &ir.Const{T: exactly(e.Type(), v), Value: v}
}

func boolean(v bool) *ir.Const {
	return &ir.Const{T: ir.BoolType(), Value: truth(v)}
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

func integer(v int64) *ir.Const { return &ir.Const{T: ir.IntType(v, v), Value: v} }

// decided returns the value of a boolean constant.
func decided(e ir.Expr) (value, ok bool) {
	c, ok := e.(*ir.Const)
	return ok && c.Value != 0, ok
}

func not(x ir.Expr) ir.Expr { return fold(&ir.Unary{Op: ir.Not, X: x, T: ir.BoolType()}) }

// conjunction, disjunction and implication leave out operands that are decided.
func conjunction(x, y ir.Expr, pos syntax.Pos) ir.Expr { return junction(ir.And, true, x, y, pos) }
func disjunction(x, y ir.Expr, pos syntax.Pos) ir.Expr { return junction(ir.Or, false, x, y, pos) }

// junction joins two operands, of which one that is neutral leaves the other, and one that is its opposite decides.
func junction(op ir.Op, neutral bool, x, y ir.Expr, pos syntax.Pos) ir.Expr {
	for _, pair := range [][2]ir.Expr{{x, y}, {y, x}} {
		if v, ok := decided(pair[0]); ok {
			if v == neutral {
				return pair[1]
			}
			return boolean(!neutral)
		}
	}
	return &ir.Binary{Op: op, X: x, Y: y, T: ir.BoolType(), Pos: pos}
}

func implication(x, y ir.Expr, pos syntax.Pos) ir.Expr {
	_, left := decided(x)
	_, right := decided(y)
	if left || right {
		return disjunction(not(x), y, pos)
	}
	return &ir.Binary{Op: ir.Implies, X: x, Y: y, T: ir.BoolType(), Pos: pos}
}

// unary and arithmetic apply functions of integers.
func unary(op ir.Op, x ir.Expr, pos syntax.Pos) ir.Expr {
	return fold(&ir.Unary{Op: op, X: x, T: unaryBounds(op, x.Type()), Pos: pos})
}

func arithmetic(op ir.Op, x, y ir.Expr, pos syntax.Pos) ir.Expr {
	return fold(&ir.Binary{Op: op, X: x, Y: y, T: binaryBounds(op, x.Type(), y.Type()), Pos: pos})
}

func compare(op ir.Op, x, y ir.Expr, pos syntax.Pos) ir.Expr {
	return fold(&ir.Binary{Op: op, X: x, Y: y, T: ir.BoolType(), Pos: pos})
}

// convert makes x a value of type t where that is not certain. What is constant is checked at once. An
// absent place takes anything and holds 0.
func (b *builder) convert(x ir.Expr, t *ir.Type, what string, pos syntax.Pos) ir.Expr {
	if t.Kind == ir.Absent {
		return &ir.Const{T: t}
	}
	if x.Type().Within(t) {
		return x
	}
	if _, err := hull(x.Type(), t); err != nil && t.Kind == ir.Array {
		b.errs.Add(pos, "%s: %s", what, err)
		return x
	}
	c := &ir.Convert{X: x, To: t, What: what, Pos: pos}
	if _, ok := x.(*ir.Const); !ok || t.Wide || x.Type().Wide {
		return c
	}
	v, err := c.Eval(&ir.Env{})
	if err != nil {
		b.errs.Add(pos, "%s", err)
		return &ir.Const{T: t, Value: t.Zero()}
	}
	return &ir.Const{T: exactly(t, v), Value: v}
}

// unify gives sets or arrays that are compared or combined the same type.
func (b *builder) unify(x, y ir.Expr, pos syntax.Pos) (ir.Expr, ir.Expr, *ir.Type) {
	if k := x.Type().Kind; k != ir.Set && k != ir.Array {
		return x, y, x.Type()
	}
	t, err := hull(x.Type(), y.Type())
	if err != nil {
		b.errs.Add(pos, "%s", err)
		return x, x, x.Type()
	}
	return b.convert(x, t, "operand", pos), b.convert(y, t, "operand", pos), t
}

// isInteger reports whether values of t are integers, in whatever range.
func isInteger(t *ir.Type) bool { return t.Kind == ir.Int || t.Kind == ir.Nat || t.Kind == ir.Node }

// exactly returns the type of the one value v of t, as exact as ranges go.
func exactly(t *ir.Type, v int64) *ir.Type {
	if isInteger(t) {
		return ir.IntType(v, v)
	}
	return t
}

// hull returns the least type that has the values of both types, which are of one shape.
func hull(a, b *ir.Type) (*ir.Type, error) {
	switch {
	case a.Kind == ir.Absent:
		return b, nil
	case b.Kind == ir.Absent:
		return a, nil
	case isInteger(a):
		if a.Within(b) {
			return b, nil
		}
		return ir.IntType(min(a.Lo, b.Lo), max(a.Hi, b.Hi)), nil
	case a.Kind == ir.Set:
		elem, err := hull(a.Elem, b.Elem)
		if err != nil {
			return nil, err
		}
		if a.Wide || b.Wide {
			return ir.WideSetType(elem)
		}
		return ir.SetType(elem)
	case a.Kind == ir.Array:
		if !a.Index.Within(b.Index) || !b.Index.Within(a.Index) {
			return nil, errors.New("arrays with different indices, " + a.Index.String() + " and " + b.Index.String())
		}
		elem, err := hull(a.Elem, b.Elem)
		if err != nil {
			return nil, err
		}
		return ir.ArrayType(a.Index, elem)
	}
	return a, nil
}
