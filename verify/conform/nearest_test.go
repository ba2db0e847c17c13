package conform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/graph"
)

// breadthFirst returns what nearest.to returns, by a search of its own.
func breadthFirst(edges *graph.Rows[graph.Edge], allowed, covers func(edge uint32) bool,
	from []uint32) (uint32, []uint32) {
	type visit struct {
		start, state uint32
		path         []uint32
	}
	var queue []visit
	seen := make(map[uint32]bool)
	add := func(v visit) {
		if !seen[v.state] {
			seen[v.state] = true
			queue = append(queue, v)
		}
	}
	for _, state := range from {
		add(visit{start: state, state: state})
	}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for edge := edges.At[v.state]; edge < edges.At[v.state+1]; edge++ {
			if !allowed(edge) {
				continue
			}
			path := append(slices.Clone(v.path), edge)
			if covers(edge) {
				return v.start, path
			}
			add(visit{v.start, edges.All[edge].To, path})
		}
	}
	return 0, nil
}

// TestNearest compares the paths of allowed edges to uncovered ones in random graphs with those of a breadth-first
// search, while edges are covered one after the other or in groups.
func TestNearest(t *testing.T) {
	paths, none, long := 0, 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 41))
		states, degree := uint32(1+r.IntN(60)), 1+r.IntN(2)
		edges := &graph.Rows[graph.Edge]{At: []uint32{0}}
		for state := range states {
			var row []graph.Edge
			for range 1 + r.IntN(degree) {
				to := r.Uint32N(states)
				if r.IntN(4) > 0 { // long chains
					to = (state + 1) % states
				}
				row = append(row, graph.Edge{To: to})
			}
			edges.Append(row...)
		}
		items := make([]int, len(edges.All)) // by edge
		groups := 1 + r.IntN(len(items)+1)
		uncovered := make(map[int]bool)
		for i := range items {
			items[i] = r.IntN(groups)
			uncovered[items[i]] = true
		}
		covers := func(edge uint32) bool { return uncovered[items[edge]] }
		forbidden := make([]bool, len(items))
		for i := range forbidden {
			forbidden[i] = seed%2 == 1 && r.IntN(6) == 0
		}
		allowed := func(edge uint32) bool { return !forbidden[edge] }
		n := newNearest(edges, allowed, covers)
		for range 2 * len(items) {
			from := []uint32{r.Uint32N(states), r.Uint32N(states), r.Uint32N(states)}[:1+r.IntN(3)]
			start, path := n.shortestPath(from)
			wantStart, want := breadthFirst(edges, allowed, covers, from)
			if fmt.Sprint(start, path) != fmt.Sprint(wantStart, want) {
				t.Fatalf("seed %d: from %v: %d %v, want %d %v", seed, from, start, path, wantStart, want)
			}
			if path == nil {
				none++
				continue
			}
			if paths++; len(path) > 5 {
				long++
			}
			delete(uncovered, items[path[len(path)-1]])
		}
	}
	if paths < 1000 || none < 1000 || long < 100 {
		t.Errorf("%d paths, %d of them long, and %d times none say little", paths, long, none)
	}
}
