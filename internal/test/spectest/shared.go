package spectest

import "ringcheck/model/language/syntax"

// declareShared declares shared variables of all types.
func (g *generator) declareShared() {
	if !g.shared {
		return
	}
	number, boolean := pick(g, "", " = 0", " = high", " = 0", " = 0"), pick(g, "", " = false", " = false", " = true")
	g.printf("shared sn: 0..high%s\nshared sb: bool%s\n", number, boolean)
	g.printf("shared ss: set of 0..high = {0}\nshared sa: array 0..1 of 0..high = all(0)\n")
	g.printf("shared sp: node = 0\nshared sc: Color = red\n")
	g.printf("define full = sn = high and not sb\n")
	if number == "" && g.chance(3) {
		g.printf("initially sn = 0%s\n", pick(g, "", " or sb"))
	}
}

// name describes the names in equations of a variable.
func name(of string) pattern {
	return named(of).and(inside(equationDecl, "Body"))
}

func named(what string) pattern {
	return of(func(n *syntax.Name) bool { return n.Name == what })
}

var equationDecl = of[syntax.EquationDecl]()

// sharedFeatures read and set shared variables in every place that permits it.
var sharedFeatures = asShared([]feature{
	{name: "read in if", in: name("sn").and(place(of[syntax.IfTerm](), "Cond")),
		write: before("if sn = NUMBER then END else ", "if sp = 0 and sc = red then END else ")},
	{name: "read in if that stops", in: name("sn").and(place(of(func(t *syntax.IfTerm) bool {
		_, stops := t.Then.(*syntax.Stop)
		return stops
	}), "Cond")), write: before("skip; if sn = high then stop else ")},
	{name: "read in when", in: name("sb").and(place(of[syntax.WhenTerm](), "Cond")),
		write: or("when sb: EVENT; ", "when sb or sn > 0: skip; ")},
	{name: "read in where", in: name("sn").and(place(of[syntax.Receive](), "Where")),
		write: or("TAKE where sn = NUMBER; ", "TAKE where sb; ")},
	{name: "read in a pattern", in: name("sn").and(place(of[syntax.Receive](), "Patterns")),
		write: or("recv SOURCE M0(sn); ")},
	{name: "read in the source", in: name("sn").and(place(of[syntax.Receive](), "Source")),
		write: or("recv (if sn > 0 then INBOX else INBOX) M0(_); ")},
	{name: "read in the target", in: name("sb").and(place(of[syntax.Send](), "Target")),
		write: or("TAKE; send (if sb then TARGET else TARGET) M0(0); ")},
	{name: "read in what is sent", in: name("sn").and(place(of[syntax.Send](), "Args")),
		write: or("TAKE; send TARGET M0(sn); ")},
	{name: "read in an event", in: name("sn").and(place(of[syntax.EventAction](), "Args")),
		write: before("pong(sn, sb); ")},
	{name: "read in a call", in: name("sn").and(place(of[syntax.CallTerm](), "Args")),
		declare: func(p *plan) { p.near = true }, write: or("skip; Near(sn)", "sn := NUMBER; Near(sn)",
			"TAKE then sn := NUMBER; Near(sn)", "when BOOL: EVENT; Near(sn)")},
	{name: "read in a let", in: name("sn").and(place(let("x"), "Value")),
		write: bound(variable{"x", number}, "let x = sn; EVENT", "let sn = NUMBER; let x = sn; ping")},
	{name: "read in an assignment", in: name("sn").and(place(assign("sn"), "Value")),
		write: before("sn := (sn + 1) mod (high + 1); ", "sn := if sb then sn else NUMBER; ")},
	{name: "read in what a receive sets", in: name("sn").and(place(assign("sn").and(in(of[syntax.Receive](), "Then")),
		"Value")), write: or("TAKE then sn := high - sn; ", "TAKE then sn := NUMBER, sb := sn > 0; ")},
	{name: "read in a draw", in: name("sn").and(place(draw, "Among").or(place(draw, "From"))),
		write: drawn("draw x in {sn, 0}; ", "draw x in {sn, NUMBER}; ")},
	{name: "read in a choose", in: name("sn").and(place(choose, "Among").or(place(choose, "From"))),
		write: drawn("choose x in {sn}; ", "choose x in {0, sn}; ")},
	{name: "read in the domain of a loop", in: name("sn").and(inside(loop, "Binder")),
		write: before("for i in 1..sn: EVENT; ", "for i in 0..sn: sn := 0; ")},
	{name: "read in the condition of a loop", in: name("sn").and(place(loop, "Where")),
		write: before("for i in 0..high where i > sn: skip; ", "for i in 0..high where i != sn: sn := i; ")},
	{name: "read in a quantifier", in: name("sn").and(inside(of(func(q *syntax.QuantExpr) bool {
		return q.Op != "set"
	}), "Body")), write: before("if (exists w9 in 0..high: w9 = sn) then END else ",
		"if (forall w9 in 0..high: w9 <= sn or sb) then END else ")},
	{name: "read in an index", in: name("sn").and(inside(of[syntax.IndexExpr](), "Index")),
		write: or("when sa[sn mod 2] = NUMBER: EVENT; ")},
	{name: "read in a definition", in: name("full"), write: or("when full: EVENT; ", "when not full: sb := true; ")},
	{name: "read in an argument of a definition", in: name("sn").and(inside(of(func(c *syntax.CallExpr) bool {
		return c.Name == "odd"
	}), "Args")), write: or("when odd(sn): EVENT; ")},
	{name: "a set", in: name("ss").and(inside(equationDecl, "Body")),
		write: or("when NUMBER in ss: ss := ss minus {NUMBER}; ", "ss := ss union {sn}; ",
			"when size(ss) = 1: skip; ")},
	{name: "an array", in: assign("sa"),
		write: before("sa := sa with [NUMBER mod 2] = NUMBER; ", "sa := all(sn); ")},
	{name: "a process", in: assign("sp"), write: before("sp := 1; ", "sp := (sp + 1) mod n; ", "sp := 0; ")},
	{name: "an enumeration", in: assign("sc"),
		write: before("sc := if sc = red then green else red; ", "sc := green; ")},
	{name: "set without being read", in: assign("sn"), write: before("sn := 0; ", "sn := high; ", "sb := true; ")},
	{name: "a let", in: let("sb"), write: before("let sb = not sb; EVENT; ", "let sb = true; skip; ",
		"let sb = false; let sn = NUMBER; EVENT; ")},
	{name: "a let before a receipt", in: let("sn").and(part(of[syntax.Receive]())),
		write: or("let sn = NUMBER; TAKE; ", "let sn = high - sn; TAKE where sn > 0; ")},
	{name: "a let before a choice", in: let("sn").and(part(of[syntax.ChoiceTerm]())),
		write: or("let sn = NUMBER; (EVENT; END | when sn = 0: EVENT; END | sn := high; END | skip; stop)")},
	{name: "a let behind a draw", in: let("sn").and(inside(draw, "Next")), write: drawn("draw x; let sn = x; ")},
	{name: "equal transitions", in: let("sb").and(inside(of[syntax.ChoiceTerm](), "Terms")),
		write: or("let sb = false; skip; stop | skip; stop | let sb = sb; skip; stop")},
	{name: "a let before a stop", in: let("sn").and(part(of[syntax.Stop]())), write: or("skip; let sn = 0; stop")},
})

// asShared returns features that use shared variables.
func asShared(all []feature) []feature {
	for i := range all {
		f := &all[i]
		f.name = "shared: " + f.name
		declare := f.declare
		f.declare = func(p *plan) {
			p.shared = true
			if declare != nil {
				declare(p)
			}
		}
	}
	return all
}
