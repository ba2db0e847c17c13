package check

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// draw lowers a draw; a draw of an absent variable is left out. The result is nil if there is nothing to choose.
func (b *builder) draw(t *syntax.DrawTerm, eq *ir.Equation) ir.Term {
	v := b.vars[symbolOf(t.Name.Binding)]
	if v.Type.Kind == ir.Absent {
		return b.term(t.Next, eq)
	}
	d := &ir.Draw{Choose: t.Choose, Var: v, Pos: t.Pos}
	if b.lottery(t, d); d.Choose && d.Among == nil && len(d.Values) == 0 {
		return nil
	}
	d.Then = b.term(t.Next, eq)
	return d
}

// lottery sets the domain of d.
func (b *builder) lottery(t *syntax.DrawTerm, d *ir.Draw) {
	subsets := subsetsCall(t)
	switch {
	case t.With != nil:
		d.Weights = b.coin(t.With)
	case t.Weights != nil:
		d.Weights = b.weights(t, d.Var)
	case t.From != nil:
		b.drawRange(d, t.From.(*syntax.RangeType))
	case subsets != nil:
		b.drawSubsets(d, subsets)
	case t.Among != nil:
		b.drawAmong(d, b.expr(t.Among, nil), t.Among.ExprPos())
	default:
		d.Values = b.allOf(d.Var.Type, t.Pos)
	}
}

// allOf returns the values of t, unless there are too many.
func (b *builder) allOf(t *ir.Type, pos syntax.Pos) []int64 {
	if n, ok := t.Size(); !ok || n > maxDrawn {
		b.errs.Add(pos, "%s has more than %d values to draw from", t, maxDrawn)
		return []int64{t.Zero()}
	}
	return slices.Collect(t.Values())
}

// drawRange lets d draw from lo..hi.
func (b *builder) drawRange(d *ir.Draw, r *syntax.RangeType) {
	lo, hi, pos := b.expr(r.Lo, nil), b.expr(r.Hi, nil), r.Pos
	first, last, ok := fixed(lo, hi)
	if ok {
		var values []int64
		if first <= last {
			values = b.allOf(ir.IntType(first, last), pos)
		}
		b.drawValues(d, values, pos)
		return
	}
	set, err := b.setType(d.Var.Type, pos)
	if err != nil {
		b.errs.Add(pos, "a range that varies: %s", err)
	}
	d.Among = &ir.Interval{Lo: lo, Hi: hi, T: set, Pos: pos}
}

// drawAmong lets d draw from a set.
func (b *builder) drawAmong(d *ir.Draw, set ir.Expr, pos syntax.Pos) {
	if c, ok := set.(*ir.Const); ok {
		b.drawValues(d, slices.Collect(c.T.Elements(c.Value)), pos)
	} else {
		d.Among = set
	}
}

// drawSubsets lets d draw from subsets(D, k).
func (b *builder) drawSubsets(d *ir.Draw, e *syntax.CallExpr) {
	d.Among = b.argument(e.Args[0], d.Var.Type, "first argument of subsets")
	d.Size = b.expr(e.Args[1], nil)
	from, known := d.Among.(*ir.Const)
	k, ok := d.Size.(*ir.Const)
	if known && ok && !d.Var.Type.Wide {
		n := int64(bits.OnesCount64(uint64(from.Value)))
		switch ways := new(big.Int).Binomial(n, k.Value); {
		case k.Value < 0 || k.Value > n:
			b.errs.Add(e.Pos, "a set of %d elements has no subset of %d", n, k.Value)
		case ways.Cmp(big.NewInt(maxDrawn)) > 0:
			b.large(e.Pos, "there are %s subsets to draw from, more than %d", ways, maxDrawn)
		}
	}
}

// drawValues lets d draw from values; a draw needs at least one.
func (b *builder) drawValues(d *ir.Draw, values []int64, pos syntax.Pos) {
	if len(values) == 0 && !d.Choose {
		b.errs.Add(pos, "there is nothing to draw from")
	}
	for _, v := range values {
		if t := d.Var.Type; !t.Contains(v) {
			b.errs.Add(pos, "value of %s: %s is not in %s", d.Var.Name, t.Format(v), t)
			return
		}
	}
	d.Values = values
}

// rational evaluates a probability.
func (b *builder) rational(e syntax.Expr) *big.Rat {
	z := new(big.Rat)
	switch e := e.(type) {
	case *syntax.DecimalLit:
		z.SetString(e.Text) // which is a number
		return z
	case *syntax.BinaryExpr:
		if op := rationals[e.Op]; op != nil {
			x, y := b.rational(e.X), b.rational(e.Y)
			if e.Op == "/" && y.Sign() == 0 {
				b.errs.Add(e.Pos, "division by zero")
				return z
			}
			return op(z, x, y)
		}
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
	if v.Type.Wide {
		b.errs.Add(t.Pos, "%s: a set with more than 63 possible elements cannot have a probability", v.Name)
		return nil
	}
	var values []int64
	var probabilities []*big.Rat
	for _, w := range t.Weights {
		x := b.argument(w.Value, v.Type, "value of "+v.Name)
		c, ok := x.(*ir.Const)
		switch {
		case !ok:
			c = b.constant(w.Value, v.Type) // reports the error
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
			b.errs.Add(pos, "the probability %s is too precise: numerator and denominator must fit in 32 bits",
				brief(p))
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
