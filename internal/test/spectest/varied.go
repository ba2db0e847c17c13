package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// features says what a varied spec has beside what every random spec has.
type features struct {
	ports                       bool // neighbours are named by port
	register, ghost, timer      bool
	crash                       bool
	loops, ignores, collections bool
}

// once says whether a varied spec has something that one in n has.
func (g *generator) once(n int) bool { return g.varied && g.chance(n) }

// network returns the text of the topology and settles what a varied spec has.
func (g *generator) network() string {
	g.register, g.ghost, g.timer, g.crash = g.once(4), g.once(4), g.once(5), g.once(4)
	g.loops, g.ignores, g.collections = g.once(3), g.once(3), g.once(2)
	switch {
	case g.topology == "undirected ring" && g.once(3):
		return "anonymous torus of n by 1"
	case g.topology == "complete graph" && g.once(2):
		g.topology, g.ports = "anonymous complete graph", true
	}
	return g.topology + " of n"
}

// clauses returns what can go wrong with a channel, and how long messages take.
func (g *generator) clauses() string {
	s := ""
	if g.once(5) {
		s += pick(g, ", lossy", ", lossy at most 1", ", duplicating at most 1",
			", lossy at most 1, duplicating at most 1")
	}
	if g.once(5) {
		s += pick(g, ", delay 0..1", ", delay 1..1", ", delay 1..2", ", delay 0..1, racing")
	}
	return s
}

// lasting declares registers, ghosts and timers, and the variable of loops.
func (g *generator) lasting() {
	if g.register {
		g.printf("register r: 0..high%s\n", pick(g, "", " = 0", " = if p = 0 then high else 0"))
	}
	if g.ghost {
		g.printf("ghost g: 0..high = 0\n")
	}
	if g.timer {
		g.printf("timer t: 0..2%s\n", pick(g, "", " = 1"))
	}
	if g.loops {
		g.printf("var i: 0..high\n")
	}
}

// kinds writes two kinds of process, and reports whether the spec has them.
func (g *generator) kinds(first, second string) bool {
	if !g.once(4) {
		return false
	}
	g.printf("process zero[p in 0..0] = %s\nprocess other[p in 1..n - 1] = %s\n", first, second)
	return true
}

// environment writes what can happen to processes, and what is in channels to begin with.
func (g *generator) environment() {
	s := &scope{generator: g, budget: -1}
	if g.once(4) {
		m := pick(g, g.messages...)
		var args []string
		for _, f := range m.fields {
			args = append(args, s.expr(f, 0))
		}
		g.printf("initially %s in inbox(p, %s) for p in node where p > 0\n", call(m.name, args), g.source())
	}
	if !g.crash {
		return
	}
	g.printf("crash at most %d of p%s", g.IntN(2), pick(g, "", " where p = 0"))
	if g.chance(2) {
		g.printf(" recover %s", s.start(pick(g, g.equations...)))
	}
	g.printf("\n")
}

// variedExpr returns an expression that only a varied spec has, "" for none.
func (s *scope) variedExpr(t typ, depth int) string {
	process := len(s.bound) > 0 // rather than a declaration
	switch {
	case !s.varied || !s.chance(4):
	case t == number && s.register && process && s.chance(2):
		return s.neighbour() + "r"
	case t == number && s.collections && depth > 0:
		return fmt.Sprintf("%s({high} union %s)", pick(s.generator, "min", "max"), s.expr(set, depth-1))
	case t == boolean && s.timer && process:
		return "t = 0"
	case t == boolean && s.collections && depth > 0:
		return fmt.Sprintf("(%s w%d in 0..high: w%d in %s)", pick(s.generator, "forall", "exists"), depth, depth,
			parens(s.expr(set, depth-1)))
	case t == set && s.collections && depth > 0:
		return fmt.Sprintf("{w%d in {%d..high} where w%d != %s}", depth, s.IntN(2), depth,
			parens(s.expr(number, depth-1)))
	}
	return ""
}

// neighbour returns the beginning of a register's name: the own one, or that of a neighbour.
func (s *scope) neighbour() string {
	switch {
	case s.chance(2):
		return ""
	case s.ports:
		return "1."
	case s.complete():
		return "((me + 1) mod n)."
	}
	return "left."
}

// variedTerm returns a sequence that only a varied spec has, "" for none.
func (s *scope) variedTerm(depth int) string {
	if !s.varied || !s.chance(4) {
		return ""
	}
	behind := s.fall()
	switch {
	case s.register && s.chance(2):
		return fmt.Sprintf("r := %s; %s", s.expr(number, 1), behind.term(depth-1))
	case s.ghost && s.chance(2):
		return fmt.Sprintf("let g = (g + %s) mod (high + 1); %s", s.expr(number, 0), s.term(depth-1))
	case s.timer && s.chance(2):
		return fmt.Sprintf("let t = %d; %s", s.IntN(3), s.term(depth-1))
	case s.crash && s.chance(3):
		return fmt.Sprintf("draw f with 1/3; if f then crash else %s; %s", s.event(), s.fall().end())
	case s.collections && s.chance(2):
		from := pick(s.generator, "s in subsets({0..high}, 1)", "a")
		t := s.with(variable{from[:1], map[string]typ{"s": set, "a": array}[from[:1]]})
		return fmt.Sprintf("draw %s; %s; %s", from, t.event(), t.fall().term(depth-1))
	case s.loops && !s.drawn:
		where := pick(s.generator, "", " where "+s.expr(boolean, 1))
		body := pick(s.generator, "pong(i, true)", "skip", "(skip; ping)", "(ping | pong(i, false); skip)")
		return fmt.Sprintf("for i in %s%s: %s; %s", pick(s.generator, "0..high", "{0, high}", parens(s.expr(set, 1))),
			where, body, s.event()+"; "+behind.term(depth-1))
	}
	return ""
}

// self returns what an equation calls the process by.
func (s *scope) self() string {
	if s.once(2) {
		return "self"
	}
	return "me"
}

// stored returns what a receive sets in the same step, "" for nothing.
func (s *scope) stored() string {
	switch {
	case s.ghost && s.chance(3):
		return fmt.Sprintf(" then g := (g + %s) mod (high + 1)", s.expr(number, 1))
	case s.register && s.chance(3):
		return fmt.Sprintf(" then r := %s", s.expr(number, 1))
	}
	return ""
}

// ignored returns an alternative that discards messages, if there is to be one.
func (s *scope) ignored() []string {
	if !s.ignores || s.drawn || len(s.bound) == 0 || !s.chance(3) {
		return nil
	}
	return []string{pick(s.generator, "ignore "+pick(s.generator, s.messages...).name, "Junk")}
}

// junk writes the equation that an alternative can be in the place of what it ignores.
func (g *generator) junk() {
	if g.ignores {
		g.printf("Junk = ignore %s\n", g.messages[0].name)
	}
}

// variedProperty returns a property that only a varied spec has, "" for none.
func (g *generator) variedProperty() string {
	switch {
	case !g.varied || !g.chance(3):
	case g.chance(3):
		return "exists p in node, q in node: p != q and uid[p] = uid[q]"
	case g.register && g.chance(2):
		return "forall p in node: p.r = 0"
	case g.ghost && g.chance(2):
		return "exists p in node: p.g > 0"
	case g.crash:
		return "exists p in node: p crashed"
	}
	return ""
}

// Faulty returns a small random spec of two processes in which there is often nothing left to do but for the
// environment: messages are lost and duplicated, processes crash and recover.
func Faulty(r *rand.Rand) string {
	some := func(from ...string) string { return from[r.IntN(len(from))] }
	var body func(depth int) string
	body = func(depth int) string {
		if depth == 0 || r.IntN(4) == 0 {
			return some("stop", "stop", "stop", "A", "B", "crash")
		}
		action := some("e0", "e1", "send right M", "recv left M", "recv left M")
		switch r.IntN(6) {
		case 0:
			return "(" + action + "; " + body(depth-1) + " | " + action + "; stop)"
		case 1:
			return "draw b; if b then e0; " + body(depth-1) + " else e1; " + body(depth-1)
		}
		return action + "; " + body(depth-1)
	}
	var b strings.Builder
	b.WriteString("protocol faulty\ntopology undirected ring of 2\n")
	fmt.Fprintf(&b, "channel %s%s\n", some("fifo", "unordered"), some("", "", ", lossy", ", lossy at most 1",
		", lossy, duplicating at most 1", ", duplicating at most 1"))
	fmt.Fprintf(&b, "crash at most %d of p%s%s\n", r.IntN(3), some("", " where p = 0", " where p = 1"),
		some("", " recover A", " recover B", " recover Back"))
	b.WriteString("var b: bool\nmessage M\nevent e0\nevent e1\nevent back\nprocess p = if p = 0 then A else B\n")
	fmt.Fprintf(&b, "A = skip; %s\nB = skip; %s\nBack = back; stop\n", body(1+r.IntN(3)), body(1+r.IntN(3)))
	return b.String()
}
