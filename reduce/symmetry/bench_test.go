package symmetry_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// BenchmarkNext expands states in random order, once the tables are full.
func BenchmarkNext(b *testing.B) {
	q := rotation(b, open(b, "franklin", "n=4 k=2"))
	var states [][]model.Value
	_, err := explore.Walk(b.Context(), q, explore.Options{}, explore.Visitor{
		State: func(_ uint64, _ int, state []model.Value) error {
			states = append(states, slices.Clone(state))
			return nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
	transitions := 0
	var out model.Successors
	for i := 0; b.Loop(); i++ {
		out.Reset(len(q.Slots()))
		if err := q.Next(0, states[i%len(states)], &out); err != nil {
			b.Fatal(err)
		}
		transitions += out.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
}

// BenchmarkExplore explores a quotient.
func BenchmarkExplore(b *testing.B) {
	var transitions uint64
	for b.Loop() {
		q := rotation(b, open(b, "franklin", "n=4 k=2"))
		transitions += systemtest.Run(b, q, explore.Options{}).Transitions / 4
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
}
