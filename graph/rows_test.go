package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReverse compares with lists of lists.
func TestReverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n, m := 1+r.IntN(9), r.IntN(20)
		edges, want := make([][2]uint32, m), make([][]uint32, n)
		for i := range edges {
			edges[i] = [2]uint32{r.Uint32N(9), r.Uint32N(uint32(n))}
			want[edges[i][1]] = append(want[edges[i][1]], edges[i][0])
		}
		got := Reverse(n, m, func(yield func(from, to uint32)) {
			for _, e := range edges {
				yield(e[0], e[1])
			}
		})
		for i := range want {
			if !slices.Equal(got.Of(uint32(i)), want[i]) {
				t.Fatalf("%v: list %d is %v, want %v", edges, i, got.Of(uint32(i)), want[i])
			}
		}
	}
}
