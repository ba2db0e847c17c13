package bisim

import (
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	adjacency "ringcheck/internal/graph"
)

// componentsOf returns the strongly connected components of the τ-transitions, or of all transitions: each state's
// component and their number. These transitions lead to the same component or a smaller one.
//
// The targets of visible transitions are visited first, so that where visible behaviour is acyclic most visible
// transitions also lead to smaller components, which helps bottomUp.
func componentsOf(f *effort.Effort, l *lts.LTS, all bool) (component []uint32, count int) {
	follows := func(e lts.Edge) bool { return all || e.Label == lts.Tau }
	search := adjacency.NewSearch(f, l.States(), func(s, from uint32) (to, edge uint32, ok bool) {
		out := l.Out(s)
		for i := from; int(i) < len(out); i++ {
			if follows(out[i]) {
				return out[i].To, i, true
			}
		}
		return 0, 0, false
	})
	for s := range l.States() {
		f.Tick()
		for _, e := range l.Out(uint32(s)) {
			if !follows(e) {
				search.Visit(e.To)
			}
		}
	}
	for s := range l.States() {
		search.Visit(uint32(s))
	}
	return search.Components()
}

// unresolved marks the label of a transition whose target has not been merged yet.
const unresolved lts.Label = 1 << 31

// reduce returns the graph to be refined, with its nodes in the order of components, and the node of each state. For
// equivalences that abstract from τ it collapses τ-cycles, since their states are branching bisimilar. If merge is set
// it also merges obviously equivalent states bottom-up.
func reduce(f *effort.Effort, l *lts.LTS, e Equivalence, merge bool) (*graph, []uint32) {
	component, count := componentsOf(f, l, e == Strong)
	members := membersOf(f, component, count)
	defer f.Release(members.Bytes())
	statesOf := members.Of
	if e == Strong { // a state is a node of its own
		for i, s := range members.All {
			f.Tick()
			component[s] = uint32(i)
		}
		count, statesOf = l.States(), func(i uint32) []uint32 { return members.All[i : i+1] }
	}
	g, node := bottomUp(f, newGraph(l, e), count, merge, func(row []lts.Edge, c uint32) []lts.Edge {
		for _, s := range statesOf(c) {
			for _, edge := range l.Out(s) {
				to := component[edge.To]
				switch {
				case e == Strong || edge.Label != lts.Tau || to != c:
					row = append(row, lts.Edge{Label: edge.Label, To: to})
				case e == Divergence:
					row = append(row, lts.Edge{Label: lts.Label(l.Labels())})
				}
			}
		}
		return row
	})
	for s, c := range component {
		f.Tick()
		component[s] = node[c]
	}
	f.Release(4 * uint64(len(node)))
	if merge {
		g = mergeAgain(f, g, component)
	}
	return g, component
}

// mergeAgain repeats bottomUp as long as that halves the graph, so that all rounds together take linear time. Later
// rounds find rows that differed only in targets merged after them.
func mergeAgain(f *effort.Effort, g *graph, node []uint32) *graph {
	for !g.minimal {
		before := g.Len()
		merged, to := bottomUp(f, g, before, true, func(row []lts.Edge, s uint32) []lts.Edge {
			return append(row, g.Of(s)...)
		})
		if merged.Len() < before {
			for s, n := range node {
				f.Tick()
				node[s] = to[n]
			}
		}
		f.Release(4*uint64(before) + g.Bytes())
		g = merged
		if 2*g.Len() > before {
			break
		}
	}
	return g
}

// bottomUp merges branching bisimilar nodes of a graph given by its rows, each τ of which leads to a smaller
// node. Nodes are visited in ascending order. Node s is merged
//
//   - with the target r of one of its τ's if r has all other transitions of s: then s can become r, which can
//     do whatever s can;
//   - with a node that has the same transitions.
//
// Targets are those after merging. A visible transition to an unvisited node counts as different from transitions to
// all other nodes, so merging is sound but may be incomplete. If all transitions lead to smaller nodes it is complete,
// and the graph is marked as minimal. A diverge loop is treated like any other transition.
//
// bottomUp returns the new graph, with the same properties, and the new node of each node. Without merge it merges
// none.
func bottomUp(f *effort.Effort, like *graph, nodes int, merge bool,
	rowOf func(row []lts.Edge, s uint32) []lts.Edge,
) (*graph, []uint32) {
	f.Hold(4 * uint64(nodes))
	table := newRowTable(f)
	complete := merge
	node := slices.Repeat([]uint32{none}, nodes)
	var row []lts.Edge
	for s := range uint32(nodes) {
		f.Tick()
		row = rowOf(row[:0], s)
		for i, e := range row {
			switch {
			case e.Label == like.diverge:
				row[i].To = 0
			case node[e.To] != none:
				row[i].To = node[e.To]
			default:
				row[i].Label |= unresolved
				complete = false
			}
		}
		row = normalize(row)
		if !merge {
			node[s] = table.append(row)
		} else if r, ok := absorbing(table, row); ok && like.inert {
			node[s] = r
		} else {
			node[s] = table.add(row)
		}
	}
	table.dropIndex()
	g := resolve(f, like, table, node)
	g.minimal = complete
	return g, node
}

// absorbing returns the target of a τ in row that has all other transitions of row. Only the τ-successor with the
// greatest number can be one, since the others must be its own τ-successors.
func absorbing(table *rowTable, row []lts.Edge) (uint32, bool) {
	taus := 0
	for taus < len(row) && row[taus].Label == lts.Tau {
		taus++
	}
	if taus == 0 {
		return 0, false
	}
	r := row[taus-1].To
	have := table.Of(r)
	return r, includes(have, row[:taus-1]) && includes(have, row[taus:])
}

// includes reports whether every transition of want is in have; both are sorted.
func includes(have, want []lts.Edge) bool {
	if len(want) > len(have) {
		return false
	}
	for _, e := range want {
		i, found := slices.BinarySearchFunc(have, e, compareEdges)
		if !found {
			return false
		}
		have = have[i+1:]
	}
	return true
}

// resolve builds a graph from a table whose transitions lead to rows or, if unresolved, to nodes.
func resolve(f *effort.Effort, like *graph, table *rowTable, node []uint32) *graph {
	g := &graph{Rows: table.Rows, labels: like.labels, diverge: like.diverge, inert: like.inert}
	end := uint32(0)
	for s := range uint32(g.Len()) {
		f.Tick()
		row := g.Of(s)
		for i, e := range row {
			switch {
			case e.Label == g.diverge:
				row[i].To = s
			case e.Label >= unresolved:
				row[i] = lts.Edge{Label: e.Label &^ unresolved, To: node[e.To]}
			}
		}
		row = normalize(row)
		g.At[s] = end
		end += uint32(copy(g.All[end:], row))
	}
	g.At[g.Len()] = end
	g.All = g.All[:end]
	return g
}

// membersOf returns the states of each component.
func membersOf(f *effort.Effort, component []uint32, count int) adjacency.Rows[uint32] {
	return adjacency.Group(f, count, len(component), func(yield func(list, element uint32)) {
		for s, c := range component {
			f.Tick()
			yield(c, uint32(s))
		}
	})
}
