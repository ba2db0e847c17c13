package check

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// probability checks a constant rational: like an integer expression, but a quotient may stand in it.
func (c *checker) probability(e syntax.Expr) {
	if b, ok := e.(*syntax.BinaryExpr); ok && slices.Contains([]string{"+", "-", "*", "/"}, b.Op) {
		c.probability(b.X)
		c.probability(b.Y)
		return
	}
	if _, ok := e.(*syntax.DecimalLit); ok {
		return
	}
	c.expect(c.constants(), e, anInteger, "probability")
}

// rational evaluates a probability.
func (b *builder) rational(e syntax.Expr) *big.Rat {
	z := new(big.Rat)
	if d, ok := e.(*syntax.DecimalLit); ok {
		if _, ok := z.SetString(d.Text); !ok {
			b.errs.Add(d.Pos, "%s is no number", d.Text)
		}
		return z
	}
	op, ok := e.(*syntax.BinaryExpr)
	if !ok {
		return z.SetInt64(b.constant(e, nil).Value)
	}
	switch op.Op {
	case "+":
		return z.Add(b.rational(op.X), b.rational(op.Y))
	case "-":
		return z.Sub(b.rational(op.X), b.rational(op.Y))
	case "*":
		return z.Mul(b.rational(op.X), b.rational(op.Y))
	case "/":
		x, y := b.rational(op.X), b.rational(op.Y)
		if y.Sign() == 0 {
			b.errs.Add(op.Pos, "division by zero")
			return z
		}
		return z.Quo(x, y)
	}
	return z.SetInt64(b.constant(e, nil).Value)
}

// coin returns true and false with their probabilities.
func (b *builder) coin(p syntax.Expr) []ir.Weighted {
	heads := b.rational(p)
	if heads.Cmp(big.NewRat(1, 1)) > 0 {
		b.errs.Add(p.ExprPos(), "the probability %s is above 1", brief(heads))
		return nil
	}
	tails := new(big.Rat).Sub(big.NewRat(1, 1), heads)
	return b.distribution([]int64{1, 0}, []*big.Rat{heads, tails}, p.ExprPos())
}

// weights returns explicit weights by ascending values.
func (b *builder) weights(t *syntax.DrawTerm, v *ir.Var) []ir.Weighted {
	var values []int64
	var probabilities []*big.Rat
	for _, w := range t.Weights {
		x := b.argument(w.Value, v.Type, "value of "+v.Name)
		c, ok := x.(*ir.Const)
		switch {
		case !ok:
			c = b.constant(w.Value, v.Type) // for its report
		case slices.Contains(values, c.Value):
			b.errs.Add(w.Value.ExprPos(), "%s is listed twice", v.Type.Format(c.Value))
		}
		values = append(values, c.Value)
		probabilities = append(probabilities, b.rational(w.Probability))
	}
	return b.distribution(values, probabilities, t.Pos)
}

// distribution checks that the probabilities add up to 1, leaves out what has probability 0, and orders the
// rest by value.
func (b *builder) distribution(values []int64, probabilities []*big.Rat, pos syntax.Pos) []ir.Weighted {
	sum := new(big.Rat)
	var out []ir.Weighted
	for i, p := range probabilities {
		sum.Add(sum, p)
		num, den := p.Num(), p.Denom()
		switch {
		case p.Sign() < 0:
			b.errs.Add(pos, "the probability %s is negative", brief(p))
			return nil
		case p.Sign() == 0:
			continue
		case num.Cmp(big.NewInt(math.MaxUint32)) > 0 || den.Cmp(big.NewInt(math.MaxUint32)) > 0:
			b.errs.Add(pos, "the probability %s is too fine: numerator and denominator must fit in 32 bits", brief(p))
			return nil
		}
		out = append(out, ir.Weighted{Value: values[i], Num: uint32(num.Uint64()), Den: uint32(den.Uint64())})
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		b.errs.Add(pos, "the probabilities add up to %s, not to 1", brief(sum))
	}
	slices.SortFunc(out, func(x, y ir.Weighted) int { return cmp.Compare(x.Value, y.Value) })
	return out
}

// brief shows a rational, as a decimal number if it is long.
func brief(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 24 {
		return s
	}
	return "about " + r.FloatString(6)
}
