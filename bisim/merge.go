package bisim

import (
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// components returns the strongly connected components of the τ-transitions, or of all transitions: each state's
// component and their number. Components are numbered such that these transitions lead to the same or a smaller
// one. It is Tarjan's
// algorithm in the form of D. J. Pearce, "A space-efficient algorithm for finding strongly connected
// components" (Inf. Process. Lett. 116, 2016, algorithm PEA_FIND_SCC2), with an explicit stack: one number a
// state says when it was visited, then how far back it reaches, then its component.
//
// The targets of visible transitions are visited first, so that where visible behaviour has no cycles, most
// often also visible transitions lead to smaller components; bottomUp profits from that.
func components(f *effort.Effort, l *lts.LTS, all bool) (component []uint32, count int) {
	f.Hold(4 * uint64(l.States()))
	t := &tarjan{l: l, all: all, effort: f, rank: make([]uint32, l.States()), next: 1, component: none - 1}
	for s := range l.States() {
		f.Tick()
		for _, e := range l.Out(uint32(s)) {
			if !t.follows(e) {
				t.visit(e.To)
			}
		}
	}
	for s := range l.States() {
		t.visit(uint32(s))
	}
	for s, c := range t.rank {
		f.Tick()
		t.rank[s] = none - 1 - c
	}
	f.Release(t.held)
	return t.rank, int(none - 1 - t.component)
}

type tarjan struct {
	l      *lts.LTS
	all    bool // follow visible transitions as well
	effort *effort.Effort
	held   uint64 // by the stacks
	// rank is 0 for a state not visited, then the least visit number that it is known to reach, then its
	// component, counted down from above all visit numbers.
	rank      []uint32
	next      uint32 // visit number
	component uint32
	open      []uint32 // visited states that are not roots, whose components are not complete
	calls     []call
}

// A call is a state being visited, and the next of its transitions to look at.
type call struct {
	state, edge uint32
	root        bool
}

func (t *tarjan) follows(e lts.Edge) bool { return t.all || e.Label == lts.Tau }

// grow counts memory that a stack is about to take.
func (t *tarjan) grow(bytes int) {
	t.effort.Hold(uint64(bytes))
	t.held += uint64(bytes)
}

func (t *tarjan) visit(s uint32) {
	if t.rank[s] != 0 {
		return
	}
	t.enter(s)
	for len(t.calls) > 0 {
		c := &t.calls[len(t.calls)-1]
		if w, ok := t.step(c); ok {
			t.enter(w)
			continue
		}
		done := *c
		t.calls = t.calls[:len(t.calls)-1]
		t.leave(done)
	}
}

func (t *tarjan) enter(s uint32) {
	t.rank[s] = t.next
	t.next++
	if len(t.calls) == cap(t.calls) {
		t.grow(12 * cap(t.calls))
	}
	t.calls = append(t.calls, call{state: s, root: true})
}

// step looks at transitions of c.state from c.edge on, up to one to a state not yet visited.
func (t *tarjan) step(c *call) (unvisited uint32, ok bool) {
	out := t.l.Out(c.state)
	for ; int(c.edge) < len(out); c.edge++ {
		t.effort.Tick()
		e := out[c.edge]
		if !t.follows(e) {
			continue
		}
		r := t.rank[e.To]
		if r == 0 {
			return e.To, true // c.edge stays: the rank is compared when it is known
		}
		if r < t.rank[c.state] {
			t.rank[c.state] = r
			c.root = false
		}
	}
	return 0, false
}

func (t *tarjan) leave(c call) {
	if !c.root {
		if len(t.open) == cap(t.open) {
			t.grow(4 * cap(t.open))
		}
		t.open = append(t.open, c.state)
		return
	}
	rank := t.rank[c.state]
	t.next--
	for n := len(t.open); n > 0 && t.rank[t.open[n-1]] >= rank; n-- {
		t.rank[t.open[n-1]] = t.component
		t.open = t.open[:n-1]
		t.next--
	}
	t.rank[c.state] = t.component
	t.component--
}

// unresolved marks the label of a transition whose target has not been merged yet.
const unresolved lts.Label = 1 << 31

// acyclic collapses the τ-cycles of an LTS, all of whose states are branching bisimilar, and if asked to
// merges what can be seen to be branching bisimilar from the bottom up. It returns the graph and each state's
// node in it.
func acyclic(f *effort.Effort, l *lts.LTS, e Equivalence, merge bool) (*graph, []uint32) {
	component, count := components(f, l, false)
	members := membersOf(f, component, count)
	defer f.Release(members.bytes())
	g, node := bottomUp(f, newGraph(l, e), count, merge, func(row []lts.Edge, c uint32) []lts.Edge {
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
		f.Tick()
		component[s] = node[c]
	}
	f.Release(4 * uint64(len(node)))
	return g, component
}

// inOrder is acyclic for Strong: it merges states that have the same transitions, those that lead out of cycles
// after those that these lead to.
func inOrder(f *effort.Effort, l *lts.LTS) (*graph, []uint32) {
	component, count := components(f, l, true)
	members := membersOf(f, component, count)
	defer f.Release(members.bytes())
	place := component
	for i, s := range members.states {
		f.Tick()
		place[s] = uint32(i)
	}
	g, node := bottomUp(f, newGraph(l, Strong), l.States(), true, func(row []lts.Edge, i uint32) []lts.Edge {
		for _, edge := range l.Out(members.states[i]) {
			row = append(row, lts.Edge{Label: edge.Label, To: place[edge.To]})
		}
		return row
	})
	for s, i := range place {
		f.Tick()
		place[s] = node[i]
	}
	f.Release(4 * uint64(len(node)))
	return g, place
}

// mergeAgain merges from the bottom up as long as that halves the graph, so all rounds together take time
// linear in it. Later rounds find what earlier ones cannot: rows that differed in the targets of visible
// transitions that were merged later.
func mergeAgain(f *effort.Effort, g *graph, node []uint32) *graph {
	for !g.minimal {
		before := g.states()
		merged, to := bottomUp(f, g, before, true, func(row []lts.Edge, s uint32) []lts.Edge {
			return append(row, g.row(s)...)
		})
		if merged.states() < before {
			for s, n := range node {
				f.Tick()
				node[s] = to[n]
			}
		}
		f.Release(4*uint64(before) + g.bytes())
		g = merged
		if 2*g.states() > before {
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
// Targets are those after merging. A visible transition may lead to a node that is not visited yet; then it
// counts as different from transitions to all other nodes, so merging is sound but may be incomplete. If all
// transitions lead to smaller nodes it is complete, and the graph is marked as minimal. A loop diverge goes through like any transition.
//
// It returns the new graph, with the same properties, and each node's node in it. Without merge nodes remain
// as they are.
func bottomUp(f *effort.Effort, like *graph, nodes int, merge bool, rowOf func(row []lts.Edge, s uint32) []lts.Edge) (*graph, []uint32) {
	f.Hold(4 * uint64(nodes))
	table := newRowTable(f)
	complete := merge
	node := make([]uint32, nodes)
	for i := range node {
		node[i] = none
	}
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
func resolve(f *effort.Effort, like *graph, table *rowTable, node []uint32) *graph {
	g := &graph{offset: table.offset, edges: table.edges, labels: like.labels, diverge: like.diverge, inert: like.inert}
	end := uint32(0)
	for s := range uint32(g.states()) {
		f.Tick()
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

func (m *members) bytes() uint64 { return 4 * uint64(len(m.offset)+len(m.states)) }

// membersOf sorts states by component, by counting.
func membersOf(f *effort.Effort, component []uint32, count int) *members {
	f.Hold(4 * uint64(len(component)+count+2))
	m := &members{offset: make([]uint32, count+2), states: make([]uint32, len(component))}
	for _, c := range component {
		f.Tick()
		m.offset[c+2]++
	}
	for c := range count {
		m.offset[c+2] += m.offset[c+1]
	}
	for s, c := range component {
		f.Tick()
		m.states[m.offset[c+1]] = uint32(s)
		m.offset[c+1]++
	}
	return m
}
