package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/bisim"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
	"ringcheck/verify"
)

// meeting returns a random protocol in which messages meet: one process sends a few, the other takes them in one or
// the other order, by random rules, and shows a little of what it does.
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
	b.WriteString("define two(p, d: dir) = size(inbox(p, d)) > 1\n")
	for i, body := range []string{
		"forall p in node: not two(p, left)",
		"forall p in node, m in inbox(p, left): m is Q or m.x != " + pick("1", "2", "3"),
		"forall p in node: (count m in inbox(p, left): m is M) <= 1",
		"forall p in node: p at " + pick("E0", "E1", "E2") + " => not two(p, left)",
	} {
		fmt.Fprintf(&b, "invariant i%d = %s\n", i, body)
	}
	return b.String()
}

// TestMeeting reduces protocols in which it often matters which message is received first, and often not.
func TestMeeting(t *testing.T) {
	total := *randomSpecs
	smaller, ruled := 0, 0
	for seed := range uint64(total) {
		src := meeting(rand.New(rand.NewPCG(seed, 5)))
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		sizes := compare(t, p, compile.Options{MaxMessages: 6})
		if seed%4 == 0 {
			ruled += assumeInvariants(t, p, compile.Options{MaxMessages: 6})
		}
		if sizes == nil {
			t.Fatalf("%s: too large", p.Name)
		}
		if sizes[2] < sizes[1] {
			smaller++
		}
	}
	t.Logf("%d of %d are smaller, %d invariants keep messages apart", smaller, total, ruled)
	if ruled < total/20 {
		t.Errorf("only %d invariants keep messages apart", ruled)
	}
	if smaller < total/10 || smaller > total*9/10 {
		t.Errorf("of %d protocols %d have confluent receives: the test does not test what it should", total, smaller)
	}
}

// assumeInvariants checks that what is made smaller by an invariant that holds is branching bisimilar. It returns how
// many keep messages apart.
func assumeInvariants(t *testing.T, p *ir.Protocol, opt compile.Options) int {
	t.Helper()
	full, r := graph(t, spectest.Compile(t, p, opt))
	used := 0
	for _, property := range p.Properties {
		if full == nil || property.Kind != ir.Invariant {
			continue
		}
		report, err := verify.Subject{System: spectest.Compile(t, p, opt)}.Check(t.Context(), []*ir.Property{property}, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Holds() {
			continue
		}
		assume := confluence.Invariant(property)
		sys := confluence.Prioritize(spectest.Compile(t, p, opt), confluence.Options{Assume: assume})
		reduced, _ := graph(t, representative.Reduce(sys, representative.Options{}))
		if reduced == nil {
			t.Fatalf("%s: %s holds, and was said not to", p.Name, property.Name)
		}
		c, err := bisim.Compare(t.Context(), full, reduced, bisim.Branching, bisim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Equivalent || uint64(reduced.States()) > r.States+1 {
			why, _ := c.Explain(t.Context(), true)
			t.Fatalf("%s: assuming %s: not equivalent: %v", p.Name, property.Name, why.Formula)
		}
		if assume.Used() {
			used++
		}
	}
	return used
}
