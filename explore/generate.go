package explore

import (
	"context"
	"fmt"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/internal/crew"
	"ringcheck/lts"
	"ringcheck/model"
)

// Generate explores sys and returns it as a labelled transition system. name says what a label is called;
// lts.TauName hides it. The states are numbered from 0 on in the order in which a breadth-first search meets
// them, the same for any number of workers; if there are several initial states, one more, state 0, comes before
// them, with a τ to each. A quotient (model.Quotient) is returned as it is, not unfolded.
//
// Every state is expanded twice: by a search as by Run, and again, when every state has its place in the visited
// set, to make the transitions, each goroutine those of states of its own. Memory, beside that of the search, is
// 8 bytes for each transition and about 35 for each state; it counts against Options.Memory.
//
// If the search does not come to its end there is no system, only the result. The error is lts.ErrTooLarge if
// the system has more states or transitions than an lts.LTS can hold.
func Generate(ctx context.Context, sys model.System, opt Options, name func(model.LabelInfo) string) (*lts.LTS, *Result, error) {
	opt.Spill = false // a state's number is its place in memory
	space, err := Keep(ctx, sys, opt)
	if err != nil {
		return nil, nil, err
	}
	defer space.Close()
	result := space.result
	if !result.Complete() {
		return nil, result, nil
	}
	g := newGenerator(space.search, name)
	if m := opt.Memory; m != 0 && uint64(g.bytes())+g.need() > m {
		result.Stop = MemoryLimit
		return nil, result, nil
	}
	l, err := g.generate(ctx)
	if err != nil && ctx.Err() != nil {
		result.Stop = stopFor(ctx)
		return nil, result, nil
	}
	return l, result, err
}

// A generator makes the transitions of a search that has found all states. A state's number is, at first, its
// slot in the visited set.
type generator struct {
	*search
	builder   *lts.Builder
	labelling *tree.Labelling
}

func newGenerator(s *search, name func(model.LabelInfo) string) *generator {
	g := &generator{search: s, builder: lts.NewBuilder()}
	g.labelling = s.store.Labelling(func(l model.Label) uint32 {
		return uint32(g.builder.Label(name(s.sys.Label(l))))
	})
	return g
}

// need returns the bytes that the system takes while it is built.
func (g *generator) need() uint64 {
	const perSlot, perState, perTransition = 8 + 4, 8 + 4, 8
	stored := g.total.stored.Load()
	degree := float64(g.total.transitions.Load()) / float64(max(1, g.total.states.Load())) // of a quotient, too
	return perSlot*g.set.Slots() + perState*stored + uint64(perTransition*degree*float64(stored))
}

// generate makes the system.
func (g *generator) generate(ctx context.Context) (*lts.LTS, error) {
	if g.set.Slots() >= lts.MaxStates {
		return nil, lts.ErrTooLarge
	}
	if err := g.expand(ctx); err != nil {
		return nil, err
	}
	initial, err := g.begin()
	if err != nil {
		return nil, err
	}
	states := uint32(g.set.Slots())
	if len(initial) == 1 {
		return g.build(initial[0], states)
	}
	out := g.builder.Appender()
	for _, s := range initial {
		out.Add(states, lts.Edge{Label: lts.Tau, To: s})
	}
	return g.build(states, states+1)
}

// expand makes the transitions of all states.
func (g *generator) expand(ctx context.Context) error {
	var batches [][]tree.Root
	for _, level := range g.frontier.kept {
		batches = append(batches, level...)
	}
	var next atomic.Int64
	errs := make([]error, len(g.workers))
	var group crew.Crew
	for i, w := range g.workers {
		group.Go(func() {
			e := newExpander(g, w)
			for n := next.Add(1) - 1; n < int64(len(batches)) && errs[i] == nil; n = next.Add(1) - 1 {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = e.batch(batches[n])
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("make transitions: %w", err)
		}
	}
	return nil
}

// begin returns the initial states, each once.
func (g *generator) begin() ([]uint32, error) {
	var roots, slots []uint64
	err := g.sys.Initial(func(state []model.Value) bool {
		roots = append(roots, g.workers[0].tree.Root(state))
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("initial states: %w", err)
	}
	var initial []uint32
	seen := make(map[uint64]bool)
	for _, slot := range g.set.Finder().Find(roots, slots) {
		if !seen[slot] {
			seen[slot] = true
			initial = append(initial, uint32(slot))
		}
	}
	return initial, nil
}

func (g *generator) build(initial, states uint32) (*lts.LTS, error) {
	l, err := g.builder.Build(initial, int(states))
	if err != nil {
		return nil, err
	}
	l.Renumber()
	return l, nil
}

// An expander makes transitions, for one goroutine.
type expander struct {
	*generator
	tree   *tree.Worker
	finder *visited.Finder
	out    *lts.Appender
	roots  []tree.Root // the successors of some states
	ends   []int       // where those of each state end
	labels []uint32    // of the transitions to them
	slots  []uint64
	edges  []lts.Edge
}

func newExpander(g *generator, w *worker) *expander {
	return &expander{generator: g, tree: w.tree, finder: g.set.Finder(), out: g.builder.Appender()}
}

// batch makes the transitions of some states.
func (e *expander) batch(states []tree.Root) (err error) {
	for len(states) > 0 {
		some := states[:min(stride, len(states))]
		states = states[len(some):]
		e.roots, e.ends, e.labels, err = e.tree.Transitions(e.labelling, some, e.roots[:0], e.ends[:0], e.labels[:0])
		if err != nil {
			return err
		}
		e.add(some)
	}
	return nil
}

// add hands the transitions of some states in.
func (e *expander) add(states []tree.Root) {
	e.slots = e.finder.Find(e.roots, e.slots[:0])
	e.edges = e.edges[:0]
	for i, slot := range e.slots {
		e.edges = append(e.edges, lts.Edge{Label: lts.Label(e.labels[i]), To: uint32(slot)})
	}
	e.slots = e.finder.Find(states, e.slots[:0])
	first := 0
	for i, end := range e.ends {
		e.out.Add(uint32(e.slots[i]), e.edges[first:end]...)
		first = end
	}
}
