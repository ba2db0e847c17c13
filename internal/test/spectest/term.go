package spectest

import (
	"fmt"
	"slices"
	"strings"
)

// A scope is what is known at a place of an equation.
type scope struct {
	*generator
	equation int  // the number of the equation
	outside  bool // in a declaration rather than in an equation
	bound    []variable
	credit   int  // messages received and not sent on
	spent    int  // messages sent from the budget
	budget   int  // -1 if there is none to spend from
	acted    bool // an action comes before: a call is guarded
	drawn    bool // a draw comes right before
}

// with returns s with one more variable bound.
func (s *scope) with(v variable) *scope {
	t := *s
	t.bound = slices.DeleteFunc(slices.Clone(s.bound), func(w variable) bool { return w.name == v.name })
	t.bound = append(t.bound, v)
	return &t
}

// equation writes an equation.
func (g *generator) equation(i int) {
	e := g.equations[i]
	s := &scope{generator: g, equation: i, bound: e.params, budget: -1}
	var params []string
	for _, p := range e.params {
		params = append(params, p.name)
		if p.typ == budget {
			s.budget = 0
		}
	}
	g.printf("%s =\n    ", call(e.name, params))
	switch {
	case len(g.pending) > 0: // first the features, so that the process comes to them
		g.printf("%s; %s\n", s.event(), s.fall().term(2))
		return
	case !e.receive:
		s.drawn = true // as if a draw came before: it begins with something definite
		g.printf("%s\n", s.term(3))
		return
	}
	g.printf("%s\n", s.choice(3))
}

// choice returns one to three summands.
func (s *scope) choice(depth int) string {
	summands := make([]string, 1+s.IntN(3))
	for i := range summands {
		guard := ""
		if s.chance(3) {
			guard = "when " + s.expr(boolean, 2) + ": "
		}
		summands[i] = guard + s.term(depth)
	}
	if !s.drawn && s.chance(6) { // one transition of two choices
		same := "skip; " + s.fall().end()
		summands = append(summands, fmt.Sprintf("draw f with 1/3; if f then ping; %s else %s", s.fall().end(), same),
			same)
	}
	summands = append(summands, s.ignored()...)
	return strings.Join(summands, "\n  | ")
}

// term returns a sequence.
func (s *scope) term(depth int) string {
	if f := s.feature(depth); f != nil {
		return f.write(s, depth)
	}
	if depth <= 0 {
		return s.end()
	}
	switch s.IntN(9) {
	case 0:
		v := pick(s.generator, s.plain()...)
		return fmt.Sprintf("let %s = %s; %s", v.name, s.expr(v.typ, 2), s.with(v).term(depth-1))
	case 1:
		if !s.drawn && s.chance(3) {
			return fmt.Sprintf("if %s then stop else %s", s.expr(boolean, 2), s.term(depth-1))
		}
		return fmt.Sprintf("if %s then %s else %s", s.expr(boolean, 2), s.term(depth-1), s.term(depth-1))
	case 2:
		return s.draw(depth)
	case 3:
		if s.acted && !s.drawn {
			return "(" + s.choice(depth-1) + ")"
		}
	case 4:
		if s.acted {
			return s.end()
		}
	}
	return s.action(depth)
}

// plain returns the variables that a term may bind to a value of its own.
func (s *scope) plain() []variable {
	return slices.DeleteFunc(slices.Clone(s.vars), func(v variable) bool { return v.typ == budget })
}

func (s *scope) draw(depth int) string {
	small := slices.DeleteFunc(s.plain(), func(v variable) bool {
		return v.typ == array || v.typ == set ||
			v.typ == port
	})
	v := pick(s.generator, small...)
	t := s.with(v)
	word := "draw"
	if !s.drawn && s.chance(4) {
		word = "choose"
	} else {
		t.drawn = true
	}
	from := ""
	switch {
	case word == "draw" && v.typ == boolean && s.chance(2):
		from = pick(s.generator, " with 1/3", " with 3/4", " with 1")
	case v.typ != number:
	case word == "draw" && s.chance(3):
		from = " in {0: 1/4, 1: 3/4}"
	case s.chance(3):
		from = " in {0, high}"
	case s.chance(3):
		from = " in 0..high"
	case s.chance(3):
		from = " in {0} union " + s.expr(set, 0)
	}
	return fmt.Sprintf("%s %s%s; %s", word, v.name, from, t.term(depth-1))
}

// action returns a sequence that begins with an action.
func (s *scope) action(depth int) string {
	t := *s
	t.acted, t.drawn = true, false
	choice := s.IntN(6)
	switch {
	case choice < 3 && !s.drawn:
		return s.receive(depth)
	case choice == 3:
		return "skip; " + t.term(depth-1)
	case choice == 4:
		return s.event() + "; " + t.term(depth-1)
	case s.credit > 0:
		t.credit--
		return s.send() + "; " + t.term(depth-1)
	case s.wild:
		return s.send() + "; " + t.term(depth-1)
	case s.budget >= 0:
		t.spent++
		return fmt.Sprintf("if fuel > %d then %s; %s else %s; %s", s.spent, s.send(), t.term(depth-1), s.event(),
			s.fall().end())
	}
	return "skip; " + t.term(depth-1)
}

// fall returns s after an action without effect.
func (s *scope) fall() *scope {
	t := *s
	t.acted, t.drawn = true, false
	return &t
}

func (s *scope) event() string {
	if s.chance(2) {
		return "ping"
	}
	return fmt.Sprintf("pong(%s, %s)", s.expr(number, 1), s.expr(boolean, 1))
}

func (s *scope) send() string {
	m := pick(s.generator, s.messages...)
	var args []string
	for _, f := range m.fields {
		args = append(args, s.expr(f, 2))
	}
	targets := s.targets
	if s.ring() {
		targets = append(s.names(port), targets...)
	}
	return fmt.Sprintf("send %s %s", pick(s.generator, targets...), call(m.name, args))
}

func (s *scope) receive(depth int) string {
	m := pick(s.generator, s.messages...)
	t := *s
	t.acted, t.drawn = true, false
	t.credit++
	next := &t
	fresh := map[string]bool{}
	var patterns []string
	for _, f := range m.fields {
		p := s.pattern(f, fresh)
		patterns = append(patterns, p)
		if fresh[p] {
			next = next.with(variable{p, f})
		}
	}
	source := pick(s.generator, s.sources...)
	where := ""
	if s.chance(4) {
		where = " where " + next.expr(boolean, 2)
	}
	where += next.stored()
	return fmt.Sprintf("recv %s %s%s; %s", source, call(m.name, patterns), where, next.term(depth-1))
}

// pattern returns what a received field has to be; a variable that it binds is noted in fresh.
func (s *scope) pattern(t typ, fresh map[string]bool) string {
	if s.chance(4) {
		return "_"
	}
	for _, v := range s.vars {
		bound := slices.ContainsFunc(s.bound, func(w variable) bool { return w.name == v.name })
		if v.typ == t && !bound && !fresh[v.name] {
			fresh[v.name] = true
			return v.name
		}
	}
	return s.expr(t, 1)
}

// end returns the end of a sequence: stop or a call.
func (s *scope) end() string {
	if !s.acted {
		if s.drawn || s.equation == len(s.equations)-1 || s.chance(2) {
			return s.event() + "; " + s.fall().end()
		}
		return s.call(s.equations[s.equation+1]) // calls without an action go forward
	}
	if s.chance(8) && !s.drawn {
		return "stop"
	}
	if s.crash != "" && s.chance(8) {
		return "crash"
	}
	equations := s.equations
	if s.varied && s.equation > 0 { // the features are not repeated
		equations = equations[1:]
	}
	if e := pick(s.generator, equations...); !s.drawn || !e.receive {
		return s.call(e)
	}
	return "skip; " + s.fall().end()
}

func (s *scope) call(e equation) string {
	var args []string
	for _, p := range e.params {
		switch {
		case p.name == s.own:
			args = append(args, s.own)
		case p.typ != budget:
			args = append(args, s.expr(p.typ, 2))
		case s.budget < 0:
			args = append(args, "0")
		case s.spent > 0:
			args = append(args, fmt.Sprintf("fuel - %d", s.spent))
		default:
			args = append(args, "fuel")
		}
	}
	return call(e.name, args)
}
