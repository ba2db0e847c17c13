package bisim

import (
	"slices"

	"ringcheck/lts"
)

// unresolved marks the label of a transition whose target has not been merged yet.
const unresolved lts.Label = 1 << 31

// acyclic collapses the τ-cycles of an LTS, all of whose states are branching bisimilar, and if asked to
// merges what can be seen to be branching bisimilar from the bottom up. It returns the graph and each state's
// node in it.
func acyclic(l *lts.LTS, e Equivalence, merge bool) (*graph, []uint32) {
	component, count := tauComponents(l)
	members := membersOf(component, count)
	g, node := bottomUp(newGraph(l, e), count, merge, func(row []lts.Edge, c uint32) []lts.Edge {
		for _, s := range members.of(c) {
			for _, edge := range l.Out(s) {
				to := component[edge.To]
				switch {
				case edge.Label != lts.Tau || to != c:
					row = append(row, lts.Edge{Label: edge.Label, To: to})
				case e == Divergence:
					row = append(row, lts.Edge{Label: lts.Label(l.Labels())})
				}
			}
		}
		return row
	})
	for s, c := range component {
		component[s] = node[c]
	}
	return g, component
}

// mergeAgain merges from the bottom up as long as that halves the graph, so all rounds together take time
// linear in it. Later rounds find what earlier ones cannot: rows that differed in the targets of visible
// transitions that were merged later.
func mergeAgain(g *graph, node []uint32) *graph {
	for {
		before := g.states()
		merged, to := bottomUp(g, before, true, func(row []lts.Edge, s uint32) []lts.Edge {
			return append(row, g.row(s)...)
		})
		if merged.states() < before {
			for s, n := range node {
				node[s] = to[n]
			}
		}
		g = merged
		if 2*g.states() > before {
			return g
		}
	}
}

// bottomUp merges branching bisimilar nodes of a graph given by its rows, each τ of which leads to a smaller
// node. Nodes are visited in ascending order. Node s is merged
//
//   - with the target r of one of its τ's if r has all other transitions of s: then s can become r, which can
//     do whatever s can;
//   - with a node that has the same transitions.
//
// Targets are those after merging. A visible transition may lead to a node that is not visited yet; then it
// counts as different from transitions to all other nodes, so merging is sound but may be incomplete. If all
// transitions lead to smaller nodes it is complete. A loop diverge goes through like any transition.
//
// It returns the new graph, with the same properties, and each node's node in it. Without merge nodes remain
// as they are.
func bottomUp(like *graph, nodes int, merge bool, rowOf func(row []lts.Edge, s uint32) []lts.Edge) (*graph, []uint32) {
	table := newRowTable()
	node := make([]uint32, nodes)
	for i := range node {
		node[i] = none
	}
	var row []lts.Edge
	for s := range uint32(nodes) {
		row = rowOf(row[:0], s)
		for i, e := range row {
			switch {
			case e.Label == like.diverge:
				row[i].To = 0
			case node[e.To] != none:
				row[i].To = node[e.To]
			default:
				row[i].Label |= unresolved
			}
		}
		row = normalize(row)
		if r, ok := absorbing(table, row); ok && merge {
			node[s] = r
		} else if merge {
			node[s] = table.add(row)
		} else {
			node[s] = table.append(row)
		}
	}
	table.slots = nil
	return resolve(like, table, node), node
}

// absorbing returns the target of a τ in row that has all other transitions of row. If there is one it is
// the τ-successor with the greatest number: the others are its own τ-successors.
func absorbing(table *rowTable, row []lts.Edge) (uint32, bool) {
	taus := 0
	for taus < len(row) && row[taus].Label == lts.Tau {
		taus++
	}
	if taus == 0 {
		return 0, false
	}
	r := row[taus-1].To
	have := table.row(r)
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

// resolve turns a table whose transitions lead to rows, or to unresolved nodes, into a graph.
func resolve(like *graph, table *rowTable, node []uint32) *graph {
	g := &graph{offset: table.offset, edges: table.edges, labels: like.labels, diverge: like.diverge, inert: like.inert}
	end := uint32(0)
	for s := range uint32(g.states()) {
		row := g.edges[g.offset[s]:g.offset[s+1]]
		for i, e := range row {
			switch {
			case e.Label == g.diverge:
				row[i].To = s
			case e.Label >= unresolved:
				row[i] = lts.Edge{Label: e.Label &^ unresolved, To: node[e.To]}
			}
		}
		row = normalize(row)
		g.offset[s] = end
		end += uint32(copy(g.edges[end:], row))
	}
	g.offset[g.states()] = end
	g.edges = g.edges[:end]
	return g
}

// members lists the states of each component.
type members struct{ offset, states []uint32 }

func (m *members) of(c uint32) []uint32 { return m.states[m.offset[c]:m.offset[c+1]] }

// membersOf sorts states by component, by counting.
func membersOf(component []uint32, count int) *members {
	m := &members{offset: make([]uint32, count+2), states: make([]uint32, len(component))}
	for _, c := range component {
		m.offset[c+2]++
	}
	for c := range count {
		m.offset[c+2] += m.offset[c+1]
	}
	for s, c := range component {
		m.states[m.offset[c+1]] = uint32(s)
		m.offset[c+1]++
	}
	return m
}
