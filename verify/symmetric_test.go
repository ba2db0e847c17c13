package verify

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model/interp"
	"ringcheck/model/ir"
	"ringcheck/model/spectest"
)

// TestSymmetric: what gets at processes by quantifiers and distances is symmetric, what names one is not.
func TestSymmetric(t *testing.T) {
	const head = `protocol test
param n: 2..9 = 4
topology undirected ring of n
channel fifo
var x: 0..3
message M(x: 0..3)
process p = A(0)
A(x) = send right M(x); B
B = recv left M(x); A(x)
define here(p) = p at A
define after(p, d: 0..n) = (p + d) mod n
`
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
		p := spectest.Instantiate(t, head+"invariant test = "+tt.body+"\n", nil)
		err := Symmetric(p.Properties[0], p)
		if err != nil && !errors.Is(err, ErrAsymmetric) {
			t.Fatal(err)
		}
		if (err == nil) != tt.symmetric {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

// TestSymmetricRandom: a property that is said to be symmetric has the same value in every rotation of a state.
func TestSymmetricRandom(t *testing.T) {
	const total = 100
	symmetric := 0
	for seed := range uint64(total) {
		p := spectest.Instantiate(t, spectest.Random(rand.New(rand.NewPCG(seed, 17))), nil)
		g := &naive{protocol: p}
		if p.Topology == ir.CompleteGraph || !g.explore(200) {
			continue
		}
		for _, property := range p.Properties {
			if Symmetric(property, p) != nil {
				continue
			}
			symmetric++
			for _, s := range g.states {
				value, err := property.Body.Eval(p.NewEnv(configuration{s}))
				again, err2 := property.Body.Eval(p.NewEnv(configuration{rotated(p, s)}))
				if err == nil && err2 == nil && value != again {
					t.Fatalf("seed %d: %s is %d, rotated %d", seed, property.Name, value, again)
				}
			}
		}
	}
	if symmetric < total/2 {
		t.Errorf("only %d properties are symmetric", symmetric)
	}
}

// rotated returns a state with everything moved to the next process.
func rotated(p *ir.Protocol, s *interp.State) *interp.State {
	at := len(p.Links) - len(p.Links)/p.N
	return &interp.State{
		Processes: slices.Concat(s.Processes[p.N-1:], s.Processes[:p.N-1]),
		Channels:  slices.Concat(s.Channels[at:], s.Channels[:at]),
	}
}
