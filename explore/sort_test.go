package explore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort compares with the standard library, and tags stay with their roots.
func TestSort(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 21))
		roots := make([]uint64, r.IntN([]int{10, 1000, 3 * fewRoots}[seed%3]))
		tags := make([]uint64, len(roots))
		left, right := 1+r.Uint64N(1<<r.IntN(32)), 1+r.Uint64N(1<<r.IntN(32))
		for i := range roots {
			roots[i] = r.Uint64N(left)<<32 | r.Uint64N(right)
			tags[i] = ^roots[i]
		}
		plain, want := slices.Clone(roots), slices.Sorted(slices.Values(roots))
		sortTagged(roots, tags, 1+int(seed%4))
		sortRoots(plain, 1+int(seed%4))
		if !slices.Equal(roots, want) || !slices.Equal(plain, want) {
			t.Fatalf("seed %d: %d roots are not sorted", seed, len(roots))
		}
		for i := range tags {
			if tags[i] != ^roots[i] {
				t.Fatalf("seed %d: a tag has left its root", seed)
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	roots := make([]uint64, 1<<20)
	for i := range roots {
		roots[i] = r.Uint64N(1<<22)<<32 | r.Uint64N(1<<22)
	}
	some, tags := make([]uint64, len(roots)), make([]uint64, len(roots))
	b.Run("roots", func(b *testing.B) {
		for b.Loop() {
			copy(some, roots)
			sortRoots(some, 1)
		}
	})
	b.Run("tagged", func(b *testing.B) {
		for b.Loop() {
			copy(some, roots)
			sortTagged(some, tags, 1)
		}
	})
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			copy(some, roots)
			slices.Sort(some)
		}
	})
}
