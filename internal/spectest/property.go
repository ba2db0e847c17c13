package spectest

import "fmt"

// properties writes some properties. They need not hold.
func (g *generator) properties() {
	g.printf("define quiet = (sum p in node: size(inbox(p, %s))) = 0\n", g.source())
	g.printf("define there(p, v: 0..high) = p at %s and p.x = v\n", g.place())
	for _, kind := range []string{"invariant", "terminal", "reachable", "recoverable"} {
		g.printf("%s %s = %s\n", kind, "is"+kind, g.property(2))
	}
}

func (g *generator) place() string { return pick(g, g.equations...).name }

func (g *generator) source() string {
	if g.complete() {
		return "(p + 1) mod n"
	}
	if g.ports {
		return "n - 1"
	}
	return "left"
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
		return fmt.Sprintf("forall p in node: p.%s", pick(g, "x = 0", "f", "c = green", "y < 1", "s = {0}", "d = "+g.portValue()))
	case 4:
		return fmt.Sprintf("forall p in node, m in inbox(p, %s): m is %s", g.source(), pick(g, g.messages...).name)
	case 5:
		return "exists p in node, q in node: p.x > q.y"
	}
	return fmt.Sprintf("forall p in node: p at %s => p.x != 0 or 0 in p.s", g.place())
}

func (g *generator) portValue() string {
	if g.complete() {
		return "0"
	}
	if g.ports {
		return "1"
	}
	return "left"
}
