package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// TestReverse compares with lists of lists.
func TestReverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := 1 + r.Uint32N(9)
		edges, want := graph.Rows[graph.Edge]{At: []uint32{0}}, make([][]uint32, n)
		for v := range n {
			var list []graph.Edge
			for range r.IntN(4) {
				e := graph.Edge{r.Uint32N(3), r.Uint32N(n)}
				list = append(list, e)
				want[e.To] = append(want[e.To], v)
			}
			edges.Append(list...)
		}
		got := graph.Reverse(&effort.Effort{Context: t.Context()}, &edges)
		for i := range want {
			if !slices.Equal(got.Of(uint32(i)), want[i]) {
				t.Fatalf("%v: list %d is %v, want %v", edges, i, got.Of(uint32(i)), want[i])
			}
		}
	}
}
