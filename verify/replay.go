package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// Replay takes a run step by step by the small-step semantics, without the tables, the tree and the search that found
// it, and evaluates the property in the last state. It returns an error if there is no such step, or if the property is
// not violated there, or has a value though the run has an EvalError: then one of these has a bug.
//
// For a property of futures, only the run is replayed; a run cannot show that no state with the property is reachable
// from its last state.
func Replay(sys *compile.System, run *Run) error {
	if len(run.Moves) == 0 {
		return nil
	}
	if run.Lasso != nil {
		return foreverBroken(sys, run)
	}
	if run.Prefix != nil {
		return prefixBroken(sys, run)
	}
	last, err := retake(sys, run.Moves, nil)
	if err != nil || run.Property.Body == nil {
		return err
	}
	return broken(last, run, sys.Protocol())
}

// Retake takes a run step by step by the small-step semantics, as Replay does, without evaluating a property.
func Retake(sys *compile.System, moves []model.Move) error {
	_, err := retake(sys, moves, nil)
	return err
}

// retake takes a run and returns its last state, see repeat.
func retake(
	sys *compile.System, moves []model.Move, seen func(*replay.State) error,
) (*replay.State, error) {
	initial := false
	err := sys.Initial(func(state []model.Value) bool {
		initial = slices.Equal(state, moves[0].State)
		return !initial
	})
	if err == nil && !initial {
		err = errors.New("replaying: no such initial state")
	}
	if err != nil {
		return nil, err
	}
	return repeat(sys, moves, seen)
}

// Repeat is Retake for a run from a state that is known to be an initial one: it does not look for the state among the
// initial ones, because there can be too many.
func Repeat(sys *compile.System, moves []model.Move) error {
	_, err := repeat(sys, moves, nil)
	return err
}

// repeat takes the steps of a run and returns its last state. It calls seen, unless nil, in each state.
func repeat(
	sys *compile.System, moves []model.Move, seen func(*replay.State) error,
) (*replay.State, error) {
	run, err := replay.FromMoves(sys, moves)
	if err != nil {
		return nil, err
	}
	number := 0
	return run.Play(context.Background(), func(s *replay.State, _ *replay.Step) error {
		err := s.Agrees(sys, moves[number].State)
		if err == nil && seen != nil {
			err = seen(s)
		}
		number++
		return err
	})
}

// foreverBroken evaluates the formula of the property along a lasso by its definition, with its cycle taken twice.
func foreverBroken(sys *compile.System, run *Run) error {
	t, err := newTemporal(run.Property, sys.Protocol())
	if err != nil {
		return err
	}
	stem, end := run.Lasso.Stem, len(run.Moves)-1
	var word []uint64 // a letter for each state
	var on loop
	last, err := retake(sys, slices.Concat(run.Moves, run.Moves[1+stem:]), func(s *replay.State) error {
		letter, err := t.letter(s, sys.Protocol())
		if word = append(word, letter); err == nil && len(word) > end && run.Lasso.Cycle > 0 {
			var kinds []product.Kind
			err = s.Enabled(func(d *replay.Step) bool { kinds = append(kinds, kindOf(s.Label(d))); return true })
			on.enabled = append(on.enabled, kinds)
		}
		return err
	})
	if err == nil && run.Lasso.Cycle == 0 {
		err = checkEnd(last)
	}
	if err != nil {
		return err
	}
	on.enabled, on.letters = on.enabled[:run.Lasso.Cycle], slices.Clone(word[end:])
	word = word[:end+1]
	for i, m := range run.Moves[1:] {
		kind := kindOf(sys.Label(m.Step.Label))
		word[i] |= t.events(kind)
		if i >= stem {
			on.actions = append(on.actions, kind)
		}
	}
	if run.Lasso.Cycle == 0 {
		word[end] |= t.events(product.Kind{Action: product.Over})
	} else {
		word = word[:end]
	}
	if t.formula.Holds(word[:stem], word[stem:]) {
		return fmt.Errorf("replaying: %s is true of the run", run.Property.Name)
	}
	for i := range run.Property.Temporal.Fair {
		clause := &run.Property.Temporal.Fair[i]
		if slices.ContainsFunc(t.actions(clause), on.unfair) {
			return fmt.Errorf("replaying: the run is not fair to the actions of clause %d of its fairness", i+1)
		}
	}
	return nil
}

// prefixBroken checks that no continuation of a run satisfies the property: the formula that must hold of the rest of
// the run after each step, with weak untils, is unsatisfiable with each transition of the last state.
func prefixBroken(sys *compile.System, run *Run) error {
	t, err := newTemporal(run.Property, sys.Protocol())
	if err != nil {
		return err
	}
	var states []uint64 // a letter for each state
	last, err := retake(sys, run.Moves, func(s *replay.State) error {
		letter, err := t.letter(s, sys.Protocol())
		states = append(states, letter)
		return err
	})
	if err != nil {
		return err
	}
	rest := t.formula.Safety()
	for i, m := range run.Moves[1:] {
		rest = rest.Progress(states[i] | t.events(kindOf(sys.Label(m.Step.Label))))
	}
	letter := states[len(states)-1]
	satisfiable := func(events uint64) bool { return ltl.Satisfiable(rest.Progress(letter | events)) }
	quiescent, _, err := last.Quiescent()
	good := quiescent && (satisfiable(0) || satisfiable(t.events(product.Kind{Action: product.Over})))
	if err == nil {
		err = last.Enabled(func(d *replay.Step) bool {
			good = good || satisfiable(t.events(kindOf(last.Label(d))))
			return true
		})
	}
	if err == nil && good {
		err = fmt.Errorf("replaying: a continuation of the run may satisfy %s", run.Property.Name)
	}
	return err
}

func (t *temporal) letter(s ir.View, p *ir.Protocol) (uint64, error) {
	letter := uint64(0)
	for atom, e := range t.states {
		if e == nil {
			continue
		}
		v, err := e.Eval(p.NewEnv(s))
		if err != nil {
			return 0, err
		}
		letter |= uint64(v) << atom
	}
	return letter, nil
}

// broken returns an error unless a run's last state violates its property or, if the run has an EvalError, that has no
// value there.
func broken(s *replay.State, run *Run, p *ir.Protocol) error {
	property := run.Property
	v, err := property.Body.Eval(p.NewEnv(s))
	switch {
	case run.EvalError != nil && err == nil:
		return fmt.Errorf("replaying: %s has a value in the last state", property.Name)
	case run.EvalError != nil:
	case err != nil:
		return err
	case v != 0:
		return fmt.Errorf("replaying: %s is true in the last state", property.Name)
	}
	if property.Kind.OfEnds() {
		return checkEnd(s)
	}
	return nil
}

// checkEnd returns an error unless a run can end in a state.
func checkEnd(s *replay.State) error {
	quiescent, _, err := s.Quiescent()
	if err == nil && !quiescent {
		err = errors.New("replaying: the last state is not quiescent")
	}
	return err
}
