package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/reduce/symmetry"
)

// symmetricHead begins a spec that properties are added to.
const symmetricHead = `protocol test
param n: 2..9 = 4
topology undirected ring of n
channel fifo
var x: 0..3
var r: nat
message M(x: 0..3)
process p = A(0, 0)
A(x, r) = send right M(x); B(r)
B(r) = recv left M(x); C(x, r)
C(x, r) = draw x; A(x, 1)
define small(v: 0..9) = v < 5
define here(p) = p at A
define after(p, d: 0..n) = (p + d) mod n
`

// TestSymmetric checks that properties that refer to processes by quantifiers and distances are symmetric, and that
// those are not that name a process, or have a sum whose parts can be too large in some orders.
func TestSymmetric(t *testing.T) {
	for _, tt := range []struct {
		body      string
		symmetric bool
	}{
		{"forall p in node: p at A", true},
		{"exists p in node, q in node: p != q and p.x = q.x", true},
		{"(count p in node: here(p)) <= 1", true},
		{"forall p in node, d in 1..n - 1: p at A => after(p, d) at B", true},
		{"forall p in node: (if p at A then neighbour(p, right) else p) at B", true},
		{"forall p in node: (p - 1) mod n at B", true},
		{"forall p in node: (p + 1 - p) mod n = 1", true},
		{"forall p in node, q in node: (q - p) mod n = 1 => p at A or q at A", true},
		{"forall p in node, d in dir, m in inbox(p, d): m is M and m.x < 3", true},
		{"(sum p in node: size(inbox(p, left))) <= n", true},
		{"6 div (count p in node: p at A) <= 3", true},
		{"forall p in node: (p.x + 1) * (p.x - 3) ^ 2 div n <= (sum q in node: q.x + 2 * size(inbox(q, left)))", true},
		{"forall p in node: (count q in node: q at A) ^ 2 mod n = p.x or p.r + p.r = 2 ^ p.x", true},
		{"forall p in node: p.r ^ p.x <= 9", true},
		{"exists p in node: p at A or 1 div (if p at B then 0 else 1) = 1", true},
		{"(count p in node: 6 mod p.x = 0) = 1", true},
		{"exists p in node: p at A or 6 div (count q in node: q at B) = 1", true},
		{"exists p in node: p.r ^ p.r = 4", true},
		{"exists p in node: 2 ^ (p.x - 1) = 4", true},
		{"exists p in node: log2ceil(p.x) = 1", true},
		{"forall p in node: (sum q in node: 2 ^ (60 + p.x)) > 0", true},
		{"forall p in node: small(p.r)", true},
		{"forall p in node, d in 0..p.x: after(p, d + 3) at A", true},
		{"exists p in node: after(p, 1) in {p, (p + 5) mod n}", true},
		{"exists p in node, q in node: (p + q) mod n = (q + p) mod n and p at A", true},
		{"exists p in node, q in node: p + 1 = q + 1 and p at A", false},
		{"exists p in node: 1 in {(p + 1) mod n} and p at A", false},
		{"exists p in node: p + 1 in {p + 1} and p at A", false},
		{"exists p in node, q in node: size({p + 1, q + 2}) = 1 and p at A", false},
		{"exists p in node, q in node: (if p at A then 0 else (p + q) mod n) = (q + p) mod n", false},
		{"exists p in node, q in node: (p + q) mod n at A", false},
		{"exists p in node: (p + p.r) mod n at A", false},
		{"exists p in node: 2 * p mod n at A", false},
		{"exists p in node: p + 1 < 2 and p at A", false},
		{"exists p in node: (sum q in node: (q - p) mod n) = 6 and p at A", true},
		{"exists p in node: (sum q in node: q - p) = 0 and p at A", false},
		{"(sum p in node: (if p at A then 2 ^ 62 else 0 - 2 ^ 62)) > 0", false},
		{"0 at A", false},
		{"exists p in node: p = 0 and p at A", false},
		{"forall p in node: p.x = p", false},
		{"forall p in node, q in node: p < q => p at A", false},
		{"forall p in 0..2: p at A", false},
		{"exists m in inbox(0, left): m.x = 1", false},
		{"size(inbox(1, left)) = 0", false},
		{"forall p in node: (p + p) mod n at A", false},
		{"forall p in node: (p + 1) mod (n - 1) at A", false},
		{"exists p in node: here(0) and p at B", false},
		{"forall p in node: after(p, p) at A", false},
		{"(count p in node: p at A and p mod 2 = 0) <= 2", false},
		{"(sum p in node: (if p at A then p else 0)) <= 3", false},
		{"neighbour(3, right) at A", false},
	} {
		p := spectest.Instantiate(t, symmetricHead+"invariant test = "+tt.body+"\n", nil)
		if at := varies(p, p.Properties[0]); (at == nil) != tt.symmetric {
			t.Errorf("%s: %v", tt.body, at)
		}
	}
}

// varies returns a place that shows that a property need not have the same value in all rotations of a state; nil if it
// has.
func varies(of *ir.Protocol, p *ir.Property) *symmetry.Break {
	return symmetry.RotationsOf(of).Variance(p.Body, p.Pos)
}

// TestSymmetricRandom checks that a symmetric property has the same value in every rotation of a state.
func TestSymmetricRandom(t *testing.T) {
	const total = 200
	symmetric := 0
	corpus := spectest.NewCorpus("network") // a state of another topology has no rotations
	for seed, src := range corpus.Specs(total, 17) {
		p := spectest.Instantiate(t, src, nil)
		g := &naive{protocol: p}
		if p.Topology.Complete || !g.explore(400) {
			continue
		}
		for _, property := range p.Properties {
			if varies(p, property) != nil {
				continue
			}
			symmetric++
			if why := g.turns(property); why != "" {
				t.Fatalf("seed %d: %s", seed, why)
			}
			corpus.Use(t, src)
		}
	}
	if symmetric < total/2 {
		t.Errorf("only %d properties are symmetric", symmetric)
	}
	corpus.Check(t)
}

// TestSymmetricFailures checks that evaluating a symmetric property fails in all rotations of a state or in none.
func TestSymmetricFailures(t *testing.T) {
	const total = 600
	failing, distances := 0, 0
	for seed := range uint64(total) {
		b := &bodies{rand.New(rand.NewPCG(seed, 37))}
		body := b.truth(3, nil)
		n := fmt.Sprint(2 + seed%3)
		p := spectest.Instantiate(t, symmetricHead+"invariant test = "+body+"\n", map[string]string{"n": n})
		g := &naive{protocol: p}
		g.explore(500)
		property := p.Properties[0]
		if at := varies(p, property); at != nil {
			t.Errorf("%s: %v", body, at)
		}
		if why := g.turns(property); why != "" {
			t.Errorf("%s: %s", body, why)
		}
		fails := func(s *step.State) bool { _, err := g.value(property, s); return err != nil }
		if slices.ContainsFunc(g.states, fails) {
			failing++
		}
		if strings.Contains(body, "mod n)") {
			distances++
		}
	}
	if failing < 10 || distances < total/4 {
		t.Errorf("only %d of %d fail somewhere, %d have distances", failing, total, distances)
	}
}

// bodies returns random properties that treat processes symmetrically, and often divide.
type bodies struct{ *rand.Rand }

func (b *bodies) pick(from ...string) string { return from[b.IntN(len(from))] }

// truth writes a condition; processes are the binders around it.
func (b *bodies) truth(depth int, processes []string) string {
	if depth > 0 {
		switch b.IntN(5) {
		case 0, 1:
			v := fmt.Sprintf("p%d", len(processes))
			return fmt.Sprintf("(%s %s in node: %s)", b.pick("forall", "exists"), v,
				b.truth(depth-1, append(processes, v)))
		case 2, 3:
			return fmt.Sprintf("(%s %s %s)", b.truth(depth-1, processes), b.pick("and", "or", "=>"),
				b.truth(depth-1, processes))
		}
	}
	if len(processes) > 0 && b.IntN(3) == 0 {
		return b.process(processes) + " at " + b.pick("A", "B", "C")
	}
	if len(processes) > 1 && b.IntN(4) == 0 {
		return b.process(processes) + b.pick(" = ", " != ") + b.process(processes)
	}
	return fmt.Sprintf("(%s %s %s)", b.number(2, processes), b.pick("=", "<", ">="), b.number(1, processes))
}

// process writes the number of a process, which can be at a distance of a binder.
func (b *bodies) process(binders []string) string {
	p := b.pick(binders...)
	switch b.IntN(4) {
	case 0:
		return fmt.Sprintf("((%s + %s) mod n)", p, b.pick("1", "3", p+".x"))
	case 1:
		return fmt.Sprintf("((%s + %s - %s) mod n)", p, b.pick(binders...), b.pick(binders...))
	}
	return p
}

// number writes a number.
func (b *bodies) number(depth int, processes []string) string {
	if depth > 0 && b.IntN(3) > 0 {
		return fmt.Sprintf("(%s %s %s)", b.number(depth-1, processes), b.pick("+", "-", "*", "div", "mod"),
			b.number(depth-1, processes))
	}
	if len(processes) > 0 && b.IntN(4) > 0 {
		p := b.pick(processes...)
		distance := fmt.Sprintf("((%s - %s) mod n)", b.pick(processes...), p)
		return b.pick(p+".x", p+".r", "size(inbox("+p+", left))", distance)
	}
	v := fmt.Sprintf("p%d", len(processes))
	if depth > 0 {
		return fmt.Sprintf("(%s)", "sum "+v+" in node: "+b.pick("("+v+".x + 1)", v+".r", "6 div ("+v+".r + 1)"))
	}
	return b.pick("n", "2", fmt.Sprintf("(count %s in node: %s at %s)", v, v, b.pick("A", "B")))
}

// value evaluates a property in a state.
func (g *naive) value(p *ir.Property, s *step.State) (int64, error) {
	return p.Body.Eval(g.protocol.NewEnv(s))
}

// turns describes a state in which a property has another value (or error) than in the rotated state; "" if there is
// none.
func (g *naive) turns(p *ir.Property) string {
	for _, s := range g.states {
		value, err := g.value(p, s)
		again, err2 := g.value(p, rotated(g.protocol, s))
		if (err == nil) != (err2 == nil) || err == nil && value != again {
			return fmt.Sprintf("%s is %d (%v), rotated %d (%v)", p.Name, value, err, again, err2)
		}
	}
	return ""
}

// rotated returns a state with everything moved to the next process.
func rotated(p *ir.Protocol, s *step.State) *step.State {
	at := len(p.Links) - len(p.Links)/p.N
	r := *s
	r.Processes = slices.Concat(s.Processes[p.N-1:], s.Processes[:p.N-1])
	r.Channels = slices.Concat(s.Channels[at:], s.Channels[:at])
	return &r
}
