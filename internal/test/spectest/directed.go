package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Directed returns the text of a random spec in which processes name their neighbours by direction. In most specs
// directions can be exchanged: they are values, or each alternative that names some has its mirror image. About one in
// three has something that need not be so. The same numbers give the same text.
func Directed(seed, stream uint64) string {
	g := &directed{permutable: permutable{Rand: rand.New(rand.NewPCG(seed, stream))}}
	g.distinction = []string{"", "", "", "", "", "mirror", "order", "begin", "number"}[g.IntN(9)]
	g.head()
	g.begins()
	for _, name := range []string{"E", "L"}[:1+g.IntN(2)] {
		g.mirrored = g.mirrored || name == "L"
		g.equation(name)
	}
	for _, name := range []string{"L", "R"} {
		if g.mirrored && name == "R" {
			g.printf("%s", mirror(g.last))
		} else if !g.mirrored {
			g.printf("%s(%s) = stop\n", name, directedParameters)
		}
	}
	g.properties()
	return g.out.String()
}

// directed writes one spec.
type directed struct {
	permutable // for its choices and its text

	sides    bool   // whether the directions are left and right only
	mirrored bool   // whether L and R do something
	last     string // the text of the last equation
}

// directedParameters are those of all equations: s has the directions of the process, the others are random.
const directedParameters = "s, fuel, d, t, i, j, v"

// mirror returns a text with left and right exchanged, and what is named after them.
func mirror(text string) string {
	return strings.NewReplacer("left", "right", "right", "left", "L(", "R(", "R(", "L(", "at L", "at R", "at R", "at L",
		"rl", "rr", "rr", "rl", "M(i", "M(j", "M(j", "M(i",
		":= i", ":= j", ":= j", ":= i").Replace(text)
}

// head writes the declarations.
func (g *directed) head() {
	topology := g.oneOf("undirected ring of n", "undirected ring of n", "line of n", "line of n",
		"anonymous grid of 2 by 2", "anonymous grid of n by 2", "anonymous torus of n by 1",
		"anonymous torus of n by 2")
	n := 3
	switch {
	case strings.Contains(topology, "by 2"):
		n = 2 + g.IntN(10)/9
	case strings.Contains(topology, "ring"), strings.Contains(topology, "line"):
		n = 2 + g.IntN(3)
	}
	g.sides = !strings.HasPrefix(topology, "anonymous")
	g.register = g.chance(3)
	g.printf("protocol random\nparam n: 2..4 = %d\ntopology %s\n", n, topology)
	g.printf("channel %s%s%s\n", g.oneOf("unordered", "fifo", "lifo"), g.oneOf("", "", " of 1", " of 2"),
		g.oneOf("", "", "", "", ", lossy at most 1", ", duplicating at most 1", ", corrupting at most 1",
			", delay 0..1"))
	if g.chance(6) {
		g.printf("crash at most 1\n")
	}
	g.printf("var d, e, f: dir\nvar s, t: set of dir\nvar fuel, i, j, x: 0..1\nvar v, w: node\n")
	if g.register {
		g.printf("register rl, rr: 0..1 = %d\nregister rd: set of dir = {}\n", g.IntN(2))
		g.printf("ghost a: array 0..1 of set of dir = all({})\n")
	}
	g.printf("shared h: set of dir = {}\n")
	g.printf("message M(x: 0..1), D(d: dir, w: node), S(t: set of dir)\nevent e(w: node), done, turn(d: dir)\n")
}

// begins writes how the processes begin.
func (g *directed) begins() {
	i := "0"
	if g.distinction == "begin" {
		i = "if p = 0 then 1 else 0"
	}
	g.printf("process p = choose d in ports(p); E(ports(p), 1, d, {d}, %s, 0, p)\n", i)
}

// equation writes an equation.
func (g *directed) equation(name string) {
	var list []string
	for range 2 + g.IntN(3) {
		text := g.alternative()
		list = append(list, text)
		if image := mirror(text); name == "E" && image != text && (g.distinction != "mirror" || !g.chance(2)) {
			list = append(list, image)
		}
	}
	g.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	g.last = fmt.Sprintf("%s(%s) =\n    %s\n", name, directedParameters, strings.Join(list, "\n  | "))
	g.printf("%s", g.last)
}

// direction returns an expression for a direction.
func (g *directed) direction() string {
	switch {
	case g.distinction == "order" && g.chance(5):
		return g.oneOf("left", "right")
	case g.chance(4):
		return "opposite(d)"
	case g.chance(6):
		return "(if " + g.condition() + " then opposite(d) else d)"
	}
	return "d"
}

func (g *directed) directions() string {
	return g.oneOf("t", "s", "{"+g.direction()+"}", "(t union {"+g.direction()+"})", "(s minus {"+g.direction()+"})",
		"{f in dir where f != d}", "(h minus t)")
}

func (g *directed) condition() string {
	switch g.IntN(9) {
	case 0:
		return g.direction() + " in t"
	case 1:
		return "d = " + g.oneOf("opposite(d)", "d")
	case 2:
		return fmt.Sprintf("size(t) %s %d", g.oneOf("<=", "=", ">"), g.IntN(3))
	case 3:
		return "exists f in dir: f in t and f != d"
	case 4:
		return "(i = 1 or j = 1)"
	case 5:
		return "i + j = 1"
	case 6:
		if g.distinction == "order" {
			return g.oneOf("d = left", "left in t", "i > j", "h = {left}")
		}
	case 7:
		if g.register {
			return g.oneOf("rl = rr", "d in rd", "(rl = 1 or rr = 1)")
		}
	}
	return g.oneOf("i = j", "d in s", "h = {}")
}

// call returns a call, with fuel as given.
func (g *directed) call(fuel string) string {
	name := g.oneOf("E", "E", "L", "R")
	return fmt.Sprintf("%s(s, %s, %s, %s, i, j, v)", name, fuel, g.oneOf("d", "d", g.direction()),
		g.oneOf("t", "t", g.directions()))
}

func (g *directed) message() string {
	return g.oneOf("M(0)", "M(i)", "D("+g.direction()+", v)", "S("+g.directions()+")")
}

func (g *directed) alternative() string {
	switch g.IntN(12) {
	case 0, 1:
		return fmt.Sprintf("when fuel > 0: choose d in s; send d %s; %s", g.message(), g.call("0"))
	case 2:
		return fmt.Sprintf("when fuel > 0 and left in s: send left M(i); %s", g.call("0"))
	case 3:
		return "recv left M(i); " + g.call("fuel")
	case 4:
		return fmt.Sprintf("recv left M(_); %s; %s", g.oneOf("done", "e(v)", "skip"), g.call("fuel"))
	case 5, 6:
		return fmt.Sprintf("recv %s %s%s; %s", g.oneOf("d", "e", "_"),
			g.oneOf("M(_)", "D(d, v)", "D(_, w)", "S(t)", "S(_)"),
			g.oneOf("", "", " where "+g.condition()), g.call("fuel"))
	case 7:
		return fmt.Sprintf("recv e M(x); if opposite(e) in s then send opposite(e) M(x); %s else done; %s",
			g.call("fuel"), g.call("0"))
	case 8:
		if g.register {
			return fmt.Sprintf("when %s: %s; %s", g.condition(), g.oneOf("rl := i", "rr := 1", "rd := t",
				"a := a with [0] = t", "h := h union {d}"), g.call("0"))
		}
	case 9:
		switch g.distinction {
		case "order":
			return g.oneOf("skip; for d in s: done; ",
				"when left in s and right in s: send left M(0); send right M(0); ", "turn(d); ") + g.call("0")
		case "number":
			return fmt.Sprintf("when %s: done; %s", g.oneOf("v = 0", "v > 0"), g.call("0"))
		}
	case 10:
		return fmt.Sprintf("when %s and fuel > 0: %s d in %s; e(v); %s", g.condition(), g.oneOf("choose", "draw"),
			g.oneOf("s", "{left, right}"), g.call("0"))
	}
	return fmt.Sprintf("when %s: %s; %s", g.condition(), g.oneOf("done", "e(v)", "skip"), g.oneOf("stop", g.call("0")))
}

// properties writes some properties. They need not hold.
func (g *directed) properties() {
	all := []string{
		"(count p in node: p at L or p at R) <= 1", "forall p in node: p.i = p.j or not (p at E)",
		"exists p in node: (p at L and p.i = 1 or p at R and p.j = 1)", "exists p in node: p.d in p.t",
		"(sum p in node: p.i + p.j) <= 1", "exists p in node: p.v = (p - 1) mod n and p.i = 1",
		"size(h) <= 1", "exists p in node, q in node: p.v = q and p.d != q.d",
		"(count p in node, f in dir: f in p.t) <= 2", "forall p in node: p.fuel = 0",
		"forall p in node, f in dir: size(inbox(p, f)) <= 1",
		"exists p in node, f in dir, m in inbox(p, f): m is D and m.d = f",
		"exists p in node: p at L", "exists p in node: p.d = left and p at E", "forall p in node: p.i <= p.j",
	}
	if g.register {
		all = append(all, "forall p in node: p.rl = 1 or p.rr = 1 or not (p at E)", "exists p in node: p.rl < p.rr")
	}
	for i, kind := range []string{"invariant", "terminal", "reachable", "recoverable"} {
		g.printf("%s prop%d = %s\n", kind, i, g.oneOf(all...))
	}
	g.printf("ltl always_ = always (%s)\n", g.oneOf(all...))
	g.printf("ltl eventually_ = eventually (%s)\n", g.oneOf(all...))
}
