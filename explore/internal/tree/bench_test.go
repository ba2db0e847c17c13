package tree_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// BenchmarkExpand expands states whose parts are known, as an explorer does: 256 at a time. The states of the
// larger numbers have their parts beyond the caches.
func BenchmarkExpand(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 18} {
		b.Run(fmt.Sprintf("tabulated/states=%d", n), func(b *testing.B) {
			sys := fan{systemtest.New(1, systemtest.Shape{Slots: 20, Values: 5}), 1}
			benchmarkSuccessors(b, sys, sys.RandomState, n)
		})
	}
	b.Run("asked/states=1024", func(b *testing.B) {
		sys := rotation{fan{systemtest.New(1, systemtest.Shape{Slots: 12, Values: 2}), 1}}
		benchmarkSuccessors(b, sys, sys.RandomState, 1<<10)
	})
}

func benchmarkSuccessors(b *testing.B, sys model.System, random func(*rand.Rand) []model.Value, n int) {
	b.Helper()
	w := tree.NewStore(b.Context(), sys, nil, nil).Worker()
	r := rand.New(rand.NewPCG(1, 0))
	ids := make([]tree.StateID, n)
	for i := range ids {
		ids[i] = w.ID(random(r))
	}
	var found tree.Expansion
	expand := func(some []tree.StateID) int {
		if err := w.Expand(some, nil, &found); err != nil {
			b.Fatal(err)
		}
		return len(found.To)
	}
	for i := 0; i < n; i += 256 {
		expand(ids[i : i+256])
	}
	b.ReportAllocs()
	transitions, i := 0, 0
	for b.Loop() {
		transitions += expand(ids[i : i+256])
		i = (i + 256) % n
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
}

// BenchmarkRoot stores states that are known.
func BenchmarkID(b *testing.B) {
	sys := systemtest.New(1, systemtest.Shape{Slots: 20, Values: 5})
	w := tree.NewStore(b.Context(), sys, nil, nil).Worker()
	state := sys.RandomState(rand.New(rand.NewPCG(1, 0)))
	b.ReportAllocs()
	for b.Loop() {
		w.ID(state)
	}
}
