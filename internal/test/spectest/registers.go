package spectest

import (
	"strings"

	"ringcheck/model/language/syntax"
)

func withShapes(p *plan) { p.shapes = true }

// declareShapes declares a register of each type that is not a number.
func (g *generator) declareShapes() {
	if g.shapes {
		g.printf("register rs: set of 0..high = {0}\nregister rb: bool%s\n", pick(g, "", " = false"))
		g.printf("register ra: array 0..1 of 0..high = all(0)\n")
	}
}

// field describes the reads of a register of a neighbour in equations, by the name of the register.
func field(name string) pattern {
	return of(func(f *syntax.FieldExpr) bool { return f.Name.Name == name }).and(
		inside(of[syntax.EquationDecl](), "Body"))
}

// assign describes what sets a register, a ghost or a timer, by its name.
func assign(name string) pattern {
	return of(func(a *syntax.Assign) bool { return a.Name.Name == name })
}

// let describes what binds a variable to a value, or sets a register with the next action, by its name.
func let(name string) pattern { return of(func(t *syntax.LetTerm) bool { return t.Name.Name == name }) }

// guard describes the conditions before an action of type *T.
func guard[T any]() pattern {
	return of(func(w *syntax.WhenTerm) bool {
		prefix, acts := w.Then.(*syntax.PrefixTerm)
		if !acts {
			return false
		}
		_, ok := any(prefix.Action).(*T)
		return ok
	})
}

// registerFeatures read registers of all types, for values of all kinds.
var registerFeatures = []feature{
	{name: "a set that is a register", in: field("rs").and(place(of[syntax.WhenTerm](), "Cond")), declare: withShapes,
		write: or("when NUMBER in NEIGHBOUR.rs: EVENT; ", "when size(NEIGHBOUR.rs) = 1: skip; ")},
	{name: "an array that is a register", in: field("ra").and(place(of[syntax.IfTerm](), "Cond")), declare: withShapes,
		write: before("if NEIGHBOUR.ra[NUMBER mod 2] = 0 then END else ")},
	{name: "an element by a register", declare: withShapes,
		in:    field("r").and(inside(of[syntax.IndexExpr](), "Index")).and(inside(guard[syntax.EventAction](), "Cond")),
		write: or("when NEIGHBOUR.ra[PEER mod 2] = NUMBER: pong(PEER, true); ")},
	{name: "a Boolean that is a register", in: field("rb").and(place(of[syntax.WhenTerm](), "Cond")),
		declare: withShapes, write: or("when NEIGHBOUR.rb: EVENT; ", "when NEIGHBOUR.rb = rb: rb := not rb; ")},
	{name: "an assignment to a set", in: reads(assign("rs"), "Value"), declare: withShapes,
		write: before("rs := NEIGHBOUR.rs union {PEER}; ", "rs := {w9 in {0..high} where w9 < PEER}; ",
			"rs := {PEER}; ")},
	{name: "an assignment to an array", in: reads(assign("ra"), "Value"), declare: withShapes,
		write: before("ra := NEIGHBOUR.ra with [PEER mod 2] = NUMBER; ", "ra := all(PEER); ",
			"ra := NEIGHBOUR.ra; ")},
	{name: "an assignment of an array by element", declare: withShapes,
		in:    field("r").and(inside(of[syntax.FillExpr](), "Value")).and(inside(assign("ra"), "Value")),
		write: before("ra := {j in 0..1: (PEER + j) mod (high + 1)}; ")},
	{name: "an assignment to a Boolean", in: reads(assign("rb"), "Value"), declare: withShapes,
		write: before("rb := PEER = NUMBER; ", "rb := not NEIGHBOUR.rb; ")},
	{name: "several assignments of a receive", declare: withShapes,
		in:    reads(assign("rb").and(in(of[syntax.Receive](), "Then")), "Value"),
		write: or("TAKE then r := PEER, rb := PEER > r, ra := all(r); ")},
	{name: "a let of a set", in: reads(let("s"), "Value"),
		write: bound(variable{"s", set}, "let s = SET union {PEER}; EVENT", "let s = {0..PEER}; skip")},
	{name: "a let of an array", in: reads(let("a"), "Value"), write: bound(variable{"a", array},
		"let a = all(PEER); EVENT", "let a = all(NUMBER); let a = a with [PEER mod 2] = PEER; skip")},
	{name: "a timer set by an action", in: reads(assign("t"), "Value"), declare: withTimer,
		write: before("t := PEER; ")},
	{name: "a timer set with an action", in: reads(let("t"), "Value"), declare: withTimer,
		write: before("let t = PEER; EVENT; ")},
	{name: "a condition on a timer", declare: withTimer,
		in:    of[syntax.FieldExpr]().and(inside(of[syntax.WhenTerm]().and(part(timer)), "Cond")),
		write: or("when t = 0 and PEER > 0: EVENT; ", "when t < PEER: skip; ")},
	{name: "a ghost", in: reads(assign("g"), "Value"), declare: withGhost,
		write: or("TAKE then g := PEER; ", "TAKE then g := NEIGHBOUR.g; ")},
	{name: "the bound of a draw", in: reads(of[syntax.RangeType]().and(in(draw, "From")), "Hi"),
		write: drawn("draw x in 0..PEER; ")},
	{name: "the bound of a choose", in: reads(of[syntax.RangeType]().and(in(choose, "From")), "Hi"),
		write: drawn("choose x in 0..PEER; ", "choose x in 0..PEER; ")},
	{name: "a draw of subsets", in: of[syntax.FieldExpr]().and(inside(applied("subsets"), "Args")),
		write: bound(variable{"s", set}, "draw s in subsets({0..PEER}, 1); EVENT")},
	{name: "the condition of a send", in: reads(guard[syntax.Send](), "Cond"),
		write: or("TAKE; when PEER > 0: send TARGET M0(PEER); ", "TAKE; when PEER = NUMBER: send TARGET M0(0); ")},
	{name: "the condition of a receive", in: reads(guard[syntax.Receive](), "Cond"),
		write: or("when PEER > 0: TAKE; ", "when PEER = NUMBER: TAKE where PEER = r; ")},
	{name: "the condition of an assignment", in: reads(guard[syntax.Assign](), "Cond"),
		write: or("when PEER = r: r := (PEER + 1) mod (high + 1); ", "when PEER != r: r := PEER; ")},
	{name: "what may fail", in: field("r").and(inside(of(func(b *syntax.BinaryExpr) bool {
		return b.Op == "div"
	}), "Y")), write: before("pong(NUMBER div PEER, true); ", "let x = 1 div (high - PEER); ping; ")},
	{name: "what is seldom evaluated", in: field("r").and(inside(of(func(b *syntax.BinaryExpr) bool {
		return b.Op == "or"
	}), "Y")), write: or("when PEER = 0 or NUMBER mod PEER = 0: EVENT; ")},
}

// read describes the reads of registers of processes that an expression names.
func read(process string) pattern {
	return of(func(f *syntax.FieldExpr) bool { return syntax.FormatExpr(f.X) == process }).and(
		inside(of[syntax.EquationDecl](), "Body"))
}

// complete makes the network a complete graph, in which every process can read all registers.
func complete(p *plan) { p.network = networkOf("complete graph") }

// inComplete returns a writer of two alternatives as or does, for complete graphs.
func inComplete(formats ...string) func(*scope, int) string {
	return func(s *scope, depth int) string {
		if s.network != networkOf("complete graph") { // another feature has changed it
			return s.event() + "; " + s.fall().term(depth)
		}
		return or(formats...)(s, depth)
	}
}

// peerFeatures read registers of processes that are named in all ways.
var peerFeatures = []feature{
	{name: "a process by number", in: read("0"), declare: complete,
		write: inComplete("when 0.r > 0: EVENT; ", "when 0.r = 1.r: skip; ", "TAKE where 1.r = NUMBER; ")},
	{name: "a single process of a kind", in: read("hub"),
		declare: func(p *plan) { complete(p); p.species = "hub" }, write: func(s *scope, depth int) string {
			if s.species != "hub" {
				return s.event() + "; " + s.fall().term(depth)
			}
			return inComplete("when hub.r > 0: EVENT; ", "TAKE where hub.r = NUMBER; ")(s, depth)
		}},
	{name: "the process itself", in: read("self"), declare: complete,
		write: inComplete("when self.r = NUMBER: EVENT; ", "when self.r < 0.r: r := 0.r; ")},
	{name: "a process in a variable", in: read("q"), declare: complete,
		write: inComplete("choose q in {0, 1}; pong(q.r, true); ", "skip; let q = n - 1; pong(q.r, q.r > 0); ")},
	{name: "the sender", in: read("d").and(inside(of[syntax.Receive](), "Where", "Then")),
		write: or("recv d M0(_) where d.r = NUMBER; ", "recv d M0(x) then r := d.r; ", "recv d M0(_) where d.r > r; ")},
	{name: "some neighbour", in: read("w9").and(inside(quantified("exists"), "Body")), declare: complete,
		write: inComplete("when (exists w9 in neighbours(self): w9.r > 0): EVENT; ")},
	{name: "all neighbours", in: read("w9").and(inside(quantified("forall"), "Body")), declare: complete,
		write: inComplete("when (forall w9 in neighbours(self): w9.r = r): r := (r + 1) mod (high + 1); ")},
	{name: "a sum over neighbours", in: read("w9").and(inside(quantified("sum"), "Body")), declare: complete,
		write: inComplete("when (sum w9 in node: w9.r) = 1: EVENT; ", "TAKE where (sum w9 in node: w9.r) > NUMBER; ")},
	{name: "some direction", in: read("w9").and(inside(of(func(q *syntax.QuantExpr) bool {
		return strings.Contains(syntax.FormatExpr(q), " in dir: ")
	}), "Body")),
		declare: func(p *plan) { p.network = networkOf("undirected ring") },
		write: func(s *scope, depth int) string {
			if !s.ring() {
				return s.event() + "; " + s.fall().term(depth)
			}
			return or("when (exists w9 in dir: w9.r > 0): EVENT; ",
				"when (count w9 in dir: w9.r = r) = 1: r := PEER; ")(s, depth)
		}},
	{name: "two neighbours", in: read("left").and(inside(of(func(b *syntax.BinaryExpr) bool {
		return strings.Contains(syntax.FormatExpr(b.Y), "right.r")
	}), "X")),
		declare: func(p *plan) { p.network = networkOf("undirected ring") },
		write: func(s *scope, depth int) string {
			if !s.ring() {
				return s.event() + "; " + s.fall().term(depth)
			}
			return or("when left.r = right.r: EVENT; ", "when left.r < right.r: r := right.r; ",
				"TAKE where left.r != right.r; ")(s, depth)
		}},
}
