package explore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Trap describes the states from which no goal can be reached.
type Trap struct {
	States uint64 // the number of these states
	// Level is the first BFS level with such a state, State the least of them in readable form. Both are void if States
	// is 0.
	Level int
	State []model.Value
}

// ErrIncomplete means that a limit, the disk or the context ended the search before the answer was known.
var ErrIncomplete = errors.New("stopped before the end")

// ErrMemory means that Options.Memory does not suffice.
var ErrMemory = effort.ErrMemory

// Trap finds the states from which no state of a goal class can be reached, which violate AG EF goal. The observer o
// should distinguish goals only. There is no such state if and only if a goal is reached under global fairness in a
// finite system, and with probability one if a fair scheduler decides what is not drawn.
//
// Usually the resting graph proves that every state can reach a goal. Otherwise the states for which it proves nothing
// are candidates. The candidates with a successor outside are removed until nothing changes (elimination).
//
// The error is ErrIncomplete or ErrMemory, or comes from the disk or the context.
func (s *Space) Trap(ctx context.Context, o Observer, goal func(class uint32) bool) (*Trap, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	classes := s.search.store.Classes(o)
	rests := s.search.restGraph(ctx, classes, goal)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rests != nil && rests.all {
		return &Trap{}, nil
	}
	g, err := s.search.graph(ctx, func(w *worker, id tree.StateID) uint32 {
		if rests.leads(w, id) || goal(classes.Of(id)) {
			return 0
		}
		return uint32(w.sightings.orbit(id))
	})
	if err != nil {
		return nil, err
	}
	defer g.close()
	if g.FreeBytes() < (g.Places()+g.States())/8 {
		return nil, ErrMemory
	}
	e := &elimination{g, graph.NewSet(g.Places()), graph.NewSet(g.States())}
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	return e.trap(ctx, s.search.sys)
}

// An elimination removes the states with a successor outside from a candidate set, until nothing changes. It sweeps
// from the last level to the first, since most transitions lead to the next level. States of class 0 are not
// candidates; the class of the others is the size of their orbits.
type elimination struct {
	graph   Graph
	outside graph.Set[uint64] // by place
	left    graph.Set[uint64] // by number
}

func (e *elimination) run(ctx context.Context) error {
	for selected, n := (Selection{}), int64(1); n > 0; selected.Number = e.left.Has {
		var out atomic.Int64
		err := e.graph.Sweep(ctx, true, selected, func(v *Vertex) {
			switch {
			case v.Class == 0 || slices.ContainsFunc(v.To, e.outside.Has):
				e.outside.Add(v.Place)
				e.left.Remove(v.Number)
				out.Add(1)
			case selected.Number == nil:
				e.left.Add(v.Number)
			}
		})
		if err != nil {
			return err
		}
		n = out.Load()
	}
	return nil
}

// trap describes the states that are left.
func (e *elimination) trap(ctx context.Context, sys model.System) (*Trap, error) {
	t := &Trap{}
	var mu sync.Mutex
	var first []uint64 // the places of the remaining states on the first level that has any
	err := e.graph.Sweep(ctx, false, Selection{Number: e.left.Has}, func(v *Vertex) {
		mu.Lock()
		defer mu.Unlock()
		if t.States += uint64(v.Class); len(first) == 0 || v.Level < t.Level {
			t.Level, first = v.Level, first[:0]
		}
		if v.Level == t.Level {
			first = append(first, v.Place)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(first) // the order on disk
	for _, place := range first {
		state, err := e.graph.State(place)
		if err != nil {
			return nil, err
		}
		if t.State == nil || model.Compare(sys, state, t.State) < 0 {
			t.State = state
		}
	}
	return t, nil
}

// A restGraph shows cheaply, for most states, that a goal can be reached from them. Every state has a path to its
// resting state (tree.Worker.RestingState), which is a goal if the state is, and resting states are few: in Franklin's
// ring of five, one for 240 states. The resting states of their successors are nodes of the graph, too. So a goal can
// be reached from a state if it can be reached from its resting state in this graph. The converse is not true: the path
// to the resting state may leave the states from which a goal can be reached.
type restGraph struct {
	worker *worker
	table  *tree.RestTable // by the first rule
	nodes  intern.Numbering
	list   []tree.StateID // by node
	edges  [][]uint32     // by node: the nodes of the resting states of its successors
	good   []bool         // by node: whether a goal can be reached
	all    bool           // whether all resting states by the first rule are good
}

const (
	// Limits of a resting graph: states for each node, nodes that are always allowed, and the divisor of the memory.
	statesPerRest = 32
	fewRests      = 1 << 12
	restShare     = 16
	nodeBytes     = 100 // approximately
	// restRules is the number of rules for resting states: with a single one, processes that have to draw different
	// values might never do so.
	restRules = 8
)

// restGraph computes the resting graph of all states; nil if that would be too large or ctx ends.
func (s *search) restGraph(ctx context.Context, classes *tree.Classes, goal func(class uint32) bool) *restGraph {
	g := &restGraph{worker: s.workers[0], table: classes.RestTable(0)}
	states := 0
	for i, size := range s.sizes {
		s.distribute(ctx, s.storage.level(i), g.addRests)
		states += int(size)
		if n := len(g.list); n > fewRests && n > states/statesPerRest {
			return nil
		} else if n > fewRests && s.opt.Memory != 0 && uint64(n) > s.opt.Memory/restShare/nodeBytes {
			return nil
		}
	}
	n := len(g.list)
	for rule := 0; rule < restRules && !g.all; rule++ {
		if s.failure != nil || !g.extend(ctx, classes.RestTable(rule)) {
			return nil
		}
		g.solve(ctx, func(id tree.StateID) bool { return goal(classes.Of(id)) })
		g.all = !slices.Contains(g.good[:n], false)
	}
	return g
}

// addRests adds the resting states of some states as nodes.
func (g *restGraph) addRests(w *worker, states []tree.StateID) {
	last := ^tree.StateID(0) // no state
	for _, id := range states {
		if to := w.tree.RestingState(id, g.table); to != last {
			last = to
			g.node(to)
		}
	}
}

// node returns the number of the node of a resting state, which it adds if it is new. Many goroutines call it.
func (g *restGraph) node(id tree.StateID) uint32 {
	if n, ok := g.nodes.Load(id); ok {
		return n
	}
	return g.nodes.LoadOrCreate(id, func(uint32) { g.list = append(g.list, id) })
}

// extend adds edges from nodes that are not good to the resting states of their successors by another rule, which may
// be new nodes. It reports whether it was completed before ctx ended.
func (g *restGraph) extend(ctx context.Context, rests *tree.RestTable) bool {
	w := g.worker
	for next := 0; next < len(g.list); {
		if ctx.Err() != nil {
			return false
		}
		g.edges = slices.Grow(g.edges, len(g.list)-len(g.edges))[:len(g.list)]
		g.good = slices.Grow(g.good, len(g.list)-len(g.good))[:len(g.list)]
		var nodes []int
		w.fresh = w.fresh[:0]
		for ; next < len(g.list) && len(nodes) < statesPerExpansion; next++ {
			if !g.good[next] {
				nodes, w.fresh = append(nodes, next), append(w.fresh, g.list[next])
			}
		}
		w.successors(w.fresh, func(i int, to []tree.StateID) {
			for _, id := range to {
				g.edges[nodes[i]] = append(g.edges[nodes[i]], g.node(w.tree.RestingState(id, rests)))
			}
		})
	}
	return true
}

// solve determines the nodes from which a goal can be reached; not all if ctx ends.
func (g *restGraph) solve(ctx context.Context, goal func(id tree.StateID) bool) {
	for i, id := range g.list {
		g.good[i] = g.good[i] || goal(id)
	}
	for changed := true; changed && ctx.Err() == nil; {
		changed = false
		for i, to := range slices.Backward(g.edges) { // the last level first
			if !g.good[i] && slices.ContainsFunc(to, func(to uint32) bool { return g.good[to] }) {
				g.good[i], changed = true, true
			}
		}
	}
}

// leads reports whether a goal is known to be reachable from a state. g may be nil.
func (g *restGraph) leads(w *worker, id tree.StateID) bool {
	if g == nil {
		return false
	}
	node, ok := g.nodes.Load(w.tree.RestingState(id, g.table))
	return ok && g.good[node]
}
