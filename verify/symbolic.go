package verify

import (
	"context"
	"errors"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
)

// ErrNotSymbolic means that CheckSymbolically does not support a property or a subject.
var ErrNotSymbolic = errors.New("not decided with decision diagrams")

// CheckSymbolically decides properties of s with one symbolic search: all kinds but temporal ones. The searched system
// has to have the slots of the protocol. The observer that classifies states for Check is a tree automaton; here it
// reads the diagram of the reachable states. It returns the errors of Check, with a report of the results so far if ctx
// has ended, or wrap ErrNotSymbolic. A search that ends early is no error: properties that are not decided by then are
// Unknown.
func (s Verifier) CheckSymbolically(
	ctx context.Context, properties []*ir.Property, opt symbolic.Options,
) (*Result, error) {
	if s.Holds != nil || s.cells() != nil {
		return nil, ErrNotSymbolic
	}
	for _, p := range properties {
		if p.Kind.OfRuns() {
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
	r := &Result{Diagrams: found, Search: &explore.Result{
		Stop: found.Stop, ModelError: found.ModelError,
		TerminalStates: uint64(found.TerminalStates.Sign()), EnvironmentOnly: uint64(found.EnvironmentOnly.Sign()),
	}}
	for _, p := range properties {
		r.Judgments = append(r.Judgments, Judgment{Property: p})
	}
	err = effort.Do(ctx, func() error {
		for i := range r.Judgments {
			if err := s.judge(ctx, space, &r.Judgments[i]); err != nil && !stopped(err) {
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
			v := Judgment{Property: p}
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
func (s Verifier) judge(ctx context.Context, space *symbolic.Space, v *Judgment) error {
	about := space.Reachable()
	if v.Property.Kind.OfEnds() {
		about = space.Quiescent()
	}
	deciding, err := s.deciding(ctx, space, about, v)
	if err != nil {
		return err
	}
	if v.Large, err = space.Count(ctx, deciding); err != nil {
		return err
	}
	existential := v.Property.Kind.Existential()
	switch {
	case deciding.Empty() && v.EvalError != nil:
		return nil
	case deciding.Empty() == existential:
		v.Outcome = Violated
	default:
		v.Outcome = Holds
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

// deciding returns the states that decide a property: states of a set where the body is false or, for a reachable
// property, true; for a recoverable property, states from which no state can be reached where the body is true. It sets
// the error of the verdict.
func (s Verifier) deciding(
	ctx context.Context, space *symbolic.Space, about symbolic.Set, v *Judgment,
) (symbolic.Set, error) {
	p, failed := v.Property, false
	o := newObserver(ctx, s, []ir.Expr{p.Body}, nil, space.Result().Order)
	where := func(is func(value bool, err error) bool) (symbolic.Set, error) {
		return space.Where(ctx, about, o, func(class uint32) bool {
			outcome := o.outcomes(class)[0]
			failed = failed || outcome.err != nil
			return is(outcome.value != 0, outcome.err)
		})
	}
	var set symbolic.Set
	var err error
	if p.Kind.OfFutures() {
		set, err = where(func(value bool, err error) bool { return err != nil || value })
		if err == nil {
			set, err = space.Reaching(ctx, set)
		}
		if err == nil {
			set, err = space.Difference(ctx, about, set)
		}
	} else {
		set, err = where(func(value bool, err error) bool { return err == nil && p.Kind.Decides(value) })
	}
	if err != nil || !failed {
		return set, err
	}
	undefined, err := where(func(_ bool, err error) bool { return err != nil })
	if err != nil {
		return set, err
	}
	v.EvalError, err = s.undefinedIn(ctx, space, undefined, p)
	return set, err
}

// undefinedIn returns the error for a nonempty set of states in which a property has no value.
func (s Verifier) undefinedIn(
	ctx context.Context, space *symbolic.Space, undefined symbolic.Set, p *ir.Property,
) (*EvalError, error) {
	moves, err := space.Path(ctx, undefined)
	if err != nil {
		return nil, err
	}
	level := len(moves) - 1
	state := moves[level].State
	view := s.System.NewView()
	view.Show(state)
	_, err = p.Body.Eval(s.System.Protocol().NewEnv(view))
	e := s.NewEvalError(p, p.Body, err, level, state)
	e.moves = moves
	return e, nil
}
