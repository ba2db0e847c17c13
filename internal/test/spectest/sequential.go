package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sequential returns the text of a random spec of processes that permutations can exchange, with long sequences of
// internal actions of one process, many of which are confluent. Few of them form cycles. It is the same for the same
// arguments.
func Sequential(seed, stream uint64) string {
	g := &sequential{permutable: permutable{Rand: rand.New(rand.NewPCG(seed, stream))}}
	g.head()
	for i := range g.equations {
		term := g.term(i+1, 2, bindings{})
		if i == 0 && g.chance(6) { // the order of two messages matters
			term = "send q K(0); send q K(1); recv q K(y); " + g.term(i+1, 1, bindings{y: true})
		}
		if g.chance(40) {
			term = fmt.Sprintf("skip; C%d(%s)\nC%d(%s) = skip; P%d(%s)", i, g.arguments(), i, g.arguments(), i,
				g.arguments())
		}
		g.printf("P%d(%s) = %s\n", i, g.arguments(), term)
	}
	g.printf("L(%s) = done; R(%[1]s) | recv q N; L(%[1]s)\nR(%[1]s) = e(w); L(%[1]s)\n", g.arguments())
	g.properties()
	return g.out.String()
}

// sequential writes one spec. An equation calls only later ones; L, the last one, repeats events for ever.
type sequential struct {
	permutable // for its choices and its text
	sides      bool
}

// arguments returns the parameters of all equations: the process, a neighbour, a process, and a number.
func (g *sequential) arguments() string { return "me, q, w, x" }

func (g *sequential) head() {
	g.equations = 2 + g.IntN(2)
	n, begin := 3, "choose q in neighbours(p); skip; P0(p, q, p, 0)"
	topology := g.oneOf("complete graph of n", "complete graph of n", "star of n", "bipartite graph of 2 by 2",
		"undirected ring of n", "line of n", "anonymous complete graph of n")
	switch {
	case strings.HasPrefix(topology, "bipartite"):
		n = 4
	case strings.HasPrefix(topology, "undirected"):
		g.sides, begin = true, "choose q in {left, right}; skip; P0(p, q, p, 0)"
	case strings.HasPrefix(topology, "line"):
		n, g.sides, begin = 2+g.IntN(2), true, "choose q in ports(p); skip; P0(p, q, p, 0)"
	case strings.HasPrefix(topology, "anonymous"):
		begin = "choose q in ports(p); skip; P0(p, q, p, 0)"
	case g.chance(3):
		n = 2
	}
	kind := "node"
	switch {
	case g.sides:
		kind = "dir"
	case strings.HasPrefix(topology, "anonymous"):
		kind = "1..n - 1"
	}
	g.printf("protocol sequential\nparam n: 2..4 = %d\ntopology %s\nchannel %s\n", n, topology,
		g.oneOf("unordered", "unordered", "fifo", "lifo"))
	g.printf("var me, w, v: node\nvar q: %s\nvar x, y: 0..1\nmessage M(w: node), N, K(x: 0..1)\n", kind)
	g.printf("event e(w: node), done\nprocess p = %s\n", begin)
}

// The bindings are what is bound besides the parameters: a process v, and a number y.
type bindings struct{ v, y bool }

// process returns a process that is bound.
func (g *sequential) process(in bindings) string {
	if in.v && g.chance(2) {
		return "v"
	}
	return g.oneOf("w", "me")
}

// number returns a number that is bound.
func (g *sequential) number(in bindings) string {
	if in.y && g.chance(2) {
		return "y"
	}
	return g.oneOf("x", "0", "1 - x")
}

// term returns a term that calls equations from a number on.
func (g *sequential) term(from, depth int, in bindings) string {
	var text strings.Builder
	for range g.IntN(4) {
		text.WriteString(g.action(&in) + "; ")
	}
	if depth == 0 || g.chance(4) {
		if from < g.equations {
			q := "q"
			if g.sides && g.chance(2) && !strings.Contains(g.out.String(), "line") {
				q = "opposite(q)"
			}
			return text.String() + fmt.Sprintf("P%d(me, %s, %s, %s)", from, q, g.process(in), g.number(in))
		}
		return text.String() + g.oneOf("stop", "stop", "stop", "L("+g.arguments()+")")
	}
	if g.chance(3) {
		condition := g.oneOf(g.process(in)+" = me", g.number(in)+" = 0")
		return fmt.Sprintf("%sif %s then (%s) else %s", text.String(), condition, g.term(from, depth-1, in),
			g.term(from, depth-1, in))
	}
	var list []string
	for range 1 + g.IntN(3) {
		guard, inside := g.guard(in)
		list = append(list, guard+"; "+g.term(from, depth-1, inside))
	}
	if len(list) == 1 {
		return text.String() + list[0]
	}
	return text.String() + "(" + strings.Join(list, " | ") + ")"
}

// action returns an action in a sequence.
func (g *sequential) action(in *bindings) string {
	switch g.IntN(9) {
	case 0, 1:
		return "skip"
	case 2:
		return g.oneOf("e("+g.process(*in)+")", "done")
	case 3:
		if !in.y && g.chance(2) {
			in.y = true
			return g.oneOf("draw", "choose") + " y in 0..1; skip"
		}
		if !in.v {
			in.v = true
			return "draw v in 0..n - 1; skip"
		}
	}
	return "send q " + g.oneOf("M("+g.process(*in)+")", "N", "N", "K("+g.number(*in)+")")
}

// guard returns the first action of an alternative, and what is bound after it.
func (g *sequential) guard(in bindings) (text string, inside bindings) {
	if g.chance(4) {
		return g.oneOf("skip", "done", "e(me)", "send q N"), in
	}
	text = "recv " + g.oneOf("q", "_")
	switch g.IntN(7) {
	case 0, 1:
		return text + " N", in
	case 2:
		return text + g.oneOf(" M(_)", " M(w)", " K(_)", " K(x)"), in
	case 3, 4:
		return text + " K(y)", bindings{in.v, true}
	}
	return text + " M(v)", bindings{true, in.y}
}

// properties writes some properties. They need not hold.
func (g *sequential) properties() {
	last := fmt.Sprintf("P%d", g.equations-1)
	for i, kind := range []string{"invariant", "invariant", "terminal", "reachable", "recoverable"} {
		g.printf("%s prop%d = %s\n", kind, i, g.oneOf("(count p in node: p at "+last+") <= 1",
			"forall p in node: not p at "+last, "exists p in node: p at "+last+" and p.w = p",
			"forall p in node: p at P1 => p.x = 0", "exists p in node: p at P0", "exists p in node: p.w != p"))
	}
	for i := range 3 {
		g.printf("ltl run%d = %s\n", i, g.oneOf("eventually done happens", "always (done happens => eventually "+
			"done happens)", "forall p in node: always (p at P1 => eventually p at "+last+")",
			"always not done happens", "forall p in node: eventually e happens at p",
			"(exists p in node: p at P1) leads to done happens", "not always eventually e happens",
			"forall p in node: eventually always not p at L"))
	}
}
