package explore

import (
	"context"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/internal/crew"
	"ringcheck/model"
)

// A Graph is the transition system of a Space, in so far as it need not be kept: a state is known by its place in the visited set, a
// number below Places, and its successors are computed whenever they are asked for.
type Graph struct{ *search }

// A Vertex is a state of a Graph. What it holds is valid during a call.
type Vertex struct {
	Place uint64
	Class uint32   // by Options.Observer
	To    []uint64 // the places of its successors, once for each transition, those of a group one after the other
	Tags  []uint32 // of the transitions, by Options.Tag
}

// Graph returns the graph of a complete search that was made with an Observer and a Tag; the error is ErrIncomplete, or ErrMemory if the
// search has spilled.
func (s *Space) Graph() (*Graph, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	if _, ok := s.search.storage.(*spilled); ok {
		return nil, ErrMemory
	}
	return &Graph{s.search}, nil
}

// Places returns the number that all places are below.
func (g *Graph) Places() uint64 { return g.set.Slots() }

// Has reports whether there is a state at a place.
func (g *Graph) Has(place uint64) bool { return g.set.Filled(place) }

// Room returns how many more bytes may be held; without a budget very many.
func (g *Graph) Room() uint64 {
	held := uint64(g.bytes())
	if g.opt.Memory == 0 {
		return 1 << 62
	}
	return g.opt.Memory - min(held, g.opt.Memory)
}

// Initial returns the places of the initial states, in the order of the system.
func (g *Graph) Initial() ([]uint64, error) {
	var ids []tree.StateID
	err := g.sys.Initial(func(state []model.Value) bool {
		ids = append(ids, g.workers[0].tree.ID(state))
		return true
	})
	return g.set.Finder().Find(ids, nil), err
}

// State writes the state at a place.
func (g *Graph) State(place uint64) []model.Value { return g.workers[0].vector(g.set.ID(place)) }

// Sweep calls visit, from several goroutines, with the states that are wanted: level by level, from the last to the first if backward is set.
// The error is that of the context.
func (g *Graph) Sweep(ctx context.Context, backward bool, wanted func(place uint64) bool, visit func(v *Vertex)) error {
	levels := g.frontier.kept
	for i := range levels {
		if backward {
			i = len(levels) - 1 - i
		}
		var next atomic.Int64
		var group crew.Crew
		for _, w := range g.workers[:min(len(g.workers), len(levels[i]))] {
			group.Go(func() {
				e := g.expander(w)
				for j := next.Add(1) - 1; j < int64(len(levels[i])) && ctx.Err() == nil; j = next.Add(1) - 1 {
					for states := levels[i][j]; len(states) > 0; {
						some := states[:min(stride, len(states))]
						states = states[len(some):]
						e.choose(some, wanted)
						e.expand(visit)
					}
				}
			})
		}
		group.Wait()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Expand calls visit with the states at some places, in order.
func (g *Graph) Expand(places []uint64, visit func(v *Vertex)) {
	e := g.expander(g.workers[0])
	for len(places) > 0 {
		n := min(stride, len(places))
		e.places, e.ids = places[:n], e.ids[:0]
		for _, p := range e.places {
			e.ids = append(e.ids, g.set.ID(p))
		}
		places = places[n:]
		e.expand(visit)
	}
}

// A placing expands states of a Graph for one goroutine.
type placing struct {
	*worker
	finder *visited.Finder
	ids    []tree.StateID
	places []uint64 // of state IDs
	all    []uint64
	to     []uint64
	next   tree.Expansion
	vertex Vertex
}

func (g *Graph) expander(w *worker) *placing { return &placing{worker: w, finder: g.set.Finder()} }

// choose keeps those of some states whose places are wanted.
func (e *placing) choose(states []tree.StateID, wanted func(place uint64) bool) {
	e.all = e.finder.Find(states, e.all[:0])
	e.ids = e.ids[:0]
	n := 0
	for i, p := range e.all {
		if wanted(p) {
			e.ids = append(e.ids, states[i])
			e.all[n] = p
			n++
		}
	}
	e.places = e.all[:n]
}

func (e *placing) expand(visit func(v *Vertex)) {
	// Every state was expanded without an error before.
	_ = e.tree.Expand(e.ids, nil, &e.next)
	e.to = e.finder.Find(e.next.To, e.to[:0])
	first := 0
	for i, end := range e.next.Ends {
		e.vertex = Vertex{e.places[i], e.classes.Of(e.ids[i]), e.to[first:end], e.next.Tags[first:end]}
		visit(&e.vertex)
		first = end
	}
}
