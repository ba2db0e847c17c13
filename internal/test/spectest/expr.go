package spectest

import (
	"fmt"
	"strings"

	"ringcheck/model/language/syntax"
)

// names returns the variables of a type that are bound.
func (s *scope) names(t typ) []string {
	var names []string
	for _, v := range s.bound {
		if v.typ == t {
			names = append(names, v.name)
		}
	}
	return names
}

// expr returns an expression of type t, of at most the given depth.
func (s *scope) expr(t typ, depth int) string {
	if names := s.names(t); len(names) > 0 && !s.chance(4) {
		return pick(s.generator, names...)
	}
	if e := s.variedExpr(t, depth); e != "" {
		return e
	}
	if depth > 0 && s.chance(8) {
		return fmt.Sprintf("(if %s then %s else %s)", s.expr(boolean, depth-1), s.expr(t, depth-1), s.expr(t, depth-1))
	}
	switch t {
	case number:
		return s.number(depth)
	case boolean:
		return s.boolean(depth)
	case color:
		return pick(s.generator, "red", "green")
	case set:
		return s.set(depth)
	case array:
		return s.array(depth)
	case port:
		return s.port()
	}
	return "0" // a budget
}

func (s *scope) number(depth int) string {
	if depth == 0 {
		return fmt.Sprint(s.IntN(s.high + 1))
	}
	x, y := s.expr(number, depth-1), s.expr(number, depth-1)
	switch s.IntN(8) {
	case 0:
		return fmt.Sprintf("min(%s, %s)", x, y)
	case 1:
		return fmt.Sprintf("abs(%s - %s)", x, y)
	case 2:
		if arrays := s.names(array); len(arrays) > 0 {
			return fmt.Sprintf("%s[%s mod 2]", pick(s.generator, arrays...), x)
		}
		return "high"
	case 3:
		return fmt.Sprintf("size(%s) mod (high + 1)", s.expr(set, depth-1))
	case 4:
		if v := s.present(); s.risky && v != "" {
			return fmt.Sprintf("%s + %s", v, v)
		}
	}
	return fmt.Sprintf("(%s + %s) mod (high + 1)", x, y)
}

// present returns a bound number that is never absent, so that what is made of it is not constant; "" if
// there is none.
func (s *scope) present() string {
	for _, name := range s.names(number) {
		if name == "x" || name == "y" {
			return name
		}
	}
	return ""
}

func (s *scope) boolean(depth int) string {
	if depth == 0 {
		return pick(s.generator, "true", "false", "flag", "mode = fast")
	}
	depth--
	switch s.IntN(8) {
	case 0:
		return "not " + parens(s.expr(boolean, depth))
	case 1:
		op := pick(s.generator, "and", "or", "=>")
		return fmt.Sprintf("(%s %s %s)", parens(s.expr(boolean, depth)), op, parens(s.expr(boolean, depth)))
	case 2:
		return fmt.Sprintf("%s in %s", parens(s.expr(number, depth)), parens(s.set(depth)))
	case 3:
		if colors := s.names(color); len(colors) > 0 {
			return fmt.Sprintf("%s = %s", s.expr(color, depth), pick(s.generator, colors...))
		}
	case 4:
		return pick(s.generator, "flag", "channel = fifo", "mode = red", "n = 2")
	}
	op := pick(s.generator, "=", "!=", "<", "<=", ">", ">=")
	return fmt.Sprintf("%s %s %s", parens(s.expr(number, depth)), op, parens(s.expr(number, depth)))
}

func parens(e string) string { return "(" + e + ")" }

func (s *scope) set(depth int) string {
	if depth > 0 && s.chance(2) {
		op := pick(s.generator, "union", "minus")
		return fmt.Sprintf("(%s %s {%d})", s.expr(set, depth-1), op, s.IntN(s.high+1))
	}
	elems := []string{"0", fmt.Sprint(s.high)}
	return "{" + strings.Join(elems[:1+s.IntN(2)], ", ") + "}"
}

func (s *scope) array(depth int) string {
	if arrays := s.names(array); len(arrays) > 0 && depth > 0 {
		return fmt.Sprintf("%s with [%d] = %s", arrays[0], s.IntN(2), parens(s.expr(number, depth-1)))
	}
	if s.collections && s.chance(2) {
		return fmt.Sprintf("{j in 0..1: (j + %s) mod (high + 1)}", s.expr(number, 0))
	}
	return fmt.Sprintf("all(%s)", s.expr(number, 0))
}

func (s *scope) port() string {
	targets := s.targets
	if s.link == "dir" {
		targets = []string{"left", "right"}
	}
	if s.outside {
		return s.ofP(targets[0])
	}
	return pick(s.generator, targets...)
}

// properties writes some properties. They need not hold.
func (g *generator) properties() {
	g.printf("define quiet = (sum p in node: size(inbox(p, %s))) = 0\n", g.source())
	g.printf("define there(p, v: 0..high) = p at %s and p.x = v\n", g.place())
	for _, kind := range syntax.Words(syntax.PropertyClause) {
		g.printf("%s %s = %s\n", kind, "is"+kind, g.property(2))
	}
}

func (g *generator) place() string { return pick(g, g.equations...).name }

func (g *generator) source() string {
	return g.ofP(g.inbox)
}

func (g *generator) property(depth int) string {
	if depth > 0 {
		x, y := g.property(depth-1), g.property(depth-1)
		switch g.IntN(5) {
		case 0:
			return "not " + parens(x)
		case 1:
			return fmt.Sprintf("(%s) and (%s)", x, y)
		case 2:
			return fmt.Sprintf("(%s) or (%s)", x, y)
		}
	}
	if p := g.variedProperty(); p != "" {
		return p
	}
	switch g.IntN(7) {
	case 0:
		return "quiet"
	case 1:
		return fmt.Sprintf("exists p in node: there(p, %d)", g.IntN(g.high+1))
	case 2:
		return fmt.Sprintf("(count p in node: p at %s) <= %d", g.place(), g.IntN(3))
	case 3:
		return fmt.Sprintf("forall p in node: p.%s", pick(g, "x = 0", "f", "c = green", "y < 1", "s = {0}",
			"d = "+g.portValue()))
	case 4:
		return fmt.Sprintf("forall p in node, m in inbox(p, %s): m is %s", g.source(), pick(g, g.messages...).name)
	case 5:
		return "exists p in node, q in node: p.x > q.y"
	}
	return fmt.Sprintf("forall p in node: p at %s => p.x != 0 or 0 in p.s", g.place())
}

func (g *generator) portValue() string {
	switch g.link {
	case "dir":
		return "left"
	case "node":
		return "0"
	}
	return "1"
}
