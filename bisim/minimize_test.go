package bisim

import (
	"context"
	"math/rand/v2"
	"testing"

	"ringcheck/bisim/lts"
)

// TestQuotient checks that quotients are equivalent to what they are quotients of, in every state, and
// cannot be made smaller.
func TestQuotient(t *testing.T) {
	for seed := range systems() / 2 {
		l := small(seed)
		for _, e := range equivalences {
			q, p, err := Minimize(context.Background(), l, e, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if again := naive(q, e); again.Blocks != q.States() || q.States() != p.Blocks {
				t.Fatalf("seed %d, %v: quotient of %d states for %d blocks has %d classes", seed, e, q.States(),
					p.Blocks, again.Blocks)
			}
			u, err := union(idle(), l, q)
			if err != nil {
				t.Fatal(err)
			}
			classes := naive(u, e)
			for s, b := range p.Of {
				if classes.Of[s] != classes.Of[l.States()+int(b)] {
					t.Fatalf("seed %d, %v: state %d is not equivalent to its block %d\n%s%s", seed, e, s, b, dump(l),
						dump(q))
				}
			}
			if p.Of[l.Initial()] != q.Initial() {
				t.Fatalf("seed %d, %v: initial state %d, want %d", seed, e, q.Initial(), p.Of[l.Initial()])
			}
		}
	}
}

// TestMergingIsComplete checks the claim that merging from the bottom up minimises graphs all of whose
// transitions lead to smaller nodes.
func TestMergingIsComplete(t *testing.T) {
	for seed := range systems() / 4 {
		rng := rand.New(rand.NewPCG(seed, 6))
		b := lts.NewBuilder()
		a := b.Label("a")
		n := 1 + rng.IntN(30)
		for s := 1; s < n; s++ {
			for range rng.IntN(4) {
				b.Add(uint32(s), lts.Edge{Label: lts.Label(rng.IntN(2)) * a, To: uint32(rng.IntN(s))})
			}
		}
		l := mustBuild(b, n)
		g, _ := bottomUp(idle(), newGraph(l, Branching), n, true, func(row []lts.Edge, s uint32) []lts.Edge {
			return append(row, l.Out(s)...)
		})
		if want := naive(l, Branching).Blocks; g.Len() != want {
			t.Fatalf("seed %d: %d states are left, want %d\n%s", seed, g.Len(), want, dump(l))
		}
	}
}

func TestMinimizeHandMade(t *testing.T) {
	for _, test := range []struct {
		name        string
		l           *lts.LTS
		e           Equivalence
		states      int
		transitions int
	}{
		{"grid of τ's and a loop", grid(20), Branching, 1, 1},
		{"grid, divergence", grid(20), Divergence, 1, 1},
		{"grid, strong", grid(20), Strong, 39, 39},
		{"rings of τ's", tauRings(10, 20), Branching, 1, 1},
		{"rings of τ's, divergence", tauRings(10, 20), Divergence, 1, 2},
		{"a chain", chain(1000), Branching, 1000, 999},
	} {
		q, _, err := Minimize(context.Background(), test.l, test.e, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if q.States() != test.states || q.Transitions() != test.transitions {
			t.Errorf("%s: %d states, %d transitions; want %d, %d", test.name, q.States(), q.Transitions(), test.states,
				test.transitions)
		}
	}
}

func TestQuotientHasOnlyLabelsInUse(t *testing.T) {
	l := aut(t, "des (0,3,3)\n(0,send,1)\n(1,recv,2)\n(2,leader,0)\n")
	if err := l.Hide(context.Background(), func(label string) bool { return label != "leader" }); err != nil {
		t.Fatal(err)
	}
	q, _, err := Minimize(context.Background(), l, Branching, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if q.Labels() != 2 || q.Label(1) != "leader" {
		t.Errorf("%d labels", q.Labels())
	}
}

func TestMinimizeIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, o := range variants {
		if _, _, err := Minimize(ctx, chain(1000), Branching, o); err == nil {
			t.Errorf("%s: went on although the context is done", name)
		}
	}
}

func TestEquivalenceNames(t *testing.T) {
	for _, e := range equivalences {
		if got, err := ParseEquivalence(e.String()); err != nil || got != e {
			t.Errorf("%v: %v, %v", e, got, err)
		}
	}
	if _, err := ParseEquivalence("weak"); err == nil {
		t.Error("an equivalence called weak was accepted")
	}
}
