package verify

import (
	"context"
	"errors"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	"ringcheck/symbolic"
)

// ErrNotSymbolic means that CheckSymbolically does not support a property or a subject.
var ErrNotSymbolic = errors.New("not decided with decision diagrams")

// CheckSymbolically decides properties of s with one symbolic search: all kinds but temporal ones. The searched system
// has to have the slots of the protocol. The observer that classifies states for Check is a tree automaton; here it
// reads the diagram of the reachable states. Errors are those of Check, with a report of the results so far if ctx has
// ended, or wrap ErrNotSymbolic. A search that ends early is no error: properties that are not decided by then are
// Unknown.
func (s Subject) CheckSymbolically(
	ctx context.Context, properties []*ir.Property, opt symbolic.Options,
) (*Report, error) {
	if s.Holds != nil || s.cells() != nil {
		return nil, ErrNotSymbolic
	}
	for _, p := range properties {
		if p.Kind == ir.LTL {
			return nil, ErrNotSymbolic
		}
	}
	begin := time.Now()
	s.Memory = 0 // a property that is not expanded depends on all slots, so every state would be a class
	space, err := symbolic.Explore(ctx, s.searched(), opt)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	found := space.Result()
	r := &Report{Diagrams: found, Search: &explore.Result{
		Stop: found.Stop, Fault: found.Fault,
		TerminalStates: uint64(found.TerminalStates.Sign()), EnvironmentOnly: uint64(found.EnvironmentOnly.Sign()),
	}}
	for _, p := range properties {
		r.Verdicts = append(r.Verdicts, Verdict{Property: p})
	}
	err = effort.Do(ctx, func() error {
		for i := range r.Verdicts {
			if err := s.judge(ctx, space, &r.Verdicts[i]); err != nil && !stopped(err) {
				return err
			}
		}
		if err := s.permits(properties); err != nil {
			return err
		}
		err := s.warn(ctx, r, func(unseen []*instance) (complete bool, err error) {
			o := newObserver(ctx, s, nil, unseen, found.Order)
			_, err = space.Where(ctx, space.Reachable(), o, func(uint32) bool { return false })
			return err == nil, err
		})
		if err != nil {
			return err
		}
		return s.warnHollow(r, func(_ int, p *ir.Property) (bool, error) {
			v := Verdict{Property: p}
			err := s.judge(ctx, space, &v)
			return v.Outcome == Holds, err
		})
	})
	if stopped(err) {
		err = nil
	}
	r.Elapsed = time.Since(begin)
	return r, err
}

// stopped reports whether err means that a search ended too early, or that the memory is exhausted.
func stopped(err error) bool {
	return errors.Is(err, explore.ErrIncomplete) || errors.Is(err, explore.ErrMemory)
}

// judge decides a property. The error says why it cannot.
func (s Subject) judge(ctx context.Context, space *symbolic.Space, v *Verdict) error {
	about := space.Reachable()
	if v.Property.Kind == ir.Terminal {
		about = space.Quiescent()
	}
	// The outcome depends on the states where the body is false or, for a reachable property, true. For a recoverable
	// one it depends on the states from which none can be reached where the body is true.
	value := v.Property.Kind == ir.Reachable || v.Property.Kind == ir.Recoverable
	deciding, err := s.where(ctx, space, about, v.Property, value)
	if err == nil && v.Property.Kind == ir.Recoverable {
		if deciding, err = space.Reaching(ctx, deciding); err == nil {
			deciding, err = space.Without(ctx, about, deciding)
		}
	}
	if err != nil {
		return err
	}
	count, err := space.Count(ctx, deciding)
	if err != nil {
		return err
	}
	v.Large, v.Outcome = count, Holds
	if deciding.Empty() == (v.Property.Kind == ir.Reachable) {
		v.Outcome = Violated
	}
	if deciding.Empty() {
		return nil
	}
	moves, err := space.Path(ctx, deciding)
	if err == nil {
		v.Level, v.State = len(moves)-1, moves[len(moves)-1].State
		v.Run = &Run{Property: v.Property, Moves: moves}
	}
	return err
}

// where returns the states of a set in which the body of a property has a value.
func (s Subject) where(
	ctx context.Context, space *symbolic.Space, about symbolic.Set, p *ir.Property, value bool,
) (symbolic.Set, error) {
	o := newObserver(ctx, s, []ir.Expr{p.Body}, nil, space.Result().Order)
	var failed error
	set, err := space.Where(ctx, about, o, func(class uint32) bool {
		outcome := o.outcomes(class)[0]
		if outcome.err != nil {
			failed = &EvalError{p, outcome.err}
		}
		return (outcome.value != 0) == value
	})
	return set, errors.Join(err, failed)
}
