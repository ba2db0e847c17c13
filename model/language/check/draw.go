package check

import (
	"math/big"

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
