package check

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

func (c *checker) draw(s scope, t *syntax.DrawTerm) {
	sym := c.variable(t.Name)
	if sym == nil {
		sym = &symbol{kind: varSymbol, name: t.Name.Name, shape: &shape{}}
	}
	c.ordinary(t.Name.Pos, sym)
	if !t.Choose {
		c.drawTerms = append(c.drawTerms, t)
	}
	c.lottery(s, t, sym)
	c.term(s.bind(sym), t.Next)
}

// draw lowers a draw; one of an absent variable is left out. The result is nil if there is nothing to choose.
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

// subsetsCall returns the call subsets(D, k) that a draw draws from, nil if it draws from anything else.
func subsetsCall(t *syntax.DrawTerm) *syntax.CallExpr {
	if call, ok := t.Among.(*syntax.CallExpr); ok && call.Name == "subsets" && len(call.Args) == 2 {
		return call
	}
	return nil
}

// lottery checks the domain of a draw.
func (c *checker) lottery(s scope, t *syntax.DrawTerm, sym *symbol) {
	sh := sym.shape
	if sh == nil {
		sh = &shape{}
	}
	if t.Choose && (t.With != nil || t.Weights != nil) {
		c.errs.Add(t.Pos, "choose leaves the choice to the scheduler; probabilities need draw")
	}
	switch {
	case t.With != nil:
		if !t.Choose && !sameShape(sh, aBoolean) {
			c.errs.Add(t.Name.Pos, "only a boolean is drawn with a probability, %s is %s", sym.name, sh)
		}
		c.probability(t.With)
	case t.Weights != nil:
		for _, w := range t.Weights {
			c.expect(c.constants(), w.Value, sh, "value of "+sym.name)
			c.probability(w.Probability)
		}
	case t.From != nil:
		if from := c.typ(s, t.From); !sameShape(from, sh) {
			c.errs.Add(t.From.TypePos(), "%s is %s, the range holds integers", sym.name, sh)
		}
	case t.Among != nil:
		c.drawSet(s, t, sym, sh)
	case sh.nat:
		c.errs.Add(t.Name.Pos, "%s has infinitely many values: draw %s in a range", sym.name, sym.name)
	}
}

// drawSet checks the set that a draw draws from, the only place for subsets(D, k).
func (c *checker) drawSet(s scope, t *syntax.DrawTerm, sym *symbol, sh *shape) {
	if call := subsetsCall(t); call != nil {
		if !isBad(sh) && sh.kind != setShape {
			c.errs.Add(t.Name.Pos, "%s is %s, subsets are sets", sym.name, sh)
			sh = nil
		}
		c.expect(s, call.Args[0], sh, "first argument of subsets")
		c.expect(s, call.Args[1], anInteger, "second argument of subsets")
		return
	}
	c.expect(s, t.Among, &shape{kind: setShape, elem: sh}, "values of "+sym.name)
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

// rationals are the operators of probabilities.
var rationals = map[string]func(z, x, y *big.Rat) *big.Rat{
	"+": (*big.Rat).Add, "-": (*big.Rat).Sub, "*": (*big.Rat).Mul, "/": (*big.Rat).Quo,
}

// probability checks a constant rational: like an integer expression, but a quotient may stand in it.
func (c *checker) probability(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.DecimalLit:
		return
	case *syntax.BinaryExpr:
		if rationals[e.Op] != nil {
			c.probability(e.X)
			c.probability(e.Y)
			return
		}
	}
	c.expect(c.constants(), e, anInteger, "probability")
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

// acts reports whether a term, such as the body of a loop, takes an action before it ends.
func acts(t syntax.Term) bool {
	switch t := t.(type) {
	case *syntax.LoopEnd, *syntax.CallTerm:
		return false
	case *syntax.LetTerm:
		return acts(t.Next)
	case *syntax.DrawTerm:
		return acts(t.Next)
	case *syntax.WhenTerm:
		return acts(t.Then)
	case *syntax.IfTerm:
		return acts(t.Then) && acts(t.Else)
	case *syntax.ChoiceTerm:
		return !slices.ContainsFunc(t.Terms, func(u syntax.Term) bool { return !acts(u) })
	case *syntax.ForTerm:
		return loopActs(t) || acts(t.Next)
	}
	return true // an action, or an end
}

// loopActs reports whether a loop takes an action, whatever the state is.
func loopActs(t *syntax.ForTerm) bool {
	_, whole := t.Binder.Type.(*syntax.WordType)
	return whole && t.Where == nil && acts(t.Body)
}

// A directCall is a call that no action precedes.
type directCall struct {
	call *syntax.CallTerm
	loop bool // whether a loop precedes it, which may take no action
}

// checkGuarded reports equations that lead back to themselves without an action, because they define no behaviour. It
// searches depth first along the calls that no action precedes.
func (c *checker) checkGuarded() {
	done := map[*symbol]bool{}
	var path []string
	var loops []bool // whether a loop precedes the call that led to an equation of the path
	var visit func(eq *symbol, loop bool)
	visit = func(eq *symbol, loop bool) {
		path, loops = append(path, eq.name), append(loops, loop)
		for _, d := range eq.direct {
			called := symbolOf(d.call.Binding)
			if i := slices.Index(path, called.name); i >= 0 {
				err := c.errs.Add(d.call.Pos, "%s calls itself without an action in between: %s, %[1]s",
					called.name, strings.Join(path[i:], ", "))
				if d.loop || slices.Contains(loops[i+1:], true) {
					err.Hint = "the loop may take no action; one before or after it, such as skip, would do"
				}
			} else if !done[called] {
				visit(called, d.loop)
			}
		}
		path, loops = path[:len(path)-1], loops[:len(loops)-1]
		done[eq] = true
	}
	for _, d := range syntax.All[*syntax.EquationDecl](c.file) {
		if eq := c.equations[d.Name]; !done[eq] {
			visit(eq, false)
		}
	}
}

// draws checks that every draw leads to one definite action: it is a part of that action.
func (c *checker) draws() {
	d := &drawChecker{checker: c, problems: map[*symbol]string{}}
	for _, t := range c.drawTerms {
		d.follow(t.Next, func(pos syntax.Pos, problem string) {
			d.errs.Add(pos, "a draw must be followed by a send, an event, an assignment, crash or skip, "+
				"not by %s", problem)
		})
	}
}

// A drawChecker reports terms that are not allowed after a draw. It caches what is wrong with each equation, "" for
// nothing.
type drawChecker struct {
	*checker
	problems map[*symbol]string
}

// follow calls report for whatever in t must not follow a draw.
func (d *drawChecker) follow(t syntax.Term, report func(syntax.Pos, string)) {
	switch t := t.(type) {
	case *syntax.PrefixTerm:
		if _, ok := t.Action.(*syntax.Receive); ok {
			report(t.Pos, "a receive")
		}
	case *syntax.DrawTerm:
		if t.Choose {
			report(t.Pos, "choose")
		} // else the inner draw has its own check
	case *syntax.LetTerm:
		d.follow(t.Next, report)
	case *syntax.IfTerm:
		d.follow(t.Then, report)
		d.follow(t.Else, report)
	case *syntax.CallTerm:
		if problem := d.equation(symbolOf(t.Binding)); problem != "" {
			report(t.Pos, problem)
		}
	case *syntax.ForTerm:
		report(t.Pos, "a loop")
	case *syntax.LoopEnd:
		report(t.Pos, "the end of a loop")
	case *syntax.IgnoreTerm:
		report(t.Pos, "ignore")
	case *syntax.WhenTerm:
		report(t.Pos, "when")
	case *syntax.ChoiceTerm:
		report(t.Pos, "a choice")
	case *syntax.Stop:
		report(t.Pos, "stop")
	}
}

// equation returns the term at the start of an equation that must not follow a draw, "" if no term is wrong.
func (d *drawChecker) equation(eq *symbol) string {
	if eq == nil {
		return ""
	}
	if p, known := d.problems[eq]; known {
		return p
	}
	d.problems[eq] = "" // while it is worked out; a cycle of calls is reported as such
	d.follow(eq.decl.(*syntax.EquationDecl).Body, func(_ syntax.Pos, problem string) {
		if d.problems[eq] == "" {
			d.problems[eq] = eq.name + ", which begins with " + problem
		}
	})
	return d.problems[eq]
}
