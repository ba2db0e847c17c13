package spectest

import (
	"fmt"
	"strings"
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
	return fmt.Sprintf("all(%s)", s.expr(number, 0))
}

func (s *scope) port() string {
	switch {
	case s.ports:
		return pick(s.generator, "1", "n - 1")
	case !s.complete():
		return pick(s.generator, "left", "right")
	case len(s.bound) == 0: // in the process declaration
		return "(p + 1) mod n"
	}
	return "(me + 1) mod n"
}
