package partial_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/internal/partial"
)

const head = `protocol test
param n: 2..9 = 3
topology undirected ring of n
channel unordered
var x: 0..3
message M(x: 0..3)
message Q
process p = A(2)
A(x) = recv _ M(x); A(x) | recv _ Q; B
B = stop
define here(p, v: 0..3) = p at A and p.x = v
`

// TestExcludes: process 0 is in A with x = 2, and M(2) and M(3) are in its left channel.
func TestExcludes(t *testing.T) {
	for _, tt := range []struct {
		body string
		want bool
	}{
		{"forall p in node: (count m in inbox(p, left): m is M) <= 1", true},
		{"forall p in node, d in dir: size(inbox(p, d)) <= 1", true},
		{"forall p in node, m in inbox(p, left): m.x != 3", true},
		{"forall p in node, m in inbox(p, left): p.x = m.x", true},
		{"not (exists p in node: here(p, 2))", true},
		{"0 at B", true},
		{"(count p in node: p at A) = 0", true},
		{"(sum p in node: size(inbox(p, left))) + 1 < 3", true},
		{"forall p in node: (if p at A then size(inbox(p, left)) else 0) < 2", true},
		{"(0 + 3) mod n at B", true},
		{"neighbour(2, right) at B", true},
		{"forall p in node: (count m in inbox(p, left): m.x = p.x) <= 1", false},
		{"forall p in node: (count m in inbox(p, right): m is M) <= 1", false},
		{"forall p in node, d in dir: size(inbox(p, d)) <= 2", false},
		{"(count p in node: p at A) = 3", false},
		{"1 at B", false},
		{"exists p in node: p at B", false},
		{"forall p in node: p.x >= 1", false},
		{"1 div (count p in node: p at B) = 7", false},
	} {
		p := spectest.Instantiate(t, head+"invariant test = "+tt.body+"\n", nil)
		var local ir.Local
		err := p.Initial(func(locals []ir.Local, _ [][]ir.Content) bool { local = locals[0]; return false })
		if err != nil {
			t.Fatal(err)
		}
		part := partial.State{Local: local, Link: p.InLink(0, ir.Left), Messages: []ir.Content{
			{Message: p.Messages[0], Args: []int64{2}}, {Message: p.Messages[0], Args: []int64{3}},
		}}
		if got := partial.Excludes(p, p.Properties[0].Body, part); got != tt.want {
			t.Errorf("%s: excluded: %v", tt.body, got)
		}
	}
}

// TestRandom: what is excluded is true in no state with such a part.
func TestRandom(t *testing.T) {
	const total = 100
	excluded := 0
	for seed := range uint64(total) {
		r := rand.New(rand.NewPCG(seed, 23))
		p := spectest.Instantiate(t, spectest.Any(r), nil)
		sys := spectest.Compile(t, p, compile.Options{MaxMessages: 4})
		view := sys.NewView()
		_, err := explore.Walk(t.Context(), sys, explore.Options{MaxStates: 300}, explore.Visitor{
			State: func(_ uint64, _ int, state []model.Value) error {
				view.Show(state)
				link := r.IntN(len(p.Links))
				part := partial.State{Process: p.Links[link].To, Link: link}
				part.Local = sys.Local(state[sys.SlotOfProcess(part.Process)])
				for _, m := range view.Channel(link) {
					if r.IntN(2) == 0 {
						part.Messages = append(part.Messages, m)
					}
				}
				for _, property := range p.Properties {
					if !partial.Excludes(p, property.Body, part) {
						continue
					}
					excluded++
					if v, err := property.Body.Eval(p.NewEnv(view)); err == nil && v != 0 {
						t.Errorf("seed %d: %s is true where it was excluded", seed, property.Name)
					}
				}
				return nil
			},
		})
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
		}
	}
	if excluded < total {
		t.Errorf("only %d states are excluded", excluded)
	}
}
