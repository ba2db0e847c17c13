package spectest

import (
	"fmt"
	"reflect"
	"slices"

	"ringcheck/model/language/syntax"
)

// quantified describes the quantifiers op in equations.
func quantified(op string) pattern {
	return of(func(q *syntax.QuantExpr) bool { return q.Op == op }).and(inside(of[syntax.EquationDecl](), "Body"))
}

// restricted describes the quantifiers with a condition.
var restricted = of(func(q *syntax.QuantExpr) bool { return q.Where != nil })

// applied describes the calls of a function in equations.
func applied(name string) pattern {
	return of(func(c *syntax.CallExpr) bool { return c.Name == name }).and(inside(of[syntax.EquationDecl](), "Body"))
}

// constant describes the calls whose arguments are known before the run.
var constant = of(func(c *syntax.CallExpr) bool {
	for _, e := range c.Args {
		switch e := e.(type) {
		case *syntax.IntLit, *syntax.BoolLit:
		case *syntax.Name:
			if e.Name != "high" && e.Name != "mode" && e.Name != "flag" && e.Name != "w9" {
				return false
			}
		default:
			return false
		}
	}
	return len(c.Args) > 0
})

// defined describes the calls of the definitions.
var defined = applied("odd").or(applied("hot"))

// partial describes the calls of a definition with an argument that is known before the run and one that is not.
var partial = applied("above").and(not(constant)).and(of(func(c *syntax.CallExpr) bool {
	return slices.ContainsFunc(c.Args, func(e syntax.Expr) bool {
		return constant(&node{value: &syntax.CallExpr{Args: []syntax.Expr{e}}})
	})
}))

// overConstants describes the quantifiers over a set, or a range, of constants.
var overConstants = of(func(q *syntax.QuantExpr) bool {
	known := true
	descend(reflect.ValueOf(q.Binders[0].Over), nil, "", func(n *node) {
		if name, ok := n.value.(*syntax.Name); ok {
			known = known && name.Name == "high"
		}
	})
	return known && q.Binders[0].Over != nil
})

// both returns a writer of two alternatives behind a condition on constants.
func both(conditions ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		condition := pick(s.generator, conditions...)
		return s.fill(fmt.Sprintf("skip; if %s then EVENT; %s else ", condition, s.fall().end())) + s.event() +
			"; " + s.fall().term(depth-1)
	}
}

// bound returns a writer of a let or a draw that binds v, with what follows.
func bound(v variable, formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		t := s.with(v)
		return s.fill(pick(s.generator, formats...)) + "; " + t.fall().term(depth-1)
	}
}

// folded are conditions that call a definition with constants.
var folded = []string{"odd(1)", "not odd(1)", "odd(0) or odd(1)", "hot(mode)", "hot(fast)",
	"(exists w9 in {1}: odd(w9))", "odd(high)"}

// dataFeatures are expressions and types.
var dataFeatures = []feature{
	{name: "data: a definition of constants in an if",
		in: defined.and(constant).and(place(of[syntax.IfTerm](), "Cond")), write: both(folded...)},
	{name: "data: a definition of constants in a when",
		in: defined.and(constant).and(place(of[syntax.WhenTerm](), "Cond")), write: func(s *scope, depth int) string {
			when := fmt.Sprintf("(when %s: EVENT; %s | ", pick(s.generator, folded...), s.fall().end())
			return s.fill(when) + s.skip() + " | ping; " + s.fall().term(depth-1) + ")"
		}},
	{name: "data: a definition of constants in a where",
		in: defined.and(constant).and(place(of[syntax.Receive](), "Where")), write: func(s *scope, depth int) string {
			return fmt.Sprintf("(%s where %s; %s | ping; %s)", s.take("_"), pick(s.generator, folded...),
				s.received().end(), s.fall().term(depth-1))
		}},
	{name: "data: a definition of definitions", in: applied("either").or(applied("cold")), write: both("either(0, 1)",
		"either(high, high)", "not either(0, 0)", "cold(mode)", "cold(red)", "either(NUMBER, 0)")},
	{name: "data: a definition of constants and variables", in: partial, write: func(s *scope, depth int) string {
		t := s.with(variable{"x", number})
		condition := pick(s.generator, "above(high, x)", "above(x, 0)", "above(0, x)", "not above(x, high)")
		return "draw x; skip; if " + condition + " then " + s.event() + "; " + t.fall().end() + " else ping; " +
			t.fall().term(depth-1)
	}},
	{name: "data: a definition in a quantifier over constants",
		in: applied("odd").or(applied("either")).and(
			inside(overConstants.and(quantified("exists").or(quantified("forall"))), "Body")),
		write: both("(exists w9 in {0, 1}: odd(w9))", "(forall w9 in {1}: odd(w9))",
			"(forall w9 in {0..high}: odd(w9))", "(exists w9 in {1} minus {1}: odd(w9))",
			"(forall w9 in {0, high}: not odd(w9))",
			"(exists w9 in {0..high}: either(w9, 0))")},
	{name: "data: a definition of a variable", in: defined.and(not(constant)),
		write: func(s *scope, depth int) string {
			t := s.with(variable{"x", number})
			return "draw x; skip; if odd(x) then " + s.event() + "; " + t.fall().end() + " else ping; " +
				t.fall().term(depth-1)
		}},
	{name: "data: a condition that a constant decides", in: of(func(b *syntax.BinaryExpr) bool {
		return b.Op == "or"
	}).and(place(of[syntax.IfTerm](), "Cond")), write: func(s *scope, depth int) string {
		t := s.with(variable{"x", number})
		return "draw x; skip; if " + pick(s.generator, "x = 1 or true", "flag or x = 0", "(x = 1 or mode = fast)") +
			" then " + s.event() + "; " + t.fall().term(depth-1) + " else " + s.event() + "; " + t.fall().end()
	}},
	{name: "data: forall", in: quantified("forall"), write: both("(forall w9 in 0..high: w9 in SET)")},
	{name: "data: exists", in: quantified("exists").and(restricted),
		write: both("(exists w9 in SET where w9 >= 0: w9 = NUMBER)")},
	{name: "data: count", in: quantified("count").and(restricted),
		write: both("(count v9 in 0..1, w9 in 0..high where v9 <= w9: w9 < NUMBER) = 1")},
	{name: "data: sum", in: quantified("sum").and(restricted),
		write: both("(sum w9 in {0, high} where w9 < 2: w9 * NUMBER) > 0")},
	{name: "data: comprehension of a set", in: quantified("set"),
		write: bound(variable{"s", set}, "let s = {w9 in {0..high} where w9 != NUMBER}; EVENT")},
	{name: "data: range as a set", in: of[syntax.RangeSet](), write: both("NUMBER in {0..high}")},
	{name: "data: union", in: of(func(b *syntax.BinaryExpr) bool { return b.Op == "union" }),
		write: bound(variable{"s", set}, "let s = SET union {NUMBER}; skip")},
	{name: "data: minus", in: of(func(b *syntax.BinaryExpr) bool { return b.Op == "minus" }),
		write: bound(variable{"s", set}, "let s = SET minus {NUMBER}; skip")},
	{name: "data: least of a set", in: applied("min"), write: bound(variable{"x", number},
		"let x = min({high} union SET); pong(x, true)", "let x = max({high} union SET); pong(min(x, NUMBER), true)")},
	{name: "data: size of a set", in: applied("size"), write: both("size(SET) = 1")},
	{name: "data: constant array", in: of(func(f *syntax.FillExpr) bool { return f.Binder == nil }),
		write: bound(variable{"a", array}, "let a = all(NUMBER); skip")},
	{name: "data: comprehension of an array", in: of(func(f *syntax.FillExpr) bool { return f.Binder != nil }),
		write: bound(variable{"a", array}, "let a = {j in 0..1: (j + NUMBER) mod (high + 1)}; skip")},
	{name: "data: update of an array", in: of[syntax.UpdateExpr](),
		write: bound(variable{"a", array}, "let a = ARRAY; let a = a with [1] = NUMBER; EVENT")},
	{name: "data: element of an array", in: of(func(i *syntax.IndexExpr) bool {
		n, ok := i.X.(*syntax.Name)
		return ok && n.Name == "a"
	}), write: bound(variable{"a", array}, "let a = ARRAY; pong(a[NUMBER mod 2], a[0] = 0)")},
	{name: "data: number without a bound", in: of(func(w *syntax.WordType) bool { return w.Word == "nat" }),
		declare: func(p *plan) { p.unbounded = true }, write: bound(variable{"x", number},
			"let k = high + NUMBER; let x = k mod (high + 1); pong(x, k > 1)")},
	{name: "data: absent variable", in: of(func(v *syntax.VarDecl) bool { return v.Kind == "var" && v.If != nil }),
		declare: func(p *plan) { p.absent = true },
		write:   bound(variable{"z", number}, "let z = NUMBER; pong(z, true)")},
	{name: "data: absent field", in: of(func(f *syntax.Field) bool { return f.If != nil }),
		declare: func(p *plan) { p.absent = true }},
	{name: "data: own number", in: of(func(n *syntax.Name) bool { return n.Name == "self" }), declare: func(p *plan) {
		if p.anonymous() {
			p.network = networkOf("line")
		}
	}, write: func(s *scope, depth int) string {
		if s.anonymous() {
			return s.event() + "; " + s.fall().term(depth)
		}
		return both("self = 0")(s, depth)
	}},
	{name: "data: neighbours", in: of(func(c *syntax.CallExpr) bool { return c.Name == "neighbours" }),
		declare: func(p *plan) {
			p.begin = "if size(neighbours(p)) > 1 then skip; NEXT else "
			if p.anonymous() {
				p.network = networkOf("star")
			}
		}},
	{name: "data: permutation", in: of(func(a *syntax.AssignDecl) bool { return a.Permutation })},
	{name: "data: ports", in: of(func(c *syntax.CallExpr) bool { return c.Name == "ports" }),
		declare: func(p *plan) {
			p.begin = "if size(ports(p)) > 1 then skip; NEXT else "
			if p.numbered() {
				p.network = networkOf("anonymous star")
			}
		}},
	{name: "data: assigned values", in: of(func(a *syntax.AssignDecl) bool { return !a.Permutation })},
}
