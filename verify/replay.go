package verify

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/verify/product"
)

// Replay takes a run step by step by the small-step semantics, without the tables, the tree and the search that
// found it, and evaluates the property in the last state. It returns an error if there is no such step or the
// property is not broken there: then something of these is wrong.
//
// Of a Recoverable property it is the run that is replayed; that there is no way out of its last state, it is
// not within a run to show.
func Replay(sys *compile.System, opt compile.Options, run *Run) error {
	if len(run.Moves) == 0 {
		return nil
	}
	in, moves := step.New(sys.Protocol(), opt), run.Moves
	if run.Lasso != nil { // the cycle is taken twice
		moves = slices.Concat(moves, moves[1+run.Lasso.Stem:])
	}
	states, err := replay(sys, in, moves)
	if err != nil {
		return err
	}
	if run.Lasso != nil {
		return foreverBroken(sys, in, states, run)
	}
	return broken(in, states[len(states)-1], run.Property, sys.Protocol())
}

// Retake takes a run step by step by the small-step semantics, as Replay does, whatever it is to show.
func Retake(sys *compile.System, opt compile.Options, moves []model.Move) error {
	_, err := replay(sys, step.New(sys.Protocol(), opt), moves)
	return err
}

// replay takes a run and returns its states.
func replay(sys *compile.System, in *step.Machine, moves []model.Move) ([]*step.State, error) {
	first, err := begin(sys, in, moves[0].State)
	states := []*step.State{first}
	for i := 1; err == nil && i < len(moves); i++ {
		var next *step.State
		if next, err = take(sys, in, states[i-1], moves[i]); err != nil {
			return nil, fmt.Errorf("replaying step %d: %w", i, err)
		}
		states = append(states, next)
	}
	return states, err
}

// foreverBroken evaluates the formula of the property along a lasso by its definition. The states are those of the run
// with its cycle taken twice, as the small-step semantics sees them.
func foreverBroken(sys *compile.System, in *step.Machine, states []*step.State, run *Run) error {
	t, err := newTemporal(run.Property, sys.Protocol())
	if err != nil {
		return err
	}
	var word []uint64 // a letter for each step
	for i, m := range run.Moves[1:] {
		letter, err := t.seen(states[i], sys.Protocol())
		if err != nil {
			return err
		}
		word = append(word, letter|t.events(kindOf(sys.Label(m.Step.Label))))
	}
	end := len(run.Moves) - 1
	if run.Lasso.Cycle == 0 {
		letter, err := t.end(in, states[end], sys.Protocol())
		if err != nil {
			return err
		}
		word = append(word, letter)
	}
	if stem := run.Lasso.Stem; t.formula.Holds(word[:stem], word[stem:]) {
		return fmt.Errorf("replaying: %s is true of the run", run.Property.Name)
	}
	return t.refair(sys, in, states[end:], run)
}

// refair returns an error unless a lasso is fair, as the small-step semantics sees it: what can be done in all states
// of the cycle, or with strong fairness in one, is done on it. The states are those of the cycle.
func (t *temporal) refair(sys *compile.System, in *step.Machine, states []*step.State, run *Run) error {
	var fair []product.Action
	for i := range run.Property.Temporal.Fair {
		fair = append(fair, t.actions(&run.Property.Temporal.Fair[i])...)
	}
	if len(fair) == 0 {
		return nil
	}
	cycle := run.Moves[1+run.Lasso.Stem:]
	can, done := make([]int, len(fair)), make([]bool, len(fair)) // in how many states
	for i, m := range cycle {
		letter, err := t.seen(states[i], sys.Protocol())
		if err != nil {
			return err
		}
		transitions, err := in.Successors(states[i])
		if err != nil {
			return err
		}
		for i, a := range fair {
			here := a.At < 0 || letter>>a.At&1 == 1
			is := func(x step.Transition) bool {
				return a.Is(kindOf(model.LabelInfo{Text: x.Label, Message: x.Message, Kind: x.Kind, Process: x.Process}))
			}
			if here && slices.ContainsFunc(transitions, is) {
				can[i]++
			}
			done[i] = done[i] || here && a.Is(kindOf(sys.Label(m.Step.Label)))
		}
	}
	for i, a := range fair {
		if !done[i] && (can[i] == len(cycle) && len(cycle) > 0 || a.Strong && can[i] > 0) {
			return fmt.Errorf("replaying: the run is not fair: "+
				"action %d of those that it has to be fair to can be done and is not", i)
		}
	}
	return nil
}

// end returns the letter of a state in which a run stays for ever.
func (t *temporal) end(in *step.Machine, s *step.State, p *ir.Protocol) (uint64, error) {
	transitions, err := in.Successors(s)
	if err == nil {
		err = ended(transitions)
	}
	if err != nil {
		return 0, err
	}
	letter, err := t.seen(s, p)
	return letter | t.events(product.Kind{Action: product.Over}), err
}

// seen evaluates the atoms that are predicates of states.
func (t *temporal) seen(s *step.State, p *ir.Protocol) (uint64, error) {
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

// begin returns the initial state that a vector stands for.
func begin(sys *compile.System, in *step.Machine, vector []model.Value) (*step.State, error) {
	var found *step.State
	err := in.Initial(func(s *step.State) bool {
		if slices.Equal(sys.Encode(nil, s), vector) {
			found = s
		}
		return found == nil
	})
	if err == nil && found == nil {
		err = errors.New("replaying: no such initial state")
	}
	return found, err
}

// take returns the state after a move.
func take(sys *compile.System, in *step.Machine, s *step.State, m model.Move) (*step.State, error) {
	transitions, err := in.Successors(s)
	if err != nil {
		return nil, err
	}
	label := sys.Label(m.Step.Label)
	for _, t := range transitions {
		if t.Label == label.Text && t.Process == label.Process &&
			slices.Equal(sys.Encode(nil, t.Target), m.State) {
			return t.Target, nil
		}
	}
	return nil, fmt.Errorf("no transition %s to that state", label.Text)
}

// broken returns an error unless a state breaks a property.
func broken(in *step.Machine, s *step.State, property *ir.Property, p *ir.Protocol) error {
	v, err := property.Body.Eval(p.NewEnv(s))
	if err != nil {
		return err
	}
	if v != 0 {
		return fmt.Errorf("replaying: %s is true in the last state", property.Name)
	}
	if property.Kind != ir.Terminal {
		return nil
	}
	transitions, err := in.Successors(s)
	if err == nil {
		err = ended(transitions)
	}
	return err
}

// ended returns an error unless a run can end in a state with some transitions.
func ended(transitions []step.Transition) error {
	if !step.Quiescent(transitions) {
		return errors.New("replaying: the last state is not quiescent")
	}
	return nil
}
