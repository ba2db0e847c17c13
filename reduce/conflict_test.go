package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
)

// meeting returns a random protocol in which messages meet: one process sends a few, the other takes them in either
// order, by random rules, and shows a little of what it does.
func meeting(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	fmt.Fprintf(&b, "protocol test \"\"\ntopology %s ring of 2\nchannel %s\n", pick("directed", "undirected"),
		pick("unordered", "unordered", "fifo"))
	b.WriteString("var x: 1..3\nmessage M(x: 1..3)\nmessage Q\nevent e(x: 1..3)\n")
	b.WriteString("process p = if p = 0 then Source else E0\n")
	directed := strings.Contains(b.String(), "topology directed")
	to := func() string {
		if directed {
			return "right"
		}
		return pick("left", "right")
	}
	b.WriteString("Source = ")
	for range 2 + r.IntN(3) {
		fmt.Fprintf(&b, "send %s %s; ", to(), pick("M(1)", "M(2)", "M(3)", "Q"))
	}
	b.WriteString("Back\nBack = recv _ M(x); e(x); Back | recv _ Q; Back\n")
	const states = 3
	for i := range states {
		fmt.Fprintf(&b, "E%d = ", i)
		for j := range 1 + r.IntN(3) {
			if j > 0 {
				b.WriteString(" | ")
			}
			message := pick("M(1)", "M(2)", "M(3)", "M(x) where x > 1", "M(_)", "Q")
			fmt.Fprintf(&b, "recv _ %s; ", message)
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&b, "e(%d); ", 1+r.IntN(3))
			case 1:
				fmt.Fprintf(&b, "send %s M(%d); ", to(), 1+r.IntN(3))
			case 2:
				b.WriteString("skip; ")
			}
			fmt.Fprintf(&b, "E%d", r.IntN(states))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestMeeting reduces protocols in which it often matters which message is received first, and often does not.
func TestMeeting(t *testing.T) {
	total := randomSpecs() / 2
	smaller := 0
	for seed := range uint64(total) {
		src := meeting(rand.New(rand.NewPCG(seed, 5)))
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		sizes := compare(t, p, compile.Options{MaxMessages: 6})
		if sizes == nil {
			t.Fatalf("%s: too large", p.Name)
		}
		if sizes[2] < sizes[1] {
			smaller++
		}
	}
	t.Logf("%d of %d are smaller", smaller, total)
	if smaller < total/10 || smaller > total*9/10 {
		t.Errorf("of %d protocols %d have confluent receives: the test does not test what it should", total, smaller)
	}
}
