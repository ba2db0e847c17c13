package spectest

import (
	"fmt"

	"ringcheck/model/language/syntax"
)

// choose describes the choices of a value by the scheduler, draw those by chance.
var (
	choose = of(func(d *syntax.DrawTerm) bool { return d.Choose })
	draw   = of(func(d *syntax.DrawTerm) bool { return !d.Choose })
)

// nothing describes what is never possible.
var nothing = of[syntax.Stop]().or(of(func(w *syntax.WhenTerm) bool { return isFalse(w.Cond) })).or(
	of(func(p *syntax.PrefixTerm) bool {
		r, receives := p.Action.(*syntax.Receive)
		return receives && r.Where != nil && isFalse(r.Where)
	}))

func isFalse(e syntax.Expr) bool {
	b, ok := e.(*syntax.BoolLit)
	return ok && !b.Value
}

// dead returns a writer of an alternative that leads to a point from which nothing is possible.
func dead(formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		text := s.fill(pick(s.generator, formats...))
		return fmt.Sprintf("(skip; %s | %s; %s)", text, s.event(), s.fall().term(depth-1))
	}
}

// choiceFeatures are draws, choices, alternatives and ends.
var choiceFeatures = []feature{
	{name: "choice: choose and nothing possible", in: nothing.and(in(choose, "Next")),
		write: dead("choose x; stop", "choose x; TAKE where false; stop", "choose x; when false: ping; stop",
			"choose x in {0, 1}; stop")},
	{name: "choice: let and nothing possible", in: nothing.and(in(of[syntax.LetTerm](), "Next")),
		write: dead("let x = NUMBER; stop", "let x = NUMBER; TAKE where false; stop",
			"let x = 0; when false: ping; stop")},
	{name: "choice: nothing to choose", in: choose.and(of(func(d *syntax.DrawTerm) bool {
		if r, ok := d.From.(*syntax.RangeType); ok {
			lo, first := r.Lo.(*syntax.IntLit)
			hi, last := r.Hi.(*syntax.IntLit)
			return first && last && lo.Value > hi.Value
		}
		b, ok := d.Among.(*syntax.BinaryExpr)
		return ok && b.Op == "minus" && syntax.FormatExpr(b.X) == syntax.FormatExpr(b.Y)
	})), write: dead("choose x in 1..0; ping; stop", "choose x in {0} minus {0}; pong(x, true); stop",
		"choose x in {high} minus {high}; TAKE; stop", "(choose x in 1..0; ping; stop | choose x; stop)")},
	{name: "time: choose and nothing to receive", in: of(func(p *syntax.PrefixTerm) bool {
		r, receives := p.Action.(*syntax.Receive)
		return receives && r.Where != nil && isFalse(r.Where)
	}).and(in(choose, "Next")), declare: func(p *plan) { p.delay, p.initial = "1..1", 1 },
		write: dead("choose x; TAKE where false; stop", "choose x in {0, high}; TAKE where false; stop")},
	{name: "choice: nothing possible in an if", in: nothing.and(in(of[syntax.IfTerm](), "Then", "Else")),
		write: dead("if BOOL then stop else TAKE where false; stop", "if BOOL then (choose x; stop) else ping; stop")},
	{name: "choice: nothing possible in all alternatives",
		in:    nothing.and(in(of[syntax.ChoiceTerm](), "Terms")).and(not(of[syntax.Stop]())),
		write: dead("(TAKE where false; stop | when false: ping; stop)", "(choose x; stop | TAKE where false; stop)")},
	{name: "choice: stop decided by a variable", in: of(func(t *syntax.IfTerm) bool {
		_, stops := t.Then.(*syntax.Stop)
		return stops
	}), write: func(s *scope, depth int) string {
		t := s.with(variable{"x", number})
		return "draw x; skip; if x = " + s.expr(number, 1) + " then stop else " + t.term(depth-1)
	}},
	{name: "choice: draw with a probability", in: of(func(d *syntax.DrawTerm) bool { return d.With != nil }),
		write: bound(variable{"f", boolean}, "draw f with 1/3; pong(0, f)", "draw f with 3/4; skip")},
	{name: "choice: draw with weights", in: of(func(d *syntax.DrawTerm) bool { return len(d.Weights) > 0 }),
		write: bound(variable{"x", number}, "draw x in {0: 1/4, 1: 3/4}; EVENT")},
	{name: "choice: draw from a range", in: draw.and(of(func(d *syntax.DrawTerm) bool { return d.From != nil })),
		write: bound(variable{"x", number}, "draw x in 0..high; EVENT")},
	{name: "choice: draw from a set", in: draw.and(of(func(d *syntax.DrawTerm) bool { return d.Among != nil })),
		write: bound(variable{"x", number}, "draw x in {0} union SET; EVENT")},
	{name: "choice: draw a subset", in: of(func(c *syntax.CallExpr) bool { return c.Name == "subsets" }),
		write: bound(variable{"s", set}, "draw s in subsets({0..high}, 1); EVENT",
			"choose s in subsets({0, high}, 1); skip")},
	{name: "choice: draw an array", in: of(func(d *syntax.DrawTerm) bool { return d.Name.Name == "a" }),
		write: bound(variable{"a", array}, "draw a; EVENT")},
	{name: "choice: draw behind a draw", in: draw.and(in(draw, "Next")),
		write: bound(variable{"x", number}, "draw x; draw f; pong(x, f)", "draw f with 1/3; draw x; pong(x, true)")},
	{name: "choice: draw behind a choose", in: draw.and(in(choose, "Next")),
		write: bound(variable{"x", number}, "choose x; draw f; pong(x, f)")},
	{name: "choice: choose from a range", in: choose.and(of(func(d *syntax.DrawTerm) bool { return d.From != nil })),
		write: bound(variable{"x", number}, "choose x in 0..1; skip")},
	{name: "choice: choose from a set", in: choose.and(of(func(d *syntax.DrawTerm) bool { return d.Among != nil })),
		write: bound(variable{"x", number}, "choose x in {0} union SET; pong(x, BOOL)")},
	{name: "choice: choose and receive", in: of(func(p *syntax.PrefixTerm) bool {
		_, receives := p.Action.(*syntax.Receive)
		return receives
	}).and(in(choose, "Next")), write: func(s *scope, depth int) string {
		t := s.with(variable{"x", number})
		return fmt.Sprintf("(choose x; %s; %s | %s)", t.take("x"), t.received().term(depth-1), s.skip())
	}},
	{name: "choice: draw and alternative of one transition", in: of[syntax.ChoiceTerm]().and(part(of(
		func(t *syntax.DrawTerm) bool { return t.Name.Name == "f" }).and(in(of[syntax.ChoiceTerm](), "Terms")))),
		write: func(s *scope, depth int) string {
			same := "skip; " + s.fall().end()
			return fmt.Sprintf("(draw f with 1/3; if f then ping; %s else %s | %s)", s.fall().term(depth-1), same, same)
		}},
	{name: "choice: equal alternatives", in: of[syntax.ChoiceTerm](), write: func(s *scope, depth int) string {
		same := "ping; " + s.fall().term(depth-1)
		return "(" + same + " | " + same + ")"
	}},
	{name: "choice: an equation that is a call", in: of[syntax.CallTerm]().and(in(of[syntax.EquationDecl](), "Body")),
		declare: func(p *plan) { p.rounds = true }, write: or("ping; Again(NUMBER)")},
	{name: "choice: receive and set", in: of[syntax.Assign]().and(in(of[syntax.Receive](), "Then")),
		declare: withRegister,
		write:   or("TAKE then r := NUMBER, r := r mod (high + 1); ", "recv SOURCE M0(x) then r := x; ")},
	{name: "choice: receive any message", in: of(func(r *syntax.Receive) bool { return r.Message == nil }),
		write: or("recv SOURCE _; ")},
	{name: "choice: receive from anybody", in: of[syntax.Wildcard]().and(in(of[syntax.Receive](), "Source")),
		write: or("recv _ M0(_); ")},
	{name: "choice: receive with a condition", in: in(of[syntax.Receive](), "Where"), write: or("TAKE where BOOL; ")},
	{name: "choice: receive what matches", in: of[syntax.IntLit]().and(in(of[syntax.Receive](), "Patterns")),
		write: or("recv SOURCE M0(0); ", "recv SOURCE M0(high); ", "recv SOURCE M0(1); ")},
	{name: "choice: answer the sender", in: of(func(n *syntax.Name) bool { return n.Name == "d" }).and(
		in(of[syntax.Receive](), "Source")), write: func(s *scope, depth int) string {
		answer := "send d M0(0)"
		if s.oneWay() {
			answer = "ping"
		}
		return fmt.Sprintf("(recv d M0(x); %s; %s | %s)", answer, s.with(variable{"x", number}).fall().term(depth-1),
			s.skip())
	}},
}
