package check

import (
	"errors"
	"math"
	"math/big"

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
	c := &ir.Const{T: ir.BoolType()}
	if v {
		c.Value = 1
	}
	return c
}

func integer(v int64) *ir.Const { return &ir.Const{T: ir.IntType(v, v), Value: v} }

// decided returns the value of a boolean constant.
func decided(e ir.Expr) (value, ok bool) {
	c, ok := e.(*ir.Const)
	return ok && c.Value != 0, ok
}

// fixed returns the ends of a range, if they are constants.
func fixed(lo, hi ir.Expr) (first, last int64, ok bool) {
	x, ok := lo.(*ir.Const)
	y, both := hi.(*ir.Const)
	if !ok || !both {
		return 0, 0, false
	}
	return x.Value, y.Value, true
}

func not(x ir.Expr) ir.Expr { return fold(&ir.Unary{Op: ir.Not, X: x, T: ir.BoolType()}) }

// conjunction, disjunction and implication leave out operands that are decided.
func conjunction(x, y ir.Expr, pos syntax.Pos) ir.Expr { return junction(ir.And, true, x, y, pos) }
func disjunction(x, y ir.Expr, pos syntax.Pos) ir.Expr { return junction(ir.Or, false, x, y, pos) }

// junction joins two operands. A neutral operand leaves the other one, and its opposite decides.
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
	if x.Type().SubtypeOf(t) {
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
		if a.SubtypeOf(b) {
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
		if !a.Index.SubtypeOf(b.Index) || !b.Index.SubtypeOf(a.Index) {
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

// anyInteger is the type of an integer of which nothing is known.
func anyInteger() *ir.Type { return ir.IntType(math.MinInt64, math.MaxInt64) }

// unaryBounds returns the range of a function of an integer in the range x.
func unaryBounds(op ir.Op, x *ir.Type) *ir.Type {
	switch op {
	case ir.Neg:
		return binaryBounds(ir.Sub, ir.IntType(0, 0), x)
	case ir.Abs:
		if x.Lo >= 0 {
			return ir.IntType(x.Lo, x.Hi)
		}
		neg := unaryBounds(ir.Neg, x)
		return ir.IntType(0, max(neg.Hi, x.Hi))
	case ir.SqrtCeil:
		hi, _ := (&ir.Unary{Op: op, X: integer(max(0, x.Hi))}).Eval(&ir.Env{})
		return ir.IntType(0, hi)
	case ir.Log2Ceil:
		return ir.IntType(0, 63)
	}
	return anyInteger()
}

// binaryBounds returns the range of a function of integers in the ranges x and y. What does not fit in 64
// bits is an error of the run and does not count.
func binaryBounds(op ir.Op, x, y *ir.Type) *ir.Type {
	switch op {
	case ir.Add:
		return corners(x, y, (*big.Int).Add)
	case ir.Sub:
		return corners(x, y, (*big.Int).Sub)
	case ir.Mul:
		return corners(x, y, (*big.Int).Mul)
	case ir.Min:
		return ir.IntType(min(x.Lo, y.Lo), min(x.Hi, y.Hi))
	case ir.Max:
		return ir.IntType(max(x.Lo, y.Lo), max(x.Hi, y.Hi))
	case ir.Pow:
		if x.Lo >= 0 && y.Lo >= 0 {
			hi, err := (&ir.Binary{Op: op, X: integer(x.Hi), Y: integer(y.Hi)}).Eval(&ir.Env{})
			if err != nil {
				hi = math.MaxInt64
			}
			return ir.IntType(min(x.Lo, 1), max(1, hi))
		}
	case ir.Div:
		if y.Lo > 0 && x.Lo >= 0 {
			return ir.IntType(0, x.Hi/y.Lo)
		}
	case ir.Mod:
		if y.Lo > 0 {
			hi := y.Hi - 1
			if x.Lo >= 0 {
				hi = min(hi, x.Hi)
			}
			return ir.IntType(0, hi)
		}
	}
	return anyInteger()
}

// corners returns the range of a function that takes its extreme values at the ends of the ranges.
func corners(x, y *ir.Type, f func(z, x, y *big.Int) *big.Int) *ir.Type {
	t := ir.IntType(math.MaxInt64, math.MinInt64)
	for _, a := range []int64{x.Lo, x.Hi} {
		for _, b := range []int64{y.Lo, y.Hi} {
			z := saturate(f(new(big.Int), big.NewInt(a), big.NewInt(b)))
			t.Lo, t.Hi = min(t.Lo, z), max(t.Hi, z)
		}
	}
	return t
}

// saturate returns the 64-bit integer nearest to z.
func saturate(z *big.Int) int64 {
	switch {
	case z.IsInt64():
		return z.Int64()
	case z.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}
