package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Owned returns two random specs of one hub and one or two other processes, with channels of a small capacity. In the
// first one the hub has the register r and the ghost g, and the others have the register w. In the second one all
// processes have them, with a fixed value where the first has none, so that the specs have equally many states and
// transitions.
func Owned(seed, stream uint64) (owned, common string) {
	g := &owner{Rand: rand.New(rand.NewPCG(seed, stream))}
	r, w := g.some("", " = 0", " = 1"), g.some("", " = 0", " = p mod 2")
	head := fmt.Sprintf("protocol owned\nparam n: 2..3 = %d\ntopology complete graph of n\nchannel %s of %d%s\n",
		2+g.IntN(2), g.some("unordered", "fifo", "lifo"), 1+g.IntN(2), g.some("", "", ", dropping"))
	const declared = "register r: 0..1%s%s\nregister w: 0..1%s%s\nghost g: 0..1%s = 0\n"
	var b strings.Builder
	b.WriteString("message M(v: 0..1)\nevent e(v: 0..1)\nvar x: 0..1\nvar q: node\n")
	b.WriteString("process hub = H0\nprocess other[p in 1..n - 1] = O0\n")
	for i := range 2 {
		fmt.Fprintf(&b, "H%d = %s\n", i, g.body(true, 3))
		fmt.Fprintf(&b, "O%d = %s\n", i, g.body(false, 3))
	}
	b.WriteString("invariant low = hub.r = 0\nterminal even = hub.g = 0\n")
	owned = head + fmt.Sprintf(declared, " of hub", r, " of other", w, " of hub") + b.String()
	common = head + fmt.Sprintf(declared, "", r, "", w, "") + b.String()
	if r == "" {
		common += "initially forall q in other: q.r = 0\n"
	}
	if w == "" {
		common += "initially hub.w = 0\n"
	}
	return owned, common
}

// An owner writes the equations of the specs of Owned.
type owner struct{ *rand.Rand }

func (g *owner) some(from ...string) string { return from[g.IntN(len(from))] }

// value returns a value that a process can read.
func (g *owner) value(hub bool) string {
	if hub {
		return g.some("0", "1", "r", "1 - r", "1.w")
	}
	return g.some("0", "1", "w", "1 - w", "hub.r")
}

// own returns a variable that a process can set.
func (g *owner) own(hub bool) string {
	if hub {
		return g.some("r", "r", "g")
	}
	return "w"
}

// body returns what a process does.
func (g *owner) body(hub bool, depth int) string {
	target, equations := "hub", []string{"O0", "O1", "stop"}
	if hub {
		target, equations = g.some("1", "(n - 1)"), []string{"H0", "H1", "stop"}
	}
	if depth == 0 {
		return fmt.Sprintf("e(%s); %s", g.value(hub), g.some(equations...))
	}
	rest := g.body(hub, depth-1)
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s := %s; %s", g.own(hub), g.value(hub), rest)
	case 1:
		return fmt.Sprintf("let %s = %s; e(1); %s", g.own(hub), g.value(hub), rest)
	case 2:
		return fmt.Sprintf("send %s M(%s); %s", target, g.value(hub), rest)
	case 3:
		return fmt.Sprintf("recv q M(x) then %s := x; %s", g.own(hub), rest)
	case 4:
		return fmt.Sprintf("draw x; send %s M(x); %s", target, rest)
	case 5:
		return fmt.Sprintf("if %s = 0 then %s else %s", g.value(hub), rest, g.body(hub, depth-1))
	case 6:
		return fmt.Sprintf("(when %s = 1: e(0); %s | recv _ M(_); %s)", g.value(hub), rest, g.body(hub, 0))
	}
	return fmt.Sprintf("(send %s M(%s); %s | recv _ M(1); %s)", target, g.value(hub), rest, g.body(hub, 0))
}
