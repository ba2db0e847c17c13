package verify

import (
	"context"
	"slices"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
)

// A Run leads to a state that breaks a property, or breaks it for ever.
type Run struct {
	Property *ir.Property
	// Lasso says, of a run that breaks an LTL property, from where on it is repeated.
	Lasso *Lasso
	// Moves is a shortest such run. It is nil for a Reachable property, which all runs together break.
	Moves []explore.Move
}

// Counterexample looks for a shortest run that breaks one of the properties of s: first an invariant or terminal one,
// of which the search ends with the first level that breaks one; if they all hold, one of the others, and then an LTL
// property. Among equally short runs it is one to the property that comes first, and always the same run. The run is
// nil if nothing is broken as far as the search has come; see Report.Search for how far that is. Errors are those of
// Check, and if ctx ends the way back from a state the report says what it breaks.
//
// A search keeps nothing that leads back from a state. This one keeps its levels, 8 bytes a state, and finds
// predecessors by expanding them again.
func (s Subject) Counterexample(
	ctx context.Context, properties []*ir.Property, opt explore.Options,
) (*Run, *Report, error) {
	c, err := newChecker(ctx, s, properties)
	if err != nil {
		return nil, nil, err
	}
	run, r, err := c.breaking(ctx, opt)
	if run != nil || err != nil || !r.Search.Complete() || !c.wants(ir.LTL) {
		return run, r, err
	}
	if s.quotient() { // round the cycle, processes change places
		s.Searched, s.Unreduce = nil, nil
		return s.Counterexample(ctx,
			slices.DeleteFunc(slices.Clone(properties), func(p *ir.Property) bool { return p.Kind != ir.LTL }), opt)
	}
	space, kinds, err := c.keep(ctx, opt)
	if err != nil {
		return nil, r, err
	}
	defer space.Close()
	if !space.Result().Complete() {
		if space.Result().Stop == explore.MemoryLimit {
			r.unfit(nil)
		}
		return nil, r, nil
	}
	graph, err := c.decideTemporal(ctx, r, space, kinds)
	v := r.shortest()
	if v == nil || err != nil && ctx.Err() == nil {
		return nil, r, err
	}
	run = &Run{Property: v.Property, Lasso: v.Lasso}
	if run.Moves, err = c.moves(graph, v.Lasso.lasso); err == nil && s.Unreduce != nil {
		err = c.unreduceForEver(ctx, run)
	}
	if err != nil {
		return nil, r, err
	}
	return run, r, nil
}

// unreduceForEver makes a run of a reduced system that goes on for ever one of the protocol, and says who is starved
// there.
func (c *checker) unreduceForEver(ctx context.Context, run *Run) error {
	moves, at, err := c.subject.Unreduce(ctx, run.Moves)
	if err != nil {
		return err
	}
	l := *run.Lasso
	end := at[len(at)-1]
	l.Stem = at[l.Stem]
	l.Cycle = end - l.Stem
	run.Moves, run.Lasso = moves, &l
	if l.Cycle == 0 {
		return nil
	}
	starved, err := starvedAlong(c.subject.System, moves[l.Stem:])
	l.Why = append(starved, l.Why...)
	return err
}

// breaking looks for a run that breaks a property that is not an LTL property.
func (c *checker) breaking(ctx context.Context, opt explore.Options) (*Run, *Report, error) {
	opt.Observer, opt.Until = c.observer, c.breaks
	space, err := explore.Keep(ctx, c.subject.searched(), opt)
	if err != nil {
		return nil, nil, err
	}
	defer space.Close()
	r, err := c.report(space.Result())
	if err != nil {
		return nil, nil, err
	}
	if r.Search.Complete() {
		err = c.recoverable(ctx, space, r)
	}
	v := r.shortest()
	if v == nil || err != nil && ctx.Err() == nil {
		return nil, r, err
	}
	run := &Run{Property: v.Property}
	if v.State != nil {
		if run.Moves, err = c.path(ctx, space, v); err != nil {
			return nil, r, err
		}
	}
	return run, r, nil
}

// path returns a shortest run of the protocol to the state of a verdict.
func (c *checker) path(ctx context.Context, space *explore.Space, v *Verdict) ([]explore.Move, error) {
	moves, err := space.Path(ctx, v.searched, v.Level)
	if err != nil {
		return nil, err
	}
	if moves, err = c.subject.lift(moves, v.State); err != nil {
		return nil, err
	}
	return c.subject.unreduce(ctx, v.Property, moves)
}

// breaks reports whether the states of a class break an invariant or terminal property. Who wants to know is told of
// the first.
func (c *checker) breaks(class uint32, level int, quiescent bool) (broken bool) {
	for i, o := range c.outcomes(class) {
		kind := c.properties[i].Kind
		about := kind == ir.Invariant && !quiescent || kind == ir.Terminal && quiescent
		if !about || o.err == nil && o.value != 0 {
			continue
		}
		broken = true
		if o.err == nil && c.subject.Met != nil && !c.met[i].Swap(true) {
			c.subject.Met(c.properties[i], level)
		}
	}
	return broken
}

// ends is breaks for a search that goes on unless the subject stops at the first violation.
func (c *checker) ends(class uint32, level int, quiescent bool) bool {
	return c.breaks(class, level, quiescent) && c.subject.StopFirst
}

// shortest returns the verdict with the shortest run to a violation, without one if there is no run; nil if
// nothing is violated.
func (r *Report) shortest() *Verdict {
	var best *Verdict
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Outcome == Violated && (best == nil || v.before(best)) {
			best = v
		}
	}
	return best
}

// before reports whether v is to be shown rather than w, which comes first.
func (v *Verdict) before(w *Verdict) bool {
	a, shown := v.length()
	b, other := w.length()
	if !shown || !other {
		return shown && !other
	}
	return a < b
}

// length returns that of the run to a violation, not ok if there is none.
func (v *Verdict) length() (steps int, ok bool) {
	if v.Lasso != nil {
		return v.Lasso.Stem + v.Lasso.Cycle, true
	}
	return v.Level, v.State != nil
}
