package bisim

import (
	"cmp"
	"slices"

	"ringcheck/lts"
)

// A graph is what the refinement algorithms work on: an LTS in which every state's transitions are sorted
// and none occurs twice. For equivalences that abstract from τ it has no τ-cycles: every τ leads to a state
// with a smaller number. A state that diverges then has a loop with the label diverge, which is treated as
// visible.
type graph struct {
	offset  []uint32 // of each state's row in edges, and the end of the last
	edges   []lts.Edge
	labels  int
	diverge lts.Label
	inert   bool // whether the equivalence abstracts from τ
}

func (g *graph) states() int { return len(g.offset) - 1 }

func (g *graph) row(s uint32) []lts.Edge { return g.edges[g.offset[s]:g.offset[s+1]] }

func newGraph(l *lts.LTS, e Equivalence) *graph {
	return &graph{
		offset:  []uint32{0},
		labels:  l.Labels() + 1,
		diverge: lts.Label(l.Labels()),
		inert:   e != Strong,
	}
}

func compareEdges(a, b lts.Edge) int {
	if c := cmp.Compare(a.Label, b.Label); c != 0 {
		return c
	}
	return cmp.Compare(a.To, b.To)
}

// normalize sorts a row and removes duplicates.
func normalize(row []lts.Edge) []lts.Edge {
	if len(row) < 2 {
		return row
	}
	slices.SortFunc(row, compareEdges)
	return slices.Compact(row)
}

// strongGraph copies an LTS.
func strongGraph(l *lts.LTS) *graph {
	g := newGraph(l, Strong)
	g.offset = make([]uint32, 1, l.States()+1)
	g.edges = make([]lts.Edge, 0, l.Transitions())
	for s := range l.States() {
		start := len(g.edges)
		g.edges = append(g.edges, l.Out(uint32(s))...)
		g.edges = g.edges[:start+len(normalize(g.edges[start:]))]
		g.offset = append(g.offset, uint32(len(g.edges)))
	}
	return g
}
