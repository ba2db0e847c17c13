package explore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort compares with the standard library, and tags stay with their state IDs.
func TestSort(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 21))
		ids := make([]uint64, r.IntN([]int{10, 1000, 3 * fewIDs}[seed%3]))
		tags := make([]uint64, len(ids))
		left, right := 1+r.Uint64N(1<<r.IntN(32)), 1+r.Uint64N(1<<r.IntN(32))
		for i := range ids {
			ids[i] = r.Uint64N(left)<<32 | r.Uint64N(right)
			tags[i] = ^ids[i]
		}
		plain, want := slices.Clone(ids), slices.Sorted(slices.Values(ids))
		sortTagged(ids, tags, 1+int(seed%4))
		sortIDs(plain, 1+int(seed%4))
		if !slices.Equal(ids, want) || !slices.Equal(plain, want) {
			t.Fatalf("seed %d: %d state IDs are not sorted", seed, len(ids))
		}
		for i := range tags {
			if tags[i] != ^ids[i] {
				t.Fatalf("seed %d: a tag has left its state ID", seed)
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	ids := make([]uint64, 1<<20)
	for i := range ids {
		ids[i] = r.Uint64N(1<<22)<<32 | r.Uint64N(1<<22)
	}
	some, tags := make([]uint64, len(ids)), make([]uint64, len(ids))
	b.Run("ids", func(b *testing.B) {
		for b.Loop() {
			copy(some, ids)
			sortIDs(some, 1)
		}
	})
	b.Run("tagged", func(b *testing.B) {
		for b.Loop() {
			copy(some, ids)
			sortTagged(some, tags, 1)
		}
	})
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			copy(some, ids)
			slices.Sort(some)
		}
	})
}
