package graph_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// TestRandom compares with reachability: two vertices are in one component if each can be reached from the other, and
// edges lead to the same component or a smaller one; what is left in postorder is all that was visited, once.
func TestRandom(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(9)
		edges := make([][]uint32, n)
		reach := make([][]bool, n)
		for v := range edges {
			reach[v] = make([]bool, n)
			reach[v][v] = true
			for range r.IntN(3) {
				w := r.Uint32N(uint32(n))
				edges[v] = append(edges[v], w)
				reach[v][w] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		s := graph.NewSearch(&effort.Effort{Context: context.Background()}, n, func(v, from uint32) (to, edge uint32,
			ok bool) {
			if int(from) == len(edges[v]) {
				return 0, 0, false
			}
			return edges[v][from], from, true
		})
		var left []uint32
		s.Left = func(v uint32) { left = append(left, v) }
		start := r.Uint32N(uint32(n))
		s.Visit(start)
		of, count := s.Components()
		visited := 0
		for v := range n {
			if (of[v] != graph.None) != reach[start][v] {
				t.Fatalf("seed %d: vertex %d has component %d", seed, v, of[v])
			}
			if !reach[start][v] {
				continue
			}
			visited++
			if int(of[v]) >= count || !slices.Contains(left, uint32(v)) {
				t.Fatalf("seed %d: vertex %d of component %d of %d; left %v", seed, v, of[v], count, left)
			}
			for w := range n {
				if reach[start][w] && (of[v] == of[w]) != (reach[v][w] && reach[w][v]) {
					t.Fatalf("seed %d: components %v", seed, of)
				}
				if reach[v][w] && of[w] > of[v] {
					t.Fatalf("seed %d: from %d of component %d one comes to %d of component %d", seed, v, of[v], w,
						of[w])
				}
			}
		}
		if len(left) != visited || left[visited-1] != start {
			t.Fatalf("seed %d: left %v", seed, left)
		}
	}
}
