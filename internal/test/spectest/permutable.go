package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Permutable returns the text of a random spec with numbers of processes in variables, sets, arrays, registers and
// messages, in a network with automorphisms. Most specs treat processes alike; about one in three has something that
// need not. The same numbers give the same text.
func Permutable(seed, stream uint64) string {
	g := &permutable{Rand: rand.New(rand.NewPCG(seed, stream))}
	g.orders = g.oneOf("v < me", "v <= me", "v mod 2 = 0", "v = x", "max(s union {me}) = me", "v + me > 2",
		"exists z in 0..n - 2: z in s", "(v + 1) mod n", "min(v, me)", "min(s union {v})")
	g.distinction = []string{"", "", "", "", "name", "name", "order", "begin", "loop", "distance"}[g.IntN(10)]
	g.head()
	for i := range g.equations {
		g.equation(i)
	}
	g.properties()
	return g.out.String()
}

// permutable writes one spec.
type permutable struct {
	*rand.Rand
	out strings.Builder
	// distinction is what may tell processes apart: a name of a process, their order, how they begin, a loop, or
	// distances, which rotations preserve; "" for nothing.
	distinction string
	orders      string // what depends on the order, if that is the distinction
	equations   int
	kinds       []string // the names of kinds of processes that are sets
	hub         bool
	numbered    bool // whether processes address one another by number
	array       bool // whether there is an array over processes
	register    bool
	shared      bool
	named       bool // whether messages name processes
	binders     int  // the number of names that were bound
}

func (g *permutable) printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

func (g *permutable) oneOf(list ...string) string { return list[g.IntN(len(list))] }

func (g *permutable) chance(n int) bool { return g.IntN(n) == 0 }

// parameters are those of all equations; names has their values where they do not change.
const parameters = "me, fuel, v, s, x"

// head writes the declarations.
func (g *permutable) head() {
	g.equations, g.numbered = 2+g.IntN(2), true
	g.array, g.register, g.named = g.chance(3), g.chance(3), !g.chance(4)
	g.shared = g.chance(4)
	n, process := 3, "process p = %s\n"
	topology := "complete graph of n"
	switch g.IntN(9) {
	case 0, 1:
		g.hub, g.kinds = true, []string{"leaf"}
		topology, process = "star of n", "process hub = %s\nprocess leaf[p in 1..n - 1] = %s\n"
	case 2:
		n = 4
		g.kinds = []string{"upper", "lower"}
		topology, process = "bipartite graph of 2 by 2",
			"process upper[p in 0..1] = %s\nprocess lower[p in 2..3] = %s\n"
	case 3:
		n = 3 + g.IntN(2)
		topology = "graph of n with p -> q if q = (p + 1) mod n"
	case 4:
		n = 4
		topology = "graph of n with p -> q if (p + q) mod 2 = 1"
	case 5:
		g.numbered = false
		topology = g.oneOf("directed ring of n", "undirected ring of n", "anonymous complete graph of n")
	case 6:
		n = 2
	case 7:
		g.kinds = []string{"upper", "lower"}
		process = "process upper[p in 0..1] = %s\nprocess lower[p in 2..n - 1] = %s\n"
	}
	g.printf("protocol random\nparam n: 2..4 = %d\ntopology %s\n", n, topology)
	g.printf("channel %s%s%s\n", g.oneOf("unordered", "fifo", "lifo"), g.oneOf("", "", " of 1", " of 2"),
		g.oneOf("", "", "", ", lossy at most 1",
			", duplicating at most 1", ", corrupting at most 1", ", lossy", ", delay 0..1"))
	if g.chance(5) {
		g.printf("crash at most 1 of p where %s%s\n", g.where(), g.oneOf("", " recover E0("+g.begin("p")+")"))
	}
	g.printf("var me, v, w: node\nvar q: %s\nvar s, t: set of node\nvar fuel, x: 0..1\n", g.address())
	if g.register {
		g.printf("register r: node = p\nregister h: set of node = %s\n", g.oneOf("{}", "{p}", "neighbours(p)"))
	}
	if g.shared {
		g.printf("shared sv: node\nshared sw: set of node = {}\nshared sx: array node of 0..1 = all(0)\n")
		g.printf("shared sy: 0..1 = 0\n")
	}
	if g.array {
		g.printf("ghost a: array node of 0..1 = all(%d)\nghost b: array 0..1 of node = all(p)\n", g.IntN(2))
	}
	if g.named {
		g.printf("message M(w: node, x: 0..1), S(t: set of node)\n")
	} else {
		g.printf("message M(x: 0..1), S\n")
	}
	g.printf("event e(w: node), done\n")
	g.begins(process)
}

// begins writes how processes begin.
func (g *permutable) begins(process string) {
	begins := make([]any, strings.Count(process, "%s"))
	for i := range begins {
		begins[i] = fmt.Sprintf("E%d(%s)", g.IntN(g.equations), g.begin("p"))
		if g.hub && i == 0 {
			begins[i] = fmt.Sprintf("E%d(%s)", g.IntN(g.equations), g.begin("hub"))
		}
	}
	g.printf(process, begins...)
}

// address is the type of what names a neighbour.
func (g *permutable) address() string {
	switch {
	case g.numbered:
		return "node"
	case strings.Contains(g.out.String(), "ring"):
		return "dir"
	}
	return "1..n - 1"
}

// where returns a condition on process p.
func (g *permutable) where() string {
	if len(g.kinds) > 0 && g.chance(2) {
		return "p in " + g.oneOf(g.kinds...)
	}
	if g.distinction == "name" {
		return g.oneOf("p > 0", "p = 1")
	}
	return "p >= 0"
}

// begin returns the first values of the parameters of process p.
func (g *permutable) begin(p string) string {
	x := "0"
	if g.distinction == "begin" && g.chance(2) {
		x = "if " + p + " = 0 then 1 else 0"
	}
	v := p
	if g.distinction == "begin" && g.chance(3) {
		v = "(" + p + " + 1) mod n"
	}
	s := g.oneOf("{}", "{"+p+"}", "neighbours("+p+")")
	return fmt.Sprintf("%s, %d, %s, %s, %s", p, g.IntN(2)|g.IntN(2), v, s, x)
}

// ordersNodes reports whether what depends on the order is a process.
func (g *permutable) ordersNodes() bool {
	return g.orders[0] == '(' || strings.HasPrefix(g.orders, "min")
}

// node returns an expression for a process; bound are the names that are bound, besides the parameters.
func (g *permutable) node(bound []string) string {
	names := append([]string{"me", "v", "v"}, bound...)
	switch {
	case g.distinction == "name" && g.chance(12):
		return g.oneOf("0", "1")
	case g.distinction == "order" && g.chance(6) && g.ordersNodes():
		return g.orders
	case g.distinction == "distance" && g.chance(4):
		return fmt.Sprintf("(%s %s) mod n", g.oneOf(names...), g.oneOf("+ 1", "- 1", "+ x"))
	case g.hub && g.chance(5):
		return "hub"
	case g.register && g.chance(4):
		return "r"
	case g.shared && g.chance(3):
		return "sv"
	case g.chance(6):
		return fmt.Sprintf("(if %s then %s else me)", g.boolean(bound, 0), g.oneOf(names...))
	}
	return g.oneOf(names...)
}

// binder returns a name that is not bound.
func (g *permutable) binder() string {
	g.binders++
	return fmt.Sprintf("z%d", g.binders)
}

func (g *permutable) set(bound []string) string {
	if g.shared && g.chance(5) {
		return g.oneOf("sw", "(sw minus {"+g.node(bound)+"})")
	}
	switch g.IntN(8) {
	case 0:
		return "{" + g.node(bound) + "}"
	case 1:
		return "s union {" + g.node(bound) + "}"
	case 2:
		return "s minus {" + g.node(bound) + "}"
	case 3:
		return "neighbours(" + g.node(bound) + ")"
	case 4:
		return fmt.Sprintf("{%s in node where %[1]s != %s}", g.binder(), g.node(bound))
	case 5:
		if len(g.kinds) > 0 {
			return g.oneOf(g.kinds...)
		}
	case 6:
		if g.distinction == "name" && g.chance(3) {
			return g.oneOf("{0}", "{0..1}")
		}
	}
	return "s"
}

func (g *permutable) boolean(bound []string, depth int) string {
	if depth > 0 && g.chance(3) {
		return fmt.Sprintf("(%s %s %s)", g.boolean(bound, depth-1), g.oneOf("and", "or"), g.boolean(bound, depth-1))
	}
	switch {
	case g.distinction == "order" && g.chance(3) && !g.ordersNodes():
		return strings.ReplaceAll(g.orders, "z", g.binder())
	case g.distinction == "name" && g.chance(10):
		return g.oneOf("me = 0", "v > 0", "v != 1")
	case g.distinction == "distance" && g.chance(4):
		return "(v - me) mod n = 1"
	}
	p := g.node(bound)
	if g.shared && g.chance(3) {
		return g.oneOf(p+" in sw", "sx["+p+"] = 1", "sy = 0", "size(sw) = 1", p+" = sv")
	}
	switch g.IntN(8) {
	case 0:
		return p + g.oneOf(" = ", " != ") + g.node(bound)
	case 1:
		return p + " in s"
	case 2:
		return "s" + g.oneOf(" = ", " != ") + "{" + p + "}"
	case 3:
		return fmt.Sprintf("size(s) %s %d", g.oneOf("<=", "=", ">"), g.IntN(3))
	case 4:
		return fmt.Sprintf("exists %s in s: %[1]s != %s", g.binder(), p)
	case 5:
		return fmt.Sprintf("(count %s in node: %[1]s in s and %[1]s != %s) = 1", g.binder(), p)
	case 6:
		if len(g.kinds) > 0 {
			return p + " in " + g.oneOf(g.kinds...)
		}
	}
	return "x = " + g.oneOf("0", "1")
}

// call returns a call of an equation, with fuel as given.
func (g *permutable) call(fuel string, bound []string) string {
	value := func(name, other string) string {
		if g.chance(2) {
			return other
		}
		return name
	}
	x := "x"
	if g.chance(3) {
		x = g.oneOf("0", "1", "1 - x", "if "+g.boolean(bound, 0)+" then 1 else 0")
	}
	return fmt.Sprintf("E%d(me, %s, %s, %s, %s)", g.IntN(g.equations), fuel, value("v", g.node(bound)),
		value("s", g.set(bound)), x)
}

// message returns a message to send.
func (g *permutable) message(bound []string) string {
	switch {
	case g.named && g.chance(2):
		return "S(" + g.set(bound) + ")"
	case g.named:
		return fmt.Sprintf("M(%s, %s)", g.node(bound), g.oneOf("x", "0"))
	}
	return g.oneOf("M(x)", "S")
}

// receipt returns the beginning of a receive, and the processes that it binds.
func (g *permutable) receipt() (text string, bound []string) {
	source := "q"
	if g.chance(4) {
		source = "_"
	} else if g.numbered {
		bound = append(bound, "q")
	}
	switch {
	case !g.named:
		text = g.oneOf("M(x)", "M(_)", "S")
	case g.chance(2):
		text = g.oneOf("S(s)", "S(_)", "S(t)")
	case g.chance(4):
		text = "M(me, _)"
	default:
		text = "M(w, " + g.oneOf("_", "x", "0") + ")"
		bound = append(bound, "w")
	}
	text = "recv " + source + " " + text
	if g.chance(3) {
		text += " where " + g.boolean(bound, 1)
	}
	switch {
	case g.shared && g.chance(3):
		text += " then " + g.write(bound)
	case g.register && g.chance(3):
		text += " then r := " + g.node(bound)
	}
	return text, bound
}

// write returns an assignment to a shared variable.
func (g *permutable) write(bound []string) string {
	p := g.node(bound)
	return g.oneOf("sv := "+p, "sv := "+p, "sw := sw union {"+p+"}", "sw := sw minus {"+p+"}",
		"sx := sx with ["+p+"] = 1 - sy", "sy := 1 - sy", "sy := 0")
}

// equation writes an equation.
func (g *permutable) equation(i int) {
	var alternatives []string
	for range 2 + g.IntN(3) {
		alternatives = append(alternatives, g.alternative())
	}
	g.printf("E%d(%s) =\n    %s\n", i, parameters, strings.Join(alternatives, "\n  | "))
}

func (g *permutable) alternative() string {
	if g.shared && g.chance(3) {
		return fmt.Sprintf("when %s: %s; %s", g.boolean(nil, 1), g.oneOf(g.write(nil), "let "+
			strings.Replace(g.write(nil), ":=", "=", 1)+"; done"), g.call("fuel", nil))
	}
	switch g.IntN(9) {
	case 0, 1, 2:
		return g.sending()
	case 3, 4, 5:
		receipt, bound := g.receipt()
		return receipt + "; " + g.call("fuel", bound)
	case 6:
		if g.register {
			return fmt.Sprintf("when %s: %s; %s", g.boolean(nil, 1),
				g.oneOf("r := "+g.node(nil), "h := "+g.set(nil), "let r = "+g.node(nil)+"; done"), g.call("fuel", nil))
		}
		if g.array {
			return fmt.Sprintf("%s; %s", g.oneOf("a := a with ["+g.node(nil)+"] = 1",
				"b := b with [x] = "+g.node(nil), "b := all(v)"), g.call("0", nil))
		}
	case 7:
		if g.register && g.numbered {
			return fmt.Sprintf("choose q in neighbours(me); if q.r = %s then done; %s else e(q); %s", g.node(nil),
				g.call("0", nil), g.call("fuel", []string{"q"}))
		}
		from := g.oneOf("neighbours(me)", "s union {me}", "0..n - 1")
		return g.oneOf("draw", "choose") + " w in " + from + "; e(w); " +
			g.call("fuel", []string{"w"})
	}
	return fmt.Sprintf("when %s: e(%s); %s", g.boolean(nil, 1), g.node(nil), g.oneOf("stop", g.call("fuel", nil)))
}

// sending returns a sequence that begins with sends.
func (g *permutable) sending() string {
	if !g.numbered {
		target := "1"
		if g.address() == "dir" {
			target = "right"
		}
		return fmt.Sprintf("when fuel > 0: send %s %s; %s", target, g.message(nil), g.call("0", nil))
	}
	bound := []string{"q"}
	if strings.Contains(g.out.String(), "(p + 1) mod n") { // links in one direction
		return fmt.Sprintf("when fuel > 0: choose q in {z in neighbours(me) where n = 2 or %s}; if %s "+
			"then send q %s; %s else skip; %s", g.oneOf("z != v", "z in s", "true"), "(q = v or x = 0) and q != me",
			g.message(bound), g.call("0", bound), g.call("0", bound))
	}
	if g.distinction == "loop" {
		domain := "neighbours(me)"
		if strings.Contains(g.out.String(), "complete") {
			domain = g.oneOf(domain, "node where q != me")
		}
		return fmt.Sprintf("when fuel > 0: done; for q in %s: send q %s; %s", domain, g.message(bound),
			g.call("0", nil))
	}
	return fmt.Sprintf("when fuel > 0: choose q in neighbours(me); send q %s; %s", g.message(bound), g.call("0", bound))
}

// properties writes some properties. They need not hold.
func (g *permutable) properties() {
	all := []string{
		"forall p in node: p at E0 or p.x = 1", "(count p in node: p at E1) <= 1",
		"exists p in node: p.v = p and p at E1", "forall p in node, q in node: p in q.s => p = q or p.v = q",
		"forall p in node: size(p.s) <= 1", "(sum p in node: p.x) <= 1",
		"forall p in node: (p + 1) mod n at E0 or p.v = p", "exists p in node: (p.v - p) mod n = 1 and p at E1",
	}
	if g.numbered {
		all = append(all, "forall p in node, q in neighbours(p): size(inbox(p, q)) <= 1",
			"exists p in node, q in neighbours(p), m in inbox(p, q): m is M and m.x = 1")
	}
	if g.named && g.numbered {
		all = append(all, "exists p in node, q in node, m in inbox(p, q): m is M and m.w = p")
	}
	if g.register {
		all = append(all, "forall p in node: p.r = p", "forall p in node: p in p.h")
	}
	if g.shared {
		all = append(all, "exists p in node: p = sv and p at E1", "size(sw) <= 1", "forall p in sw: sx[p] = sy",
			"sv in sw or sy = 0")
	}
	if g.hub {
		all = append(all, "hub at E0", "forall p in leaf: p.v != hub")
	}
	if g.chance(2) {
		all = append(all, "0 at E1", "forall p in node, q in node: p < q => p.x <= q.x", "exists p in 0..1: p at E1",
			"1 in 0.s")
	}
	for _, kind := range g.kinds {
		if g.chance(3) {
			all = append(all, fmt.Sprintf("forall p in %s, q in %s: p < q => p.x <= q.x", kind, kind),
				fmt.Sprintf("exists p in %s: (p + 1) mod 2 = 0 and p at E1", kind))
		}
	}
	for i, kind := range []string{"invariant", "terminal", "reachable", "recoverable"} {
		g.printf("%s prop%d = %s\n", kind, i, g.oneOf(all...))
	}
	g.printf("ltl always_ = always (%s)\n", g.oneOf(all...))
	g.printf("ltl eventually_ = eventually (%s)\n", g.oneOf(all...))
}
