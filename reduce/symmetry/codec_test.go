package symmetry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// TestCodec checks that two processes that meet cells in different orders agree on the representative of an orbit, on
// its encoding, and on the sleep sets of its successors.
func TestCodec(t *testing.T) {
	accepted := 0
	corpus := spectest.NewCorpus(spectest.Asymmetric...)
	for seed, source := range corpus.Specs(int(seeds(100)), 12) {
		r := rand.New(rand.NewPCG(seed, 12))
		source = spectest.Anonymous(source)
		a, errA := symmetry.Rotation(t.Context(), compiled(t, source, nil))
		b, errB := symmetry.Rotation(t.Context(), compiled(t, source, nil))
		if errA != nil || errB != nil {
			continue
		}
		accepted++
		states := firstStates(t, a, 300)
		codecA, _ := model.As[model.Codec](a)
		codecB, _ := model.As[model.Codec](b)
		r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		for _, state := range states {
			text := model.AppendState(codecA, nil, state)
			other := make([]model.Value, len(state))
			if err := model.DecodeState(codecB, text, other); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			full, again := make([]model.Value, len(b.System.Slots())), make([]model.Value, len(state))
			b.Decode(other, int(r.Uint32N(uint32(len(state)))), full)
			b.Encode(full, again)
			if !slices.Equal(other, again) {
				t.Fatalf("seed %d: %s is not a representative in both processes", seed, model.AppendState(codecA, nil,
					state))
			}
			if x, y := awake(t, a, codecA, state), awake(t, b, codecB, other); !slices.Equal(x, y) {
				t.Fatalf("seed %d: the sets of awake transitions differ:\n%v\n%v\n%s", seed, x, y, source)
			}
		}
		corpus.Use(t, source)
	}
	if accepted < int(seeds(100)/4) {
		t.Errorf("only %d specs are symmetric", accepted)
	}
	corpus.Check(t)
}

// firstStates returns up to n reachable states.
func firstStates(t *testing.T, sys model.System, n int) (states [][]model.Value) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := explore.Walk(ctx, sys, explore.Options{MaxStates: uint64(n), Workers: 1}, explore.Visitor{
		State: func(_ uint64, _ int, state []model.Value) error {
			states = append(states, slices.Clone(state))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// awake returns the targets and sleep sets of the transitions of a state with the first two bits of its own sleep set
// set.
func awake(t *testing.T, q *symmetry.Quotient, c model.Codec, state []model.Value) (list []string) {
	t.Helper()
	e, err := explore.NewExpander(q)
	if err != nil {
		t.Fatal(err)
	}
	w := e.Worker()
	var next explore.Expansion
	halves := uint64(w.Left(state))<<32 | uint64(w.Right(state))
	if w.Expand([]explore.Halves{halves}, []uint64{3}, &next) != nil {
		return []string{"fault"}
	}
	to := make([]model.Value, len(state))
	for i, h := range next.To {
		w.SetLeft(uint32(h>>32), to)
		w.SetRight(uint32(h), to)
		list = append(list, fmt.Sprintf("%q %b", model.AppendState(c, nil, to), next.Asleep[i]))
	}
	slices.Sort(list)
	return append(list, fmt.Sprint(next.Counts))
}
