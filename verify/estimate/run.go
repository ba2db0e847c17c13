package estimate

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// Run returns the first run that violates a property, up to the violation. The run is recorded again and replayed by
// the small-step semantics. Of a large system only an excerpt is drawn; the error may be replay.ErrLong.
func (r *Report) Run(ctx context.Context, property string) (*view.Run, error) {
	return r.run(ctx, property, false)
}

// ShortRun is Run without the steps that replay.Run.Shorten finds to be irrelevant to the violation. It is not
// necessarily a shortest run; Counterexample searches for that.
func (r *Report) ShortRun(ctx context.Context, property string) (*view.Run, error) {
	return r.run(ctx, property, true)
}

func (r *Report) run(ctx context.Context, property string, short bool) (*view.Run, error) {
	i := slices.IndexFunc(r.Estimates, func(e Estimate) bool { return e.Name == property && e.Violated() })
	if i < 0 {
		return nil, fmt.Errorf("property %s: no run violates it", property)
	}
	s, e := r.by, &r.Estimates[i]
	if e.Steps > replay.Longest {
		return nil, replay.ErrLong
	}
	schedule, err := s.runs.Record(ctx, s.plan.Seed, uint64(*e.Against), e.Steps)
	if err != nil {
		return nil, err
	}
	p := s.properties[slices.IndexFunc(s.properties, func(p *ir.Property) bool { return p.Name == property })]
	x := &extract{protocol: s.Protocol, property: p}
	x.end = replay.Condition{End: p.Kind.OfEnds(), Is: func(state *replay.State) (bool, error) {
		env := x.protocol.NewEnv(state)
		env.Sets = state.Sets()
		v, err := p.Body.Eval(env)
		return v == 0, err
	}}
	if err := x.take(ctx, schedule); err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.Name, err)
	}
	if short {
		if err := x.take(ctx, schedule.Shorten(ctx, x.past.Steps, x.end)); err != nil {
			return nil, err
		}
	}
	if s.large(len(x.causes)) {
		return x.draw(ctx, s.System)
	}
	return x.languageRun(ctx, s)
}

// large reports whether a run of the given number of steps is too large to be shown with whole states. Showing it lists
// all successors of a state for each step, and should not take more than a second.
func (s *simulator) large(steps int) bool {
	p := s.Protocol
	return len(p.Large) > 0 || steps > 50_000 || float64(steps)*float64(p.N)*float64(p.N+p.NumberOfLinks()) > 10_000_000
}

// languageRun returns the run as one of the compiled system.
func (x *extract) languageRun(ctx context.Context, s *simulator) (*view.Run, error) {
	full, err := s.Compile(ctx, &s.Search)
	if err != nil {
		return nil, err
	}
	moves, err := x.schedule.Moves(ctx, full)
	if err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.Name, err)
	}
	t := &reduce.Subject{System: s.System, Search: s.Search, SearchSystem: full, Full: full}
	return verify.Show(t, &verify.Run{Property: x.property, Moves: moves})
}
