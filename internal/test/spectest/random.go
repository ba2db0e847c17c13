package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns the text of a random spec that passes the checker with no settings given: two or three
// processes in a ring or a complete graph, messages with fields of all types, draws and choices, conditions
// on constants, events, terminal states and cycles of internal steps.
//
// Most of the protocols have few states (hundreds to tens of thousands): a process sends no more messages
// than it has received and a small budget. About one in twenty can send without end, and about one in twenty
// has expressions that may leave their range.
func Random(r *rand.Rand) string {
	return (&generator{Rand: r, wild: r.IntN(20) == 0, risky: r.IntN(20) == 0}).spec()
}

// Varied returns the text of a random spec as Random does, with faults, time, registers, ghosts, loops, kinds of
// process, messages that are there from the beginning, and anonymous networks.
func Varied(r *rand.Rand) string {
	return (&generator{Rand: r, risky: r.IntN(20) == 0, varied: true}).spec()
}

// Any returns what Random or Varied does.
func Any(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return Varied(r)
	}
	return Random(r)
}

func (g *generator) spec() string {
	g.head()
	g.declarations()
	g.process()
	for i := range g.equations {
		g.equation(i)
	}
	g.junk()
	g.environment()
	g.properties()
	return g.out.String()
}

// A generator writes one spec.
type generator struct {
	*rand.Rand
	out         strings.Builder
	wild, risky bool
	varied      bool // see Varied
	features         // of a varied spec

	topology  string
	high      int // integers are 0..high
	vars      []variable
	messages  []message
	equations []equation
}

// A typ is the type of an expression.
type typ int

const (
	number typ = iota // 0..high
	boolean
	color
	set
	array
	port   // a direction, in a complete graph a process
	budget // how many messages more may be sent
)

type variable struct {
	name string
	typ  typ
}

type message struct {
	name   string
	fields []typ
}

type equation struct {
	name    string
	params  []variable
	receive bool // it may begin with a receive, a choice or stop
}

func (g *generator) printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) complete() bool { return g.topology == "complete graph" }

func (g *generator) head() {
	g.topology = pick(g, "directed ring", "directed ring", "undirected ring", "undirected ring", "complete graph")
	g.high = 1 + g.IntN(2)
	g.printf("protocol random\n")
	g.printf("param n: 2..3 = %d\n", pick(g, 2, 2, 3))
	g.printf("option flag: bool = %t\n", g.chance(2))
	g.printf("option mode: red | slow | fast = %s\n", pick(g, "red", "slow", "fast"))
	g.printf("const high = %d\n", g.high)
	g.printf("topology %s\n", g.network())
	g.printf("channel %s%s\n", pick(g, "unordered", "fifo", "unordered | fifo = unordered", "fifo | unordered = fifo"),
		g.clauses())
}

func (g *generator) declarations() {
	g.vars = []variable{
		{"x", number}, {"y", number}, {"z", number}, {"f", boolean}, {"c", color}, {"s", set}, {"a", array},
		{"d", port}, {"fuel", budget},
	}
	link := "dir"
	switch {
	case g.complete():
		link = "node"
	case g.ports:
		link = "1..n - 1"
	}
	g.printf("type Color = red | green\n")
	g.printf("var x, y: 0..high\nvar z: 0..high%s\nvar f: bool%s\nvar c: Color\n", g.condition(), g.condition())
	g.printf("var s: set of 0..high\nvar a: array 0..1 of 0..high\nvar d: %s\nvar me: node\nvar fuel: 0..2\n", link)
	for i := range 1 + g.IntN(3) {
		m := message{name: fmt.Sprintf("M%d", i)}
		var fields []string
		for j := range g.IntN(3) {
			t := pick(g, number, number, boolean, color, set)
			m.fields = append(m.fields, t)
			fields = append(fields, fmt.Sprintf("f%d: %s%s", j, g.typeName(t), g.condition()))
		}
		g.messages = append(g.messages, m)
		g.printf("message %s(%s)\n", m.name, strings.Join(fields, ", "))
	}
	g.lasting()
	g.printf("event ping\nevent pong(v: 0..high, w: bool)\n")
	g.printf("assign uid: %s\n", pick(g, "permutation of 0..n - 1", "0..1", "bool"))
	for i := range 2 + g.IntN(3) {
		g.equations = append(g.equations, g.signature(i))
	}
}

// condition returns a clause that makes some declarations absent.
func (g *generator) condition() string {
	if g.chance(6) {
		return " if " + pick(g, "flag", "not flag", "mode = red")
	}
	return ""
}

func (g *generator) typeName(t typ) string {
	return map[typ]string{number: "0..high", boolean: "bool", color: "Color", set: "set of 0..high"}[t]
}

func (g *generator) signature(i int) equation {
	e := equation{name: fmt.Sprintf("E%d", i), receive: g.chance(2)}
	g.Shuffle(len(g.vars), func(i, j int) { g.vars[i], g.vars[j] = g.vars[j], g.vars[i] })
	for _, v := range g.vars[:1+g.IntN(3)] {
		if v.typ != budget {
			e.params = append(e.params, v)
		}
	}
	if !g.chance(3) {
		e.params = append(e.params, variable{"fuel", budget})
	}
	if g.complete() {
		e.params = append(e.params, variable{"me", port})
	}
	return e
}

// process writes the process declaration. Values may come from the assignment and the process number.
func (g *generator) process() {
	s := &scope{generator: g, budget: -1}
	first, second := s.start(g.equations[0]), s.start(pick(g, g.equations...))
	if g.kinds(first, second) {
		return
	}
	switch g.IntN(4) {
	case 0:
		g.printf("process p = %s\n", first)
	case 1:
		g.printf("process p = if uid[p] = uid[0] then %s else %s\n", first, second)
	case 2:
		g.printf("process p = when p = 0: skip; %s | when p > 0: skip; %s\n", first, second)
	default:
		g.printf("process p = if p = 0 then %s else %s\n", first, second)
	}
}

// start returns a call from the process declaration.
func (s *scope) start(e equation) string {
	var args []string
	for _, p := range e.params {
		switch {
		case p.name == "me":
			args = append(args, "p")
		case p.typ == budget:
			args = append(args, pick(s.generator, "1", "1", "2", "if p = 0 then 1 else 0"))
		default:
			args = append(args, s.expr(p.typ, 1))
		}
	}
	return call(e.name, args)
}

func call(name string, args []string) string {
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
