package bisim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/bisim/lts"
	"ringcheck/internal/test/testlevel"
)

var equivalences = []Equivalence{Strong, Branching, Divergence}

// randomLTS makes a system of a few states with many τ's and, more often than not, τ-cycles.
func randomLTS(seed uint64, states, degree, labels int) *lts.LTS {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := lts.NewBuilder()
	names := []lts.Label{lts.Tau, lts.Tau}
	for a := range labels {
		names = append(names, b.Label(string(rune('a'+a))))
	}
	near := rng.IntN(3) == 0 // long chains rather than a tangle
	for s := range states {
		for range rng.IntN(degree + 1) {
			to := rng.IntN(states)
			if near {
				to = (s + rng.IntN(4)) % states
			}
			b.Add(uint32(s), lts.Edge{Label: names[rng.IntN(len(names))], To: uint32(to)})
		}
	}
	l, err := b.Build(context.Background(), uint32(rng.IntN(states)), states)
	if err != nil {
		panic(err)
	}
	return l
}

func small(seed uint64) *lts.LTS {
	rng := rand.New(rand.NewPCG(seed, 8))
	return randomLTS(seed, 1+rng.IntN(14), 1+rng.IntN(3), 1+rng.IntN(2))
}

func dump(l *lts.LTS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "initial %d of %d\n", l.Initial(), l.States())
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			fmt.Fprintf(&b, "(%d,%s,%d)\n", s, l.Label(e.Label), e.To)
		}
	}
	return b.String()
}

func mustClasses(t testing.TB, l *lts.LTS, e Equivalence, o Options) *Partition {
	t.Helper()
	_, p, err := Minimize(context.Background(), l, e, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var variants = map[string]Options{
	"merging first":  {},
	"refining alone": {KeepAll: true},
}

var systems = testlevel.Cases[uint64](1000, 2500) // random systems to compare on

// TestClasses compares refinement with the naive one.
func TestClasses(t *testing.T) {
	for seed := range systems() {
		l := small(seed)
		for _, e := range equivalences {
			want := naive(l, e)
			for name, o := range variants {
				if got := mustClasses(t, l, e, o); !slices.Equal(got.Of, want.Of) || got.Blocks != want.Blocks {
					t.Fatalf("seed %d, %v, %s: classes %v, want %v\n%s", seed, e, name, got.Of, want.Of, dump(l))
				}
			}
		}
	}
}

// TestClassesOfLargerSystems compares refinement with and without merging where the naive one is too slow.
func TestClassesOfLargerSystems(t *testing.T) {
	for seed := range systems() / 20 {
		rng := rand.New(rand.NewPCG(seed, 9))
		l := randomLTS(seed, 1+rng.IntN(600), 1+rng.IntN(4), 1+rng.IntN(3))
		for _, e := range equivalences {
			var want *Partition
			for name, o := range variants {
				got := mustClasses(t, l, e, o)
				if want == nil {
					want = got
				}
				if !slices.Equal(got.Of, want.Of) {
					t.Fatalf("seed %d, %v: %s disagrees", seed, e, name)
				}
			}
		}
	}
}
