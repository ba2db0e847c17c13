package spectest

import (
	"fmt"
	"strings"

	"ringcheck/model/language/syntax"
)

// reads describes the places at which an expression reads a register of a neighbour.
func reads(p pattern, field string) pattern {
	return of[syntax.FieldExpr]().and(inside(of[syntax.EquationDecl](), "Body")).and(place(p, field))
}

// readFeatures read a register of a neighbour in every place that takes an expression. A sequence that waits has an
// alternative.
func readFeatures() []feature {
	return asReaders([]feature{
		{name: "if", in: reads(of[syntax.IfTerm](), "Cond"), write: before("if PEER = NUMBER then END else ")},
		{name: "if that stops", in: of[syntax.FieldExpr]().and(place(of(func(t *syntax.IfTerm) bool {
			_, stops := t.Then.(*syntax.Stop)
			return stops
		}), "Cond")), write: before("skip; if PEER = high then stop else ")},
		{name: "when", in: reads(of[syntax.WhenTerm](), "Cond"), write: or("when PEER > 0: EVENT; ")},
		{name: "where", in: reads(of[syntax.Receive](), "Where"), write: or("TAKE where PEER = NUMBER; ")},
		{name: "a pattern", in: reads(of[syntax.Receive](), "Patterns"), write: or("recv SOURCE M0(PEER); ")},
		{name: "the source", in: reads(of[syntax.Receive](), "Source"),
			write: or("recv (if PEER > 0 then INBOX else INBOX) M0(_); ")},
		{name: "the target", in: reads(of[syntax.Send](), "Target"),
			write: or("TAKE; send (if PEER > 0 then TARGET else TARGET) M0(0); ")},
		{name: "what is sent", in: reads(of[syntax.Send](), "Args"), write: or("TAKE; send TARGET M0(PEER); ")},
		{name: "an event", in: reads(of[syntax.EventAction](), "Args"), write: before("pong(PEER, PEER = 0); ")},
		{name: "a call", in: reads(of[syntax.CallTerm](), "Args"), declare: func(p *plan) { p.near = true },
			write: or("skip; Near(PEER)", "when BOOL: EVENT; Near(PEER)")},
		{name: "a let", in: reads(of[syntax.LetTerm](), "Value"), write: func(s *scope, depth int) string {
			t := s.with(variable{"x", number})
			return s.fill("let x = PEER; ") + pick(s.generator, t.event(), "skip") + "; " + t.fall().term(depth-1)
		}},
		{name: "a let of a register",
			in:    reads(of(func(t *syntax.LetTerm) bool { return t.Name.Name == "r" }), "Value"),
			write: before("let r = PEER; EVENT; ")},
		{name: "an assignment", in: reads(of[syntax.Assign]().and(in(of[syntax.PrefixTerm](), "Action")), "Value"),
			write: before("r := PEER; ")},
		{name: "what a receive sets", in: reads(of[syntax.Assign]().and(in(of[syntax.Receive](), "Then")), "Value"),
			write: or("TAKE then r := PEER; ")},
		{name: "a draw", in: reads(of(func(t *syntax.DrawTerm) bool { return !t.Choose }), "Among"),
			write: drawn("draw x in {PEER, 0}; ")},
		{name: "a choose", in: reads(of(func(t *syntax.DrawTerm) bool { return t.Choose }), "Among"),
			write: drawn("choose x in {PEER}; ")},
		{name: "the domain of a loop", in: reads(loop.or(of[syntax.Binder]()).or(of[syntax.RangeType]()).and(
			loop.or(inside(loop, "Binder"))), "Hi").or(reads(of[syntax.Binder]().and(in(loop, "Binder")), "Over")),
			write: before("for i in 1..PEER: EVENT; ")},
		{name: "the condition of a loop", in: reads(loop, "Where"),
			write: before("for i in 0..high where i > PEER: skip; ")},
		{name: "a quantifier", in: of[syntax.FieldExpr]().and(inside(of(func(q *syntax.QuantExpr) bool {
			return q.Op != "set"
		}), "Body")).and(inside(of[syntax.EquationDecl](), "Body")),
			write: before("if (exists w9 in 0..high: w9 = PEER) then END else ")},
		{name: "a set", in: of[syntax.FieldExpr]().and(inside(of(func(q *syntax.QuantExpr) bool {
			return q.Op == "set"
		}), "Body")), write: or("when size({w9 in {0..high} where w9 < PEER}) = 1: ping; ")},
		{name: "an index", in: of[syntax.FieldExpr]().and(inside(of[syntax.IndexExpr](), "Index")),
			write: func(s *scope, depth int) string {
				t := s.with(variable{"a", array})
				return s.fill("let a = ARRAY; pong(a[PEER mod 2], true); ") + t.fall().term(depth-1)
			}},
		{name: "an argument of a definition", in: of[syntax.FieldExpr]().and(inside(of(func(c *syntax.CallExpr) bool {
			return c.Name == "odd"
		}), "Args")), write: or("when odd(PEER): EVENT; ")},
		{name: "a branch of an expression",
			in:    of[syntax.FieldExpr]().and(inside(of[syntax.CondExpr](), "Then", "Else")),
			write: before("pong(if BOOL then PEER else NUMBER, true); ")},
	})
}

// asReaders returns features that read a register of a neighbour, by what they read in.
func asReaders(all []feature) []feature {
	for i := range all {
		f := &all[i]
		f.name, f.reads = "neighbour: read in "+f.name, true
		declare := f.declare
		f.declare = func(p *plan) {
			p.register = true
			if declare != nil {
				declare(p)
			}
		}
	}
	return all
}

// before returns a writer of what begins as format says and goes on.
func before(formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		return s.fill(pick(s.generator, formats...)) + s.fall().term(depth-1)
	}
}

// or returns a writer of two alternatives, one of which begins as format says, or is a format that ends in a call.
func or(formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		text := s.fill(pick(s.generator, formats...))
		if strings.HasSuffix(text, "; ") {
			text += s.fall().end()
		}
		return fmt.Sprintf("(%s | skip; %s)", text, s.fall().term(depth-1))
	}
}

// drawn returns a writer of a draw or choice of x that format describes.
func drawn(formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		t := s.with(variable{"x", number})
		return s.fill(pick(s.generator, formats...)) + t.event() + "; " + t.fall().term(depth-1)
	}
}
