package verify

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore"
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
	in := step.New(sys.Protocol(), opt)
	state, err := takeAll(sys, in, run.Moves)
	if err != nil {
		return err
	}
	if run.Lasso != nil {
		return replayForEver(sys, in, state, run)
	}
	return broken(in, state, run.Property, sys.Protocol())
}

// Retake takes a run step by step by the small-step semantics, as Replay does, whatever it is to show.
func Retake(sys *compile.System, opt compile.Options, moves []model.Move) error {
	_, err := takeAll(sys, step.New(sys.Protocol(), opt), moves)
	return err
}

// takeAll takes a run and returns its last state.
func takeAll(sys *compile.System, in *step.Machine, moves []model.Move) (*step.State, error) {
	state, err := begin(sys, in, moves[0].State)
	if err != nil {
		return nil, err
	}
	for i, m := range moves[1:] {
		if state, err = take(sys, in, state, m); err != nil {
			return nil, fmt.Errorf("replaying step %d: %w", i+1, err)
		}
	}
	return state, nil
}

// replayForEver takes the cycle of a lasso once more, and evaluates the formula of the property along the run by its definition, as the
// small-step semantics sees it.
func replayForEver(sys *compile.System, in *step.Machine, last *step.State, run *Run) error {
	t, err := newTemporal(run.Property, sys.Protocol())
	if err != nil {
		return err
	}
	stem, state := run.Lasso.Stem, last
	for i, m := range run.Moves[1+stem:] {
		if state, err = take(sys, in, state, m); err != nil {
			return fmt.Errorf("replaying step %d once more: %w", 1+stem+i, err)
		}
	}
	word, err := t.word(sys, in, run)
	if err != nil {
		return err
	}
	if run.Lasso.Cycle == 0 {
		letter, err := t.end(in, last, sys.Protocol())
		if err != nil {
			return err
		}
		word = append(word, letter)
	}
	if t.formula.Holds(word[:stem], word[stem:]) {
		return fmt.Errorf("replaying: %s is true of the run", run.Property.Name)
	}
	return t.refair(sys, in, last, run)
}

// refair returns an error unless a lasso is fair, as the small-step semantics sees it: what can be done in all states of the cycle, or with strong
// fairness in one, is done on it. The cycle begins in a state of the semantics.
func (t *temporal) refair(sys *compile.System, in *step.Machine, state *step.State, run *Run) error {
	var fair []product.Action
	for i := range run.Property.Temporal.Fair {
		fair = append(fair, t.actions(&run.Property.Temporal.Fair[i])...)
	}
	if len(fair) == 0 {
		return nil
	}
	cycle := run.Moves[1+run.Lasso.Stem:]
	can, done := make([]int, len(fair)), make([]bool, len(fair)) // in how many states
	for _, m := range cycle {
		letter, err := t.seen(state, sys.Protocol())
		if err != nil {
			return err
		}
		transitions, err := in.Successors(state)
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
		if state, err = take(sys, in, state, m); err != nil {
			return err
		}
	}
	for i, a := range fair {
		if !done[i] && (can[i] == len(cycle) && len(cycle) > 0 || a.Strong && can[i] > 0) {
			return fmt.Errorf("replaying: the run is not fair: action %d of those that it has to be fair to can be done and is not", i)
		}
	}
	return nil
}

// word returns the letters of a run, one for each step.
func (t *temporal) word(sys *compile.System, in *step.Machine, run *Run) ([]uint64, error) {
	state, err := begin(sys, in, run.Moves[0].State)
	if err != nil {
		return nil, err
	}
	var word []uint64
	for _, m := range run.Moves[1:] {
		letter, err := t.seen(state, sys.Protocol())
		if err != nil {
			return nil, err
		}
		word = append(word, letter|t.events(kindOf(sys.Label(m.Step.Label))))
		if state, err = take(sys, in, state, m); err != nil {
			return nil, err
		}
	}
	return word, nil
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
func take(sys *compile.System, in *step.Machine, s *step.State, m explore.Move) (*step.State, error) {
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
