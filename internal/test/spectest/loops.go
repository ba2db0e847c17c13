package spectest

import (
	"fmt"

	"ringcheck/model/language/syntax"
)

// loop describes a loop, nested one in the body of another.
var (
	loop   = of[syntax.ForTerm]()
	body   = inside(loop, "Body")
	nested = loop.and(body)
)

// rebinding describes the loops whose body binds the variable of the loop.
var rebinding = pattern(func(n *node) bool {
	l, ok := n.value.(*syntax.ForTerm)
	binds := func(m *node) bool {
		switch t := m.value.(type) {
		case *syntax.LetTerm:
			return t.Name.Name == l.Binder.Name.Name
		case *syntax.DrawTerm:
			return t.Name.Name == l.Binder.Name.Name
		case *syntax.ForTerm:
			return t != l && t.Binder.Name.Name == l.Binder.Name.Name
		}
		return false
	}
	return ok && part(inside(loop, "Body").and(binds))(n)
})

// empty describes the loops over a range without values, of constants.
var empty = loop.and(part(of(func(t *syntax.RangeType) bool {
	lo, first := t.Lo.(*syntax.IntLit)
	hi, last := t.Hi.(*syntax.IntLit)
	return first && last && lo.Value > hi.Value
}).and(in(in(loop, "Binder"), "Type"))))

// deep describes the loops in the body of a loop in the body of a loop, shallow those that may have no value.
var (
	deep    = nested.and(inside(nested, "Body"))
	shallow = deep.and(part(of(func(t *syntax.RangeType) bool {
		lo, ok := t.Lo.(*syntax.IntLit)
		_, varies := t.Hi.(*syntax.Name)
		return ok && varies && lo.Value > 0
	}).and(in(in(loop, "Binder"), "Type"))))
)

// last describes the loops at the end of a body.
var last = of(func(t *syntax.ForTerm) bool {
	_, ends := t.Next.(*syntax.LoopEnd)
	return ends
})

// repeat returns a writer of a loop: format has the loop without what follows it.
func repeat(loops ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		return s.fill(pick(s.generator, loops...)) + "; " + s.fall().term(depth-1)
	}
}

// loopFeatures are loops at all places, with bodies of all forms.
var loopFeatures = []feature{
	{name: "loop: over a range", in: in(in(loop, "Binder"), "Type"),
		write: repeat("for i in 0..high: EVENT", "for i in 0..0: skip")},
	{name: "loop: over a set", in: in(in(loop, "Binder"), "Over"),
		write: repeat("for i in {0, high}: EVENT", "for i in SET: pong(i, true)")},
	{name: "loop: over processes", in: in(in(loop, "Binder"), "Type").and(of(func(t *syntax.WordType) bool {
		return t.Word == "node"
	})), write: repeat("for q in node: pong(q mod 2, true)", "for q in node where q != 0: ping")},
	{name: "loop: with a condition", in: in(loop, "Where"),
		write: repeat("for i in 0..high where i != NUMBER: ping", "for i in 0..high where BOOL: pong(i, false)")},
	{name: "loop: without a value", in: empty, write: repeat("for i in 1..0: ping")},
	{name: "loop: binds its variable by a let", in: rebinding.and(part(of(func(t *syntax.LetTerm) bool {
		return t.Name.Name == "i"
	}))), write: repeat("for i in 0..high: (let i = high; pong(i, true))", "for i in 0..1: (let i = 1; ping)",
		"for i in 0..high: (ping; let i = NUMBER; pong(i, true))", "for i in 1..1: (let i = 0; let i = 1; ping)")},
	{name: "loop: binds its variable by a draw", in: rebinding.and(part(of(func(t *syntax.DrawTerm) bool {
		return t.Name.Name == "i"
	}))), write: repeat("for i in 0..high: (draw i; pong(i, BOOL))", "for i in 0..1: (choose i in {1}; pong(i, true))",
		"for i in 0..high: (choose i; ping)")},
	{name: "loop: binds its variable by a loop", in: rebinding.and(part(nested.and(of(func(t *syntax.ForTerm) bool {
		return t.Binder.Name.Name == "i"
	})))), write: repeat("for i in 0..1: (for i in 1..1: ping)", "for i in 0..1: (for i in 0..high: pong(i, true))",
		"for i in 0..1: (ping; for i in 1..0: skip)", "for i in 0..high: (ping; for i in 0..NUMBER: ping)")},
	{name: "loop: nested", in: nested,
		write: repeat("for i in 0..1: (for j in 0..high: EVENT)", "for i in 0..1: (skip; for j in i..high: ping)")},
	{name: "loop: nested, depends on the outer one",
		in: inside(in(nested, "Binder"), "Type", "Over").and(of(func(n *syntax.Name) bool { return n.Name == "i" })),
		write: repeat("for i in 0..high: (for j in 1..i: skip)", "for i in 0..high: (for j in i..0: ping)",
			"for i in 0..high: (for j in {i} minus {0}: skip)", "for i in 0..high: (ping; for j in 1..i: ping)")},
	{name: "loop: nested twice", in: deep,
		write: repeat("for i in 0..1: (for j in 0..i: (for l in 1..j: pong(l, true)))",
			"for i in 0..1: (for j in 1..i: (for l in 0..j: ping))")},
	{name: "loop: nested twice, the outermost without a value", in: empty.and(part(deep)),
		write: repeat("for i in 1..0: (for j in 0..high: (for l in 0..j: ping))")},
	{name: "loop: nested twice, at first without a value", in: shallow.and(in(nested, "Body")).and(not(last)),
		write: repeat("for i in 0..1: (for j in 0..1: (for l in 1..i: ping; skip))",
			"for i in 0..1: (for j in 0..i: (for l in 1..j: ping; pong(j, true)))")},
	{name: "loop: nested twice, at last without a value",
		in: shallow.and(last).and(in(of[syntax.PrefixTerm](), "Next")),
		write: repeat("for i in 0..1: (for j in 0..1: (skip; for l in 1..i: ping))",
			"for i in 0..1: (for j in i..1: (pong(j, true); for l in 1..j: ping))")},
	{name: "loop: nested twice, in both branches without a value", in: of[syntax.IfTerm]().and(
		part(shallow.and(last).and(in(of[syntax.IfTerm](), "Then")))).and(
		part(shallow.and(last).and(in(of[syntax.IfTerm](), "Else")))),
		write: repeat(
			"for i in 0..1: (for j in 0..1: (if i = j then (for l in 1..i: ping) else (for l in 1..j: skip)))",
			"for i in 0..1: (for j in 0..1: (if j < i then (for l in 1..j: ping) else (for l in 1..i: ping)))")},
	{name: "loop: in a branch of a loop", in: nested.and(in(of[syntax.IfTerm](), "Then", "Else")),
		write: repeat("for i in 0..high: (if i < high then (for j in high..i: skip) else skip)",
			"for i in 0..high: (if BOOL then ping else (for j in 1..i: skip))")},
	{name: "loop: an alternative of a loop", in: nested.and(in(of[syntax.ChoiceTerm](), "Terms")),
		write: repeat("for i in 0..high: (ping | for j in 1..i: skip)",
			"for i in 0..high: (for j in i..high: pong(j, BOOL) | skip)")},
	{name: "loop: with alternatives", in: in(loop, "Body").and(of[syntax.ChoiceTerm]()),
		write: repeat("for i in 0..high: (ping | pong(i, false); skip)", "for i in 0..1: (when BOOL: ping | skip)")},
	{name: "loop: with a receive", in: of[syntax.Receive]().and(body),
		write: repeat("for i in 0..0: TAKE", "for i in 0..1: (TAKE | ping)")},
	{name: "loop: with a draw", in: of[syntax.DrawTerm]().and(body),
		write: repeat("for i in 0..1: (draw f; pong(i, f))", "for i in 0..1: (choose z; pong(z, true))")},
	{name: "loop: behind a loop", in: loop.and(in(loop, "Next")),
		write: repeat("for i in 0..NUMBER: skip; for j in 1..0: skip",
			"for i in 1..NUMBER: ping; for i in 0..1: ping")},
	{name: "loop: behind a let", in: loop.and(in(of[syntax.LetTerm](), "Next")),
		write: func(s *scope, depth int) string {
			t := s.with(variable{"x", number})
			domain := pick(s.generator, "0..x", "x..high")
			return fmt.Sprintf("let x = %s; for i in %s: %s; %s", s.expr(number, 1), domain, t.event(),
				t.fall().term(depth-1))
		}},
	{name: "loop: behind what a receive sets", in: loop.and(in(of(func(p *syntax.PrefixTerm) bool {
		r, receives := p.Action.(*syntax.Receive)
		return receives && len(r.Then) > 0
	}), "Next")), declare: withRegister,
		write: func(s *scope, depth int) string {
			return fmt.Sprintf("(%s then r := %s; for i in 1..r: ping; %s | %s)", s.take("_"), s.expr(number, 0),
				s.received().term(depth-1), s.skip())
		}},
	{name: "loop: an alternative", in: loop.and(in(of[syntax.ChoiceTerm](), "Terms")).and(not(body)),
		write: func(s *scope, depth int) string {
			domain := pick(s.generator, "0..high", "1..0", "1.."+s.expr(number, 1))
			return fmt.Sprintf("(for i in %s: skip; %s | %s)", domain, s.fall().term(depth-1), s.skip())
		}},
	{name: "loop: in a branch", in: loop.and(in(of[syntax.IfTerm](), "Then", "Else")).and(not(body)),
		write: func(s *scope, depth int) string {
			return fmt.Sprintf("if %s then (for i in %s: ping; %s) else %s", s.expr(boolean, 1),
				pick(s.generator, "0..high", "1..0"), s.fall().end(), s.term(depth-1))
		}},
	{name: "loop: at the beginning of an equation", in: loop.and(in(of[syntax.EquationDecl](), "Body")),
		declare: func(p *plan) { p.rounds = true },
		write:   or("EVENT; Rounds(NUMBER)")},
	{name: "loop: at the beginning of a process", in: loop.and(inside(of[syntax.ProcessDecl](), "Body")),
		declare: func(p *plan) { p.begin = "for i in 0..high where i > 0: skip; " }},
	{name: "loop: a call behind it",
		in:      of(func(c *syntax.CallTerm) bool { return len(c.Args) > 0 }).and(in(loop, "Next")),
		declare: func(p *plan) { p.near = true },
		write:   or("for i in 0..1: skip; Near(NUMBER)", "for i in 0..1 where BOOL: ping; Near(0)")},
	{name: "neighbour: read in a call behind a loop", reads: true,
		in:      of[syntax.FieldExpr]().and(place(of[syntax.CallTerm]().and(in(loop, "Next")), "Args")),
		declare: func(p *plan) { p.near, p.rounds, p.register = true, true, true },
		write: or("skip; for i in 0..1: skip; Near(PEER)", "for i in 0..0: skip; Rounds(PEER)",
			"TAKE; for i in 0..0: skip; Rounds(PEER)", "skip; for i in 0..1: (for j in 1..i: ping); Near(PEER)")},
}
