package ringcheck

import (
	"context"
	"encoding/json"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/reduce"
)

// Explore counts the reachable states, the transitions and the terminal states of a system, breadth first. A search
// that ends early is not an error: see Report.Err. The error is a *RequestError, or says why the search could not
// begin.
func Explore(ctx context.Context, sys *System, search Search) (*Report, error) {
	return ExploreInto(ctx, nil, nil, sys, search)
}

// ExploreInto is Explore with a store that keeps the search, and what it is about, so that it can go on after an
// interruption; see explore.Options.
func ExploreInto(
	ctx context.Context, into *store.Store, about json.RawMessage, sys *System, search Search,
) (*Report, error) {
	t, err := newTask(sys, search)
	switch {
	case err != nil:
		return nil, err
	case t.Search.Engine == Symbolic:
		return t.exploreSymbolically(ctx)
	}
	result, err := t.Explore(ctx, func() (*explore.Result, error) {
		opt := t.Search.ExploreOptions()
		opt.Store, opt.About = into, about
		return explore.Run(ctx, t.Searched, opt)
	})
	if err != nil {
		return nil, err
	}
	r := t.report(result, nil, result.Elapsed)
	return r, r.Phase(ctx, func() error { return t.countWithoutGhosts(ctx, r) })
}

// Export explores a system and writes its transitions, with τ for all labels but events if events is set. States are
// numbered in the order in which they are found. If there are several initial states, one more state follows all
// others, with a τ to each of them. If w fails, the report so far is returned with the error.
func Export(ctx context.Context, sys *System, w lts.Writer, events bool, search Search) (*Report, error) {
	if search.Reduction == OnTheFly {
		search.Workers = 1 // representatives can depend on the order in which states are visited
	}
	if search.Symmetry.String() != NoSymmetry.String() {
		return nil, model.Refuse("symmetry", string(search.Symmetry), "transitions are written of the full system only")
	}
	t, err := newStepwiseTask(sys, search)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &exporter{out: w, cancel: cancel}
	result, err := t.Explore(ctx, func() (*explore.Result, error) {
		g.label = memo.Of(func(l model.Label) string {
			if info := t.Searched.Label(l); info.Visible || !events {
				return info.Text
			}
			return lts.TauName
		})
		return explore.Walk(ctx, t.Searched, t.Search.ExploreOptions(), explore.Visitor{State: g.state,
			Transitions: g.transitions})
	})
	if err != nil {
		return nil, err
	}
	if result.Complete() && g.err == nil {
		g.err = g.close(result.States)
	}
	r := t.report(result, nil, result.Elapsed)
	if g.err != nil {
		r.Complete, r.Stopped = false, "output"
	}
	return r, g.err
}

// An exporter writes the transitions of a system.
type exporter struct {
	out     lts.Writer
	label   func(model.Label) string
	initial []uint64
	cancel  func() // ends the walk once err is set; its numbers so far stay known
	err     error
}

func (g *exporter) state(id uint64, level int, _ []model.Value) error {
	if level == 0 {
		g.initial = append(g.initial, id)
	}
	return nil
}

func (g *exporter) transitions(from uint64, all []explore.Transition) error {
	for _, t := range all {
		if g.err != nil {
			break
		}
		if t.Repeated {
			continue
		}
		if g.err = g.out.Transition(from, g.label(t.Label), t.To); g.err != nil {
			g.cancel()
		}
	}
	return nil
}

// close completes the file, whose formats have one initial state.
func (g *exporter) close(states uint64) error {
	if len(g.initial) == 1 {
		return g.out.Close(g.initial[0], states)
	}
	for _, s := range g.initial {
		if err := g.out.Transition(states, lts.TauName, s); err != nil {
			return err
		}
	}
	return g.out.Close(states, states+1)
}

// maxGhosts is the largest number of stored states with which a system is searched again without its ghosts.
const maxGhosts = 1 << 20

// countWithoutGhosts sets the number of states without the ghosts of the spec after a complete search, which shows what
// the ghosts cost. No step depends on a ghost, so the states without ghosts are those of the system without them. Large
// systems are not searched again.
func (t *task) countWithoutGhosts(ctx context.Context, r *Report) error {
	p := t.System.Protocol
	if p == nil || !p.HasGhosts() ||
		r.Diagram != nil || !r.search.Complete() || r.StoredStates > maxGhosts {
		return nil
	}
	bare := *t.System
	var err error
	if bare.Protocol, err = t.System.Spec.Declarations.WithoutGhosts(t.System.Given); err != nil {
		return err
	}
	search := t.Search
	search.Progress, search.Log = nil, nil
	other, err := reduce.Prepare(ctx, &bare, search)
	if err != nil {
		return err
	}
	found, err := explore.Run(ctx, other.Searched, other.Search.ExploreOptions())
	if err != nil {
		return err
	}
	if found.Complete() {
		r.StatesWithoutGhosts = new(Count(found.States))
	}
	return ctx.Err()
}
