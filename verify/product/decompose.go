package product

import (
	"errors"
	"maps"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// A subgraph has the alive nodes, numbered by state of the automaton and by place, with their inner edges, in memory.
type subgraph struct {
	*product
	effort      *effort.Effort
	nodesBefore [][]uint32            // by state of the automaton and word of alive: the number of nodes before it
	edges       graph.Rows[innerEdge] // by node
	enabled     []uint64              // by node: its enabled strongly fair actions, as marks
	component   []uint32              // by node: its component in the last round, graph.None if it is eliminated

	mu      sync.Mutex
	marks   []uint64 // by number
	numbers atomic.Pointer[map[uint64]uint32]
}

// An innerEdge is an edge of a node: its target, and the number of its marks.
type innerEdge struct{ to, marks uint32 }

// decomposes reports whether a search may decompose the remaining nodes: with strong fairness, but without chances. A
// fair component can be nested in unfair components. Each would take many sweeps, but takes one search here.
func (m *product) decomposes() bool { return m.strong != 0 && !m.Chances }

// hasManyNodes reports whether most states have several nodes. Then a round of sweeps takes long, and a decomposition,
// component by component of the automaton, takes little memory beside the sets.
func (m *product) hasManyNodes() bool {
	n := 0
	for _, accepting := range m.accepting {
		if accepting {
			n++
		}
	}
	return n > 1
}

// decompose leaves only the nodes of strongly connected components in which every required mark can be taken
// (Lichtenstein and Pnueli, Checking that finite state concurrent programs satisfy their linear specification, POPL
// 1985). A component lies in a component of the automaton, so these are processed one after the other. ok is false if
// one does not fit in memory; then the ones before it have been decomposed.
func (m *product) decompose() (ok bool, err error) {
	of := m.Automaton.Components()
	for c := range uint32(len(of)) {
		part := *m
		part.alive = make([]graph.Set[uint64], len(m.alive))
		for q, s := range m.alive {
			if of[q] == c {
				part.alive[q] = s
			}
		}
		if ok, err := part.decomposePart(); !ok || err != nil {
			return false, err
		}
	}
	_, err = m.sweep(true, explore.Selection{Number: m.remaining.Has}, func(v *explore.Vertex) int64 {
		if !m.isAlive(v.Place) {
			m.remaining.Remove(v.Number)
		}
		return 0
	})
	return err == nil, err
}

// decomposePart decomposes all alive nodes together.
func (m *product) decomposePart() (ok bool, err error) {
	room := m.System.FreeBytes()
	if m.isEmpty() || m.usedBytes >= room {
		return m.isEmpty(), nil
	}
	g := &subgraph{product: m, effort: &effort.Effort{Context: m.ctx, Limit: room - m.usedBytes}}
	g.numbers.Store(&map[uint64]uint32{})
	err = effort.Do(m.ctx, func() error {
		if err := g.build(); err != nil {
			return err
		}
		for g.round() {
		}
		g.removeEliminated()
		return nil
	})
	if errors.Is(err, effort.ErrMemory) {
		return false, nil
	}
	return err == nil, err
}

// node returns the number of an alive node.
func (g *subgraph) node(q int, place uint64) uint32 {
	below := g.alive[q][place/64] & (1<<(place%64) - 1)
	return g.nodesBefore[q][place/64] + uint32(bits.OnesCount64(below))
}

// numberOf returns the number of a set of marks. There are few sets, and most are soon numbered: readers do not block
// one another.
func (g *subgraph) numberOf(marks uint64) uint32 {
	if i, ok := (*g.numbers.Load())[marks]; ok {
		return i
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	i, ok := (*g.numbers.Load())[marks]
	if !ok {
		i = uint32(len(g.marks))
		g.marks = append(g.marks, marks)
		numbers := maps.Clone(*g.numbers.Load())
		numbers[marks] = i
		g.numbers.Store(&numbers)
	}
	return i
}

// build finds the edges, in two sweeps. The first one counts them.
func (g *subgraph) build() error {
	nodes := uint32(0)
	for q, s := range g.alive {
		g.effort.Hold(4 * uint64(len(s)))
		g.nodesBefore = append(g.nodesBefore, make([]uint32, len(s)))
		for i, w := range s {
			g.nodesBefore[q][i] = nodes
			nodes += uint32(bits.OnesCount64(w))
		}
	}
	g.effort.Hold(16 * uint64(nodes))
	at := make([]uint32, nodes+2) // at[i+1] is first the number of edges of node i, then the end of those found so far
	g.enabled, g.component = make([]uint64, nodes), make([]uint32, nodes)
	if err := g.visit(func(n uint32, v *explore.Vertex, q int) {
		g.enabled[n] = g.product.enabled(v) & g.strong
		g.innerEdges(v, q, func(edge) bool { at[n+2]++; return true })
	}); err != nil {
		return err
	}
	total := uint64(0)
	for i := range nodes {
		total += uint64(at[i+2])
		at[i+2] += at[i+1]
	}
	g.effort.Hold(8 * total)
	if total > math.MaxUint32 {
		return effort.ErrMemory
	}
	all := make([]innerEdge, total)
	err := g.visit(func(n uint32, v *explore.Vertex, q int) {
		enabled := g.product.enabled(v)
		g.innerEdges(v, q, func(e edge) bool {
			all[at[n+1]] = innerEdge{g.node(e.To, v.To[e.t]), g.numberOf(g.marksOf(v, e, enabled))}
			at[n+1]++
			return true
		})
	})
	g.edges = graph.Rows[innerEdge]{At: at[:nodes+1], All: all}
	return err
}

// visit calls do with each alive node, from several goroutines.
func (g *subgraph) visit(do func(n uint32, v *explore.Vertex, q int)) error {
	_, err := g.sweep(true, explore.Selection{Number: g.remaining.Has}, func(v *explore.Vertex) int64 {
		for q, s := range g.alive {
			if s != nil && s.Has(v.Place) {
				do(g.node(q, v.Place), v, q)
			}
		}
		return 0
	})
	return err
}

// round divides the components of the last round into their components. It eliminates components in which some mark
// cannot be taken; if only marks of strongly fair actions are missing, just the nodes in which these are enabled. It
// reports whether it has eliminated nodes.
func (g *subgraph) round() (changed bool) {
	components, count := g.components()
	g.effort.Hold(16*uint64(count) + uint64(count)/8)
	marks, enabled, cyclic := make([]uint64, count), make([]uint64, count), graph.NewSet(uint32(count))
	for n, c := range components {
		if g.effort.Tick(); c == graph.None {
			continue
		}
		enabled[c] |= g.enabled[n]
		for _, e := range g.edges.Of(uint32(n)) {
			if components[e.to] == c {
				marks[c] |= g.marks[e.marks]
				cyclic.Add(c)
			}
		}
	}
	for n, c := range components {
		if c == graph.None {
			continue
		}
		missing := g.missingMarks(marks[c], enabled[c])
		if !cyclic.Has(c) || missing&^g.strong != 0 || missing&g.enabled[n] != 0 {
			c, changed = graph.None, true
		}
		g.component[n] = c
	}
	g.effort.Release(4*uint64(len(components)) + 16*uint64(count) + uint64(count)/8)
	return changed
}

// components returns the strongly connected component of each node, by edges inside the components of the last round.
func (g *subgraph) components() (of []uint32, count int) {
	search := graph.NewSearch(g.effort, len(g.component), func(n, from uint32) (to, edge uint32, ok bool) {
		for list := g.edges.Of(n); from < uint32(len(list)); from++ {
			if to := list[from].to; g.component[to] == g.component[n] {
				return to, from, true
			}
		}
		return 0, 0, false
	})
	for n, p := range g.component {
		if p != graph.None {
			search.Visit(uint32(n))
		}
	}
	return search.Components()
}

// removeEliminated removes the eliminated nodes from the alive ones.
func (g *subgraph) removeEliminated() {
	n := 0
	for _, s := range g.alive {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if g.component[n] == graph.None {
					s[i] &^= w & -w
				}
				n++
			}
		}
	}
}
