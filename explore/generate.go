package explore

import (
	"context"

	"ringcheck/lts"
	"ringcheck/model"
)

// Generate explores sys and returns it as a labelled transition system. name says what a label is called;
// lts.TauName hides it. The states are numbered from 0 on in the order in which a breadth-first search meets
// them, the same for any number of workers; if there are several initial states, one more, state 0, comes before
// them, with a τ to each. A quotient (model.Quotient) is returned as it is, not unfolded.
//
// Memory, beside that of a Walk, is 16 bytes for each transition and about 30 for each state; it counts against
// Options.Memory, of which Spill and Store are ignored.
//
// If the search does not come to its end there is no system, only the result. The error is lts.ErrTooLarge if
// the system has more states or transitions than an lts.LTS can hold.
func Generate(ctx context.Context, sys model.System, opt Options, name func(model.LabelInfo) string) (
	*lts.LTS, *Result, error,
) {
	w, err := newWalk(ctx, sys, opt)
	if err != nil {
		result, err := unbegun(ctx, err)
		return nil, result, err
	}
	g := &generator{walk: w, name: name, builder: lts.NewBuilder()}
	w.visit, w.extra = g.add, g.bytes
	result, err := w.run()
	if err != nil {
		return nil, nil, err
	}
	if !result.Complete() {
		return nil, result, nil
	}
	l, err := g.build(ctx)
	if err != nil && ctx.Err() != nil {
		result.Stop = StopFor(ctx)
		return nil, result, nil
	}
	return l, result, err
}

// A generator makes a system of what a walk meets.
type generator struct {
	*walk
	name    func(model.LabelInfo) string
	builder *lts.Builder
	labels  []lts.Label // by number of a step, plus one; 0 is none yet
	edges   []lts.Edge
	made    uint64
}

// add adds the transitions of a state, which are those of a piece from first up to end.
func (g *generator) add(from uint64, p *piece, first, end int) error {
	g.edges = g.edges[:0]
	for i := first; i < end; i++ {
		if !g.steps.At(p.next.Tags[i]).Repeated {
			g.edges = append(g.edges, lts.Edge{Label: g.label(p.next.Tags[i]), To: uint32(p.to[i])})
		}
	}
	g.made += uint64(len(g.edges))
	if g.made > lts.MaxTransitions || from >= lts.MaxStates {
		return lts.ErrTooLarge
	}
	g.builder.Add(uint32(from), g.edges...)
	return nil
}

func (g *generator) label(step uint32) lts.Label {
	for uint32(len(g.labels)) <= step {
		g.labels = append(g.labels, 0)
	}
	if g.labels[step] == 0 {
		g.labels[step] = 1 + g.builder.Label(g.name(g.sys.Label(g.steps.At(step).Label)))
	}
	return g.labels[step] - 1
}

// bytes returns the memory that the system takes, with what it takes to build it.
func (g *generator) bytes() uint64 {
	const perState, perTransition = 8 + 4 + 4 + 8 + 8, 8 + 8
	return perState*g.count() + perTransition*g.made
}

func (g *generator) build(ctx context.Context) (*lts.LTS, error) {
	states, initials, first := uint32(g.count()), uint32(g.initials), uint32(0)
	g.walk = nil // so that what it holds can be collected
	if initials != 1 {
		first = states
		states++
		for s := range initials {
			g.builder.Add(first, lts.Edge{Label: lts.Tau, To: s})
		}
	}
	l, err := g.builder.Build(ctx, first, int(states))
	if err != nil {
		return nil, err
	}
	if err := l.Renumber(ctx); err != nil {
		return nil, err
	}
	return l, nil
}
