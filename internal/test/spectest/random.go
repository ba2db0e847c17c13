package spectest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Random returns the text of a random spec that passes the checker with no settings given: two or three
// processes in a ring or a complete graph, messages with fields of all types, draws and choices, conditions
// on constants, events, terminal states and cycles of internal steps.
//
// Most of the protocols have few states (hundreds to tens of thousands): a process sends no more messages
// than it has received and a small budget. About one in twenty can send without end, and about one in twenty
// has expressions that may leave their range.
//
// The same numbers give the same text.
func Random(seed, stream uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, stream))}
	g.wild, g.risky = g.chance(20), g.chance(20)
	g.draft()
	return g.spec()
}

func (g *generator) spec() string {
	g.head()
	g.declarations()
	g.process()
	for i := range g.equations {
		g.equation(i)
	}
	g.callees()
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
	plan
	pending []*feature // which are to be written

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

func (g *generator) head() {
	g.high = 1 + g.IntN(2)
	g.printf("protocol random\n")
	n := pick(g, 2, 2, 3)
	if g.once(2) { // the features make it large enough
		n = 2
	}
	g.printf("param n: 2..3 = %d\n", n)
	g.printf("option flag: bool = %t\n", g.chance(2))
	g.printf("option mode: red | slow | fast = %s\n", pick(g, "red", "slow", "fast"))
	g.printf("const high = %d\n", g.high)
	g.printf("topology %s\nchannel %s%s\n", g.topology, g.channel, g.faults())
}

func (g *generator) declarations() {
	g.vars = []variable{
		{"x", number}, {"y", number}, {"z", number}, {"f", boolean}, {"c", color}, {"s", set}, {"a", array},
		{"d", port}, {"fuel", budget},
	}
	g.printf("type Color = red | green\n")
	g.printf("var x, y: 0..high\nvar z: 0..high%s\nvar f: bool%s\nvar c: Color\n", g.condition(), g.condition())
	g.printf("var s: set of 0..high\nvar a: array 0..1 of 0..high\nvar d: %s\nvar fuel: 0..2\n", g.link)
	if g.own != "" {
		g.printf("var %s: %s\n", g.own, g.link)
	}
	for i := range 1 + g.IntN(3) {
		m := message{name: fmt.Sprintf("M%d", i)}
		var fields []string
		for j := range g.IntN(3) {
			if g.varied && i == 0 {
				break
			}
			t := pick(g, number, number, boolean, color, set)
			m.fields = append(m.fields, t)
			fields = append(fields, fmt.Sprintf("f%d: %s%s", j, g.typeName(t), g.condition()))
		}
		if g.varied && i == 0 { // the features have one message
			m.fields, fields = []typ{number}, []string{"f0: 0..high"}
		}
		g.messages = append(g.messages, m)
		g.printf("message %s(%s)\n", m.name, strings.Join(fields, ", "))
	}
	g.lasting()
	g.printf("event ping\nevent pong(v: 0..high, w: bool)\n")
	g.printf("assign uid: %s\n", pick(g, "permutation of 0..n - 1", "0..1", "bool"))
	most := 3
	if g.varied { // the features are enough
		most = 2
	}
	for i := range 2 + g.IntN(most) {
		g.equations = append(g.equations, g.signature(i, most))
	}
}

// condition returns a clause that makes some declarations absent.
func (g *generator) condition() string {
	if g.absent || g.chance(6) {
		return " if " + pick(g, "flag", "not flag", "mode = red")
	}
	return ""
}

func (g *generator) typeName(t typ) string {
	return map[typ]string{number: "0..high", boolean: "bool", color: "Color", set: "set of 0..high"}[t]
}

func (g *generator) signature(i, most int) equation {
	e := equation{name: fmt.Sprintf("E%d", i), receive: g.chance(2)}
	g.Shuffle(len(g.vars), func(i, j int) { g.vars[i], g.vars[j] = g.vars[j], g.vars[i] })
	for _, v := range g.vars[:1+g.IntN(most)] {
		if v.typ != budget {
			e.params = append(e.params, v)
		}
	}
	if !g.chance(3) {
		e.params = append(e.params, variable{"fuel", budget})
	}
	if g.own != "" {
		e.params = append(e.params, variable{g.own, port})
	}
	return e
}

// word is the name of the process in its declaration.
var word = regexp.MustCompile(`\bp\b`)

// process writes the process declaration. Values may come from the assignment and the process number.
func (g *generator) process() {
	s := &scope{generator: g, budget: -1, outside: true}
	first, second := s.start(g.equations[0]), s.start(g.equations[len(g.equations)-1])
	begin := strings.Replace(g.begin, "NEXT", second, 1)
	choice := g.IntN(4)
	switch {
	case begin == "when" || begin == "" && g.species == "" && choice == 2:
		g.printf("process p = when p = 0: skip; %s | when p > 0: skip; %s\n", first, second)
	case g.species != "":
		first = begin + first
		others := "other"
		if g.species == "hub" { // its declaration has no other name for the process
			first, others = word.ReplaceAllString(first, "hub"), "rest"
		}
		g.printf("process %s = %s\nprocess %s[p in 1..n - 1] = %s%s\n", g.species, first, others, begin, second)
	case choice == 0 || begin != "" && choice == 1:
		g.printf("process p = %s%s\n", begin, first)
	case choice == 1:
		g.printf("process p = %sif uid[p] = uid[0] then %s else %s\n", begin, first, second)
	default:
		g.printf("process p = %sif p = 0 then %s else %s\n", begin, first, second)
	}
}

// start returns a call from the process declaration.
func (s *scope) start(e equation) string {
	var args []string
	for _, p := range e.params {
		switch {
		case p.name == s.own:
			args = append(args, s.network.begin)
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
