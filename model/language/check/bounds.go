package check

import (
	"math"
	"math/big"

	"ringcheck/model/language/ir"
)

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
		return ir.IntType(0, greatestRoot(x.Hi))
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
			return ir.IntType(min(x.Lo, 1), max(1, power(x.Hi, y.Hi)))
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

// power returns x to the power of y, both not negative, or the greatest integer if that is too large.
func power(x, y int64) int64 {
	if x <= 1 {
		return x
	}
	z := int64(1)
	for range min(y, 64) {
		if z > math.MaxInt64/x {
			return math.MaxInt64
		}
		z *= x
	}
	return z
}

// greatestRoot returns the greatest sqrtceil of a number up to hi.
func greatestRoot(hi int64) int64 {
	v, _ := (&ir.Unary{Op: ir.SqrtCeil, X: integer(max(0, hi))}).Eval(&ir.Env{})
	return v
}
