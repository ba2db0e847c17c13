package explore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort compares with the standard library.
func TestSort(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 21))
		ids := make([]uint64, r.IntN([]int{10, 1000, 3 << 14}[seed%3]))
		left, right := 1+r.Uint64N(1<<r.IntN(32)), 1+r.Uint64N(1<<r.IntN(32))
		for i := range ids {
			ids[i] = r.Uint64N(left)<<32 | r.Uint64N(right)
		}
		want := slices.Sorted(slices.Values(ids))
		if some, _ := sortIDs(ids, nil); !slices.Equal(some, want) {
			t.Fatalf("seed %d: %d state IDs are not sorted", seed, len(ids))
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	ids := make([]uint64, 1<<20)
	for i := range ids {
		ids[i] = r.Uint64N(1<<22)<<32 | r.Uint64N(1<<22)
	}
	some, room := make([]uint64, len(ids)), []uint64(nil)
	b.Run("ids", func(b *testing.B) {
		for b.Loop() {
			copy(some, ids)
			some, room = sortIDs(some, room)
		}
	})
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			copy(some, ids)
			slices.Sort(some)
		}
	})
}
