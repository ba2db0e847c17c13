package lts_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ringcheck/lts"
)

func TestRenumber(t *testing.T) {
	b := lts.NewBuilder()
	b.Label("unused")
	x, y, z := b.Label("x"), b.Label("y"), b.Label("z")
	b.Add(3, lts.Edge{Label: z, To: 1}, lts.Edge{To: 3}, lts.Edge{Label: x, To: 0})
	b.Add(2, lts.Edge{Label: y, To: 3}) // not reachable
	b.Add(0, lts.Edge{Label: z, To: 1})
	l, err := b.Build(ctx, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	must(t, l.Renumber(ctx))
	if got, want := text(l), "0 3\n0 z 1\n0 tau 0\n0 x 2\n2 z 1\n"; got != want {
		t.Errorf("transitions\n%swant\n%s", got, want)
	}
	if l.Transitions() != 4 || l.Labels() != 3 {
		t.Errorf("%d transitions, %d labels", l.Transitions(), l.Labels())
	}
	must(t, l.Hide(ctx, func(label string) bool { return label == "x" })) // transitions that were dropped are no trouble
	if got, want := text(l), "0 3\n0 z 1\n0 tau 0\n0 tau 2\n2 z 1\n"; got != want {
		t.Errorf("x hidden\n%swant\n%s", got, want)
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

// Whatever the numbers of states and labels were, the file is the same.
func TestRenumberForgetsNumbers(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(40)
		rows := make([][]lts.Edge, n) // the labels are indices of names
		for s := range rows {
			for range rng.IntN(4) {
				rows[s] = append(rows[s], lts.Edge{Label: lts.Label(rng.IntN(4)), To: uint32(rng.IntN(n))})
			}
		}
		first := renumbered(t, rng, rows)
		if second := renumbered(t, rng, rows); first != second {
			t.Fatalf("seed %d:\n%s\n%s", seed, first, second)
		}
	}
}

// renumbered returns the file of a system that begins in row 0, its states and labels shuffled beforehand.
func renumbered(t *testing.T, rng *rand.Rand, rows [][]lts.Edge) string {
	t.Helper()
	b := lts.NewBuilder()
	names := []string{"tau", "a", "b", "c"}
	for _, i := range rng.Perm(len(names)) {
		b.Label(names[i])
	}
	perm := rng.Perm(len(rows))
	for _, s := range rng.Perm(len(rows)) {
		for _, e := range rows[s] {
			b.Add(uint32(perm[s]), lts.Edge{Label: b.Label(names[e.Label]), To: uint32(perm[e.To])})
		}
	}
	l, err := b.Build(ctx, uint32(perm[0]), len(rows))
	if err != nil {
		t.Fatal(err)
	}
	must(t, l.Renumber(ctx))
	var file bytes.Buffer
	if err := l.Write(lts.NewDotWriter(&file)); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
