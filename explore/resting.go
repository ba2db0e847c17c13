package explore

import (
	"context"
	"slices"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
)

// A resting graph shows cheaply, for most states, that a goal can be reached from them. Every state has one to the
// state where it comes to rest (tree.Worker.Rest), which is a goal if it is, and those are few: of Franklin's ring of
// five, one for each 240 states. What they lead to comes to rest in one of them again. So a state has a way to a goal
// if the node of this graph has where it comes to rest. The converse is not true: on its way to rest a state may go
// where it need not.
type resting struct {
	worker *worker
	rests  *tree.Rests // by the first rule
	nodes  intern.Numbering
	list   []tree.StateID // by node
	edges  [][]uint32     // by node: where its successors come to rest
	good   []bool         // by node: has a way to a goal
	all    bool           // where states come to rest by the first rule is good
}

const (
	// A resting graph is made if its nodes are few: at most one for so many states, beyond the first few, and in so small
	// a part of the memory.
	statesPerRest = 32
	fewRests      = 1 << 12
	restShare     = 16
	nodeBytes     = 100 // about
	// restRules is how many rules there are for coming to rest: with a single one, processes that have to draw different
	// values might never do so.
	restRules = 8
)

// rest makes the resting graph of all states; nil if that would be too large, and when ctx ends.
func (s *search) rest(ctx context.Context, classes *tree.Classes, goal func(class uint32) bool) *resting {
	g := &resting{worker: s.workers[0], rests: classes.Rests(0)}
	states := 0
	for i, size := range s.sizes {
		s.each(ctx, s.storage.level(i), g.note)
		states += int(size)
		if n := len(g.list); n > fewRests && n > states/statesPerRest {
			return nil
		} else if n > fewRests && s.opt.Memory != 0 && uint64(n) > s.opt.Memory/restShare/nodeBytes {
			return nil
		}
	}
	n := len(g.list)
	for rule := 0; rule < restRules && !g.all; rule++ {
		if s.failure != nil || !g.extend(ctx, classes.Rests(rule)) {
			return nil
		}
		g.solve(ctx, func(id tree.StateID) bool { return goal(classes.Of(id)) })
		g.all = !slices.Contains(g.good[:n], false)
	}
	return g
}

// note makes nodes of the places where some states come to rest.
func (g *resting) note(w *worker, states []tree.StateID) {
	last := ^tree.StateID(0) // is none
	for _, id := range states {
		if to := w.tree.Rest(id, g.rests); to != last {
			last = to
			g.node(to)
		}
	}
}

// node returns the number of a node, which is made if there is none. It is called by many goroutines.
func (g *resting) node(id tree.StateID) uint32 {
	if n, ok := g.nodes.Load(id); ok {
		return n
	}
	return g.nodes.LoadOrCreate(id, func(uint32) { g.list = append(g.list, id) })
}

// extend adds edges to where the successors of nodes that are not good come to rest by one more rule, which may be new
// nodes. It reports whether it came to an end before ctx did.
func (g *resting) extend(ctx context.Context, rests *tree.Rests) bool {
	w := g.worker
	for next := 0; next < len(g.list); {
		if ctx.Err() != nil {
			return false
		}
		g.edges = slices.Grow(g.edges, len(g.list)-len(g.edges))[:len(g.list)]
		g.good = slices.Grow(g.good, len(g.list)-len(g.good))[:len(g.list)]
		var nodes []int
		w.fresh = w.fresh[:0]
		for ; next < len(g.list) && len(nodes) < stride; next++ {
			if !g.good[next] {
				nodes, w.fresh = append(nodes, next), append(w.fresh, g.list[next])
			}
		}
		w.successors(w.fresh, func(i int, to []tree.StateID) {
			for _, id := range to {
				g.edges[nodes[i]] = append(g.edges[nodes[i]], g.node(w.tree.Rest(id, rests)))
			}
		})
	}
	return true
}

// solve finds out which nodes have a way to a goal; not of all if ctx ends.
func (g *resting) solve(ctx context.Context, goal func(id tree.StateID) bool) {
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

// leads reports whether a state is known to have a way to a goal. g may be nil.
func (g *resting) leads(w *worker, id tree.StateID) bool {
	if g == nil {
		return false
	}
	node, ok := g.nodes.Load(w.tree.Rest(id, g.rests))
	return ok && g.good[node]
}
