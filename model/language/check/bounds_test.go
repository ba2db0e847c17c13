package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"ringcheck/model/language/ir"
)

// The range computed for an operator must contain all its results, since checks are left out because of it.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -7, -2, -1, 0, 1, 2, 3, 8, 63, 64, 1 << 31, 1 << 62,
		math.MaxInt64 - 1, math.MaxInt64}
	between := func() *ir.Type {
		a, b := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
		return ir.IntType(min(a, b), max(a, b))
	}
	// sample returns a random value of a range, often an end.
	sample := func(x *ir.Type) int64 {
		switch r.IntN(4) {
		case 0:
			return x.Lo
		case 1:
			return x.Hi
		}
		if x.Contains(0) {
			return max(x.Lo, min(x.Hi, int64(r.IntN(20)-10)))
		}
		return x.Lo + min(int64(r.IntN(20)), int64(min(uint64(x.Hi)-uint64(x.Lo), 20)))
	}
	constant := func(v int64) ir.Expr { return integer(v) }
	defined := 0
	for range 30000 {
		x, y := between(), between()
		a, b := sample(x), sample(y)
		for op := ir.Add; op <= ir.Max; op++ {
			e := &ir.Binary{Op: op, X: constant(a), Y: constant(b), T: anyInteger()}
			v, err := e.Eval(&ir.Env{})
			if err != nil {
				continue
			}
			defined++
			if in := binaryBounds(op, x, y); !in.Contains(v) {
				t.Fatalf("operator %d of %d in %s and %d in %s is %d, not in %s", op, a, x, b, y, v, in)
			}
		}
		for _, op := range []ir.Op{ir.Neg, ir.Abs, ir.Log2Ceil} {
			e := &ir.Unary{Op: op, X: constant(a), T: anyInteger()}
			if v, err := e.Eval(&ir.Env{}); err == nil && !unaryBounds(op, x).Contains(v) {
				t.Fatalf("operator %d of %d in %s is %d, not in %s", op, a, x, v, unaryBounds(op, x))
			}
		}
	}
	if defined < 30000 {
		t.Errorf("only %d results are defined", defined)
	}
}
