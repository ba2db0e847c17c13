package verify

import (
	"context"
	"math"
	"slices"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// A Run leads to a state that violates a property or, for an LTL property, violates it itself.
type Run struct {
	Property *ir.Property
	// Lasso is the shape of an infinite run that violates an LTL property. Prefix is not nil if a finite run does so,
	// however it continues.
	Lasso  *Lasso
	Prefix *Prefix
	// EvalError, if not nil, says why the property has no value in the last state: the run shows that, not a violation.
	EvalError *EvalError
	// Moves is a shortest such run. It is nil for a Reachable property, which no single run violates.
	Moves []explore.Move
}

// Counterexample looks for a shortest run that violates one of the properties of s: first an invariant or terminal
// property, or an LTL property that a state or a step violates like an invariant, by a search that ends with the first
// level with a violation; if these hold, one of the others, and then any LTL property. Of equally short runs to states
// of that level it returns one to the property that comes first, always the same. The run is nil
// if the search found no violation: see Result.Search. It returns the errors of Check; if ctx ends the search for the
// way to a violation, the report has the violation.
//
// States have no pointers to predecessors: the search keeps its levels, in about 4 bytes per state, and expands them
// again.
func (s Verifier) Counterexample(
	ctx context.Context, properties []*ir.Property, opt explore.Options,
) (run *Run, r *Result, err error) {
	c, err := newChecker(ctx, s, properties)
	if err != nil {
		return nil, nil, err
	}
	opt.Until = c.breaks
	k := newKinds(s.searched())
	rotated := s.quotient() && s.runQuotient() == nil
	ofRuns := c.wants((*property.Kind).OfRuns) && !rotated
	if ofRuns {
		opt.Tag = k.tag
	}
	r, err = c.search(ctx, opt, true, func(space *explore.Space, r *Result) error {
		err := c.judgeAlways(ctx, r, space, k)
		if v := r.shortest(); v != nil && (err == nil || v.Prefix == nil) {
			run, err = c.run(ctx, space, v)
			return err
		}
		if err == nil && ofRuns && r.Search.Complete() {
			run, err = c.infiniteRun(ctx, r, space, k)
		}
		return err
	})
	switch {
	case err == nil && ofRuns && r.Search.Stop == explore.MemoryLimit:
		r.unfit(nil)
	case run == nil && err == nil && r.Search.Complete() && rotated && c.wants((*property.Kind).OfRuns):
		// After the cycle of a lasso the processes of orbits are rotated.
		s.Searched, s.Unreduce = nil, nil
		return s.Counterexample(ctx,
			slices.DeleteFunc(slices.Clone(properties), func(p *ir.Property) bool { return !p.Kind.OfRuns() }), opt)
	}
	return run, r, err
}

// infiniteRun judges the LTL properties that are not judged yet, and returns a run that violates one.
func (c *checker) infiniteRun(ctx context.Context, r *Result, space *explore.Space, k *kinds) (*Run, error) {
	graph, err := c.decideTemporal(ctx, r, space, k)
	v := r.shortest()
	if v == nil || err != nil && ctx.Err() == nil {
		return nil, err
	}
	run := &Run{Property: v.Property, Lasso: v.Lasso, Prefix: v.Prefix}
	switch {
	case v.Prefix != nil:
		run.Moves, err = v.Prefix.moves, nil
	case v.Lasso.moves != nil:
		run.Property, run.Moves, err = c.verifier.representative(v.Property), v.Lasso.moves, nil
	default:
		steps := slices.Concat(v.Lasso.lasso.Stem, v.Lasso.lasso.Cycle)
		run.Moves, err = c.moves(graph, steps[0].From, steps)
	}
	if err == nil && c.verifier.Unreduce != nil {
		err = c.unreduceForEver(ctx, run)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// unreduceForEver turns an infinite run of a reduced system into one of the protocol, and determines the starved
// processes.
func (c *checker) unreduceForEver(ctx context.Context, run *Run) error {
	moves, at, err := c.verifier.Unreduce(ctx, run.Moves)
	if err != nil {
		return err
	}
	end := at[len(at)-1]
	if run.Lasso == nil {
		run.Moves = moves[:end+1]
		return nil
	}
	l := *run.Lasso
	l.Stem = at[l.Stem]
	l.Cycle = end - l.Stem
	run.Moves, run.Lasso = moves, &l
	if l.Cycle == 0 {
		return nil
	}
	lines, err := describeStarved(c.verifier.System, moves[l.Stem:])
	l.Why = append(lines, l.Why...)
	return err
}

// run returns a shortest run of the protocol to the violation of a verdict, without moves if no single state violates
// it.
func (c *checker) run(ctx context.Context, space *explore.Space, v *Judgment) (*Run, error) {
	run := &Run{Property: c.verifier.representative(v.Property), Prefix: v.Prefix}
	switch {
	case v.State == nil:
		return run, nil
	case v.Prefix != nil && v.Prefix.moves != nil:
		run.Moves = v.Prefix.moves
		return run, nil
	}
	moves, err := space.Path(ctx, v.searched, v.Level)
	if err != nil {
		return nil, err
	}
	if moves, err = c.verifier.lift(moves, v.State); err != nil {
		return nil, err
	}
	run.Moves, err = c.verifier.unreduce(ctx, v.Property, moves)
	if err != nil {
		return nil, err
	}
	return run, nil
}

// breaks reports whether the states of a class break an invariant or terminal property, or an LTL property like one:
// see observeEvents. It calls Verifier.OnViolation for the former.
func (c *checker) breaks(class uint32, level int, quiescent bool) (broken bool) {
	outcomes := c.observer.outcomes(class)
	for _, t := range c.temporal {
		if !quiescent && t.stops() {
			state, step := t.refuted(outcomes)
			broken = broken || state || step
		}
	}
	for i, o := range outcomes[:len(c.properties)] {
		kind := c.properties[i].Kind
		about := kind.Safety() && kind.OfEnds() == quiescent
		if !about || o.err != nil || o.value != 0 {
			continue
		}
		broken = true
		if c.verifier.OnViolation != nil && !c.met[i].Swap(true) {
			c.verifier.OnViolation(c.properties[i], level)
		}
	}
	return broken
}

// ends is breaks for a search that ends only if the verifier stops at the first violation.
func (c *checker) ends(class uint32, level int, quiescent bool) bool {
	return c.breaks(class, level, quiescent) && c.verifier.StopFirst
}

// shortest returns the violated verdict with the shortest run, one without a run if there is no other; nil if nothing
// is violated.
func (r *Result) shortest() *Judgment {
	var best *Judgment
	for i := range r.Judgments {
		v := &r.Judgments[i]
		if v.Outcome == Violated && (best == nil || v.length() < best.length()) {
			best = v
		}
	}
	return best
}

// length returns the number of steps to a violation, the maximum int if no run leads to one.
func (v *Judgment) length() int {
	switch {
	case v.Lasso != nil:
		return v.Lasso.Stem + v.Lasso.Cycle
	case v.State == nil:
		return math.MaxInt
	}
	return v.Level
}
