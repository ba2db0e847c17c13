package spectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

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
