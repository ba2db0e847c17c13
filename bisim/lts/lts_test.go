package lts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/bisim/lts"
)

// TestBuilderKeepsEveryTransition adds random transitions in any order, in whole rows or torn ones, and compares with a
// map.
func TestBuilderKeepsEveryTransition(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		states := 1 + rng.IntN(2000)
		torn := seed%2 == 1
		b := lts.NewBuilder()
		labels := []lts.Label{lts.Tau, b.Label("a"), b.Label("b")}
		want := make([][]lts.Edge, states)
		var rest []uint32 // the states of torn transitions to come
		for s := range want {
			for range rng.IntN(5) {
				want[s] = append(want[s], lts.Edge{Label: labels[rng.IntN(3)], To: uint32(rng.IntN(states))})
			}
		}
		for _, s := range rng.Perm(states) {
			if !torn {
				b.Add(uint32(s), want[s]...)
				continue
			}
			rest = append(rest, slices.Repeat([]uint32{uint32(s)}, len(want[s]))...)
		}
		rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		added := make([]int, states)
		for _, s := range rest {
			b.Add(s, want[s][added[s]])
			added[s]++
		}
		l, err := b.Build(ctx, 0, states)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for s := range states {
			got := slices.Clone(l.Out(uint32(s)))
			slices.SortFunc(got, compare)
			slices.SortFunc(want[s], compare)
			if !slices.Equal(got, want[s]) {
				t.Fatalf("seed %d: transitions of %d: %v, want %v", seed, s, got, want[s])
			}
			total += len(got)
		}
		if l.Transitions() != total {
			t.Errorf("seed %d: %d transitions, want %d", seed, l.Transitions(), total)
		}
	}
}

func compare(a, b lts.Edge) int {
	if a.Label != b.Label {
		return int(a.Label) - int(b.Label)
	}
	return int(a.To) - int(b.To)
}

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A row longer than a page, before and behind short ones, whole and edge by edge.
func TestBuilderLongRow(t *testing.T) {
	const long = 200_000
	for _, whole := range []bool{true, false} {
		b := lts.NewBuilder()
		b.Add(1, lts.Edge{To: 7})
		if whole {
			b.Add(0, make([]lts.Edge, long)...)
		} else {
			for range long {
				b.Add(0, lts.Edge{})
			}
		}
		b.Add(2, lts.Edge{To: 8})
		l, err := b.Build(ctx, 0, 9)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Out(0)) != long || l.Out(1)[0].To != 7 || l.Out(2)[0].To != 8 || l.Transitions() != long+2 {
			t.Errorf("whole %v: rows of %d, %v, %v", whole, len(l.Out(0)), l.Out(1), l.Out(2))
		}
	}
}

func TestBuilderErrors(t *testing.T) {
	for _, test := range []struct {
		name    string
		edge    lts.Edge
		from    uint32
		initial uint32
		want    string
	}{
		{"source", lts.Edge{}, 2, 0, "a transition leaves state 2, but there are 2 states"},
		{"target", lts.Edge{To: 2}, 0, 0, "a transition enters state 2, but there are 2 states"},
		{"label", lts.Edge{Label: 1}, 0, 0, "a transition has label 1, but there are 1 labels"},
		{"initial", lts.Edge{}, 0, 2, "the initial state 2 is not below the number of states, 2"},
	} {
		b := lts.NewBuilder()
		b.Add(test.from, test.edge)
		if _, err := b.Build(ctx, test.initial, 2); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	tooMany := uint64(lts.MaxStates + 1)
	// With 32-bit integers this is -1.
	if _, err := lts.NewBuilder().Build(ctx, 0, int(tooMany)); !errors.Is(err, lts.ErrTooLarge) {
		t.Errorf("too many states: %v", err)
	}
}

func TestHide(t *testing.T) {
	l, err := lts.ReadAut(ctx, strings.NewReader("des (0,3,2)\n(0,a,1)\n(0,b,1)\n(1,c,0)\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	must(t, l.Hide(ctx, func(label string) bool { return label != "b" }))
	if got, want := text(l), "0 2\n0 tau 1\n0 b 1\n1 tau 0\n"; got != want {
		t.Errorf("hidden: %q, want %q", got, want)
	}
}

// A system of 45 million transitions must fit well under 1 GiB: here a smaller one is measured, in bytes a
// transition, as an exploration would build it.
func TestMemoryPerTransition(t *testing.T) {
	const states, degree = 1 << 20, 4
	b := lts.NewBuilder()
	for s := range uint32(states) {
		b.Add(s, lts.Edge{To: s ^ 1}, lts.Edge{To: s ^ 2}, lts.Edge{To: s ^ 4}, lts.Edge{To: s ^ 8})
	}
	l, err := b.Build(ctx, 0, states)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(l.Bytes()) / float64(l.Transitions()); got > 8+8.0/degree+1 {
		t.Errorf("%.1f bytes a transition", got)
	}
}

func BenchmarkBuilder(b *testing.B) {
	row := make([]lts.Edge, 5)
	builder := lts.NewBuilder()
	for s := uint32(0); b.Loop(); s++ {
		if s == 1<<20 {
			builder, s = lts.NewBuilder(), 0
		}
		builder.Add(s, row...)
	}
}

// TestDoneContexts checks that whatever takes time stops when its context is done.
func TestDoneContexts(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	l, err := lts.ReadAut(ctx, strings.NewReader("des (0,1,2)\n(0,a,1)\n"), 0)
	must(t, err)
	b := lts.NewBuilder()
	b.Add(0, lts.Edge{To: 0})
	_, built := b.Build(done, 0, 1)
	_, read := lts.ReadAut(done, strings.NewReader("des (0,1,2)\n(0,a,1)\n"), 0)
	for name, err := range map[string]error{
		"Build": built, "ReadAut": read,
		"Hide": l.Hide(done, func(string) bool { return true }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadAutKeepsToItsBudget reads many labels and many transitions with little memory.
func TestReadAutKeepsToItsBudget(t *testing.T) {
	var labels, edges strings.Builder
	const n = 100_000
	fmt.Fprintf(&labels, "des (0,%d,%d)\n", n, n+1)
	fmt.Fprintf(&edges, "des (0,%d,2)\n", n)
	for i := range n {
		fmt.Fprintf(&labels, "(%d,\"label %d\",%d)\n", i, i, i+1)
		fmt.Fprintf(&edges, "(0,a,1)\n")
	}
	for name, test := range map[string]struct {
		text      string
		too, fits uint64
	}{
		"labels": {labels.String(), 2 << 20, 20 << 20}, "edges": {edges.String(), 1 << 18, 4 << 20},
	} {
		if _, err := lts.ReadAut(ctx, strings.NewReader(test.text), test.too); !errors.Is(err, lts.ErrMemory) {
			t.Errorf("%s in %d bytes: %v", name, test.too, err)
		}
		if _, err := lts.ReadAut(ctx, strings.NewReader(test.text), test.fits); err != nil {
			t.Errorf("%s in %d bytes: %v", name, test.fits, err)
		}
	}
}

func TestPrune(t *testing.T) {
	b := lts.NewBuilder()
	x := b.Label("x")
	b.Add(0, lts.Edge{Label: x, To: 4})
	b.Add(1, lts.Edge{Label: x, To: 4}, lts.Edge{To: 3}, lts.Edge{To: 1})
	b.Add(4, lts.Edge{Label: x, To: 3})
	l, err := b.Build(ctx, 1, 5)
	must(t, err)
	for _, want := range []int{2, 0} {
		dropped, err := l.Prune(ctx)
		must(t, err)
		if got, all := text(l), "0 3\n0 x 2\n0 tau 1\n0 tau 0\n2 x 1\n"; dropped != want || got != all {
			t.Errorf("dropped %d, want %d, and left\n%swant\n%s", dropped, want, got, all)
		}
	}
}
