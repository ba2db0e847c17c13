package verify

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/interp"
	"ringcheck/model/language/ir"
)

// Replay takes a run step by step in the reference interpreter, which shares nothing with the compiled system
// but the protocol, and evaluates the property in the last state. It returns an error if the interpreter does
// not know a step or does not see the property broken: then one of the two implementations is wrong.
//
// Of an Inevitable property it is the run that is replayed; that there is no way out of its last state, it is
// not within a run to show.
func Replay(sys *compile.System, opt compile.Options, run *Run) error {
	if len(run.Moves) == 0 {
		return nil
	}
	in := interp.New(sys.Protocol(), interp.Options{MaxMessages: opt.MaxMessages, MaxNat: opt.MaxNat})
	state, err := begin(sys, in, run.Moves[0].State)
	if err != nil {
		return err
	}
	for i, m := range run.Moves[1:] {
		if state, err = take(sys, in, state, m); err != nil {
			return fmt.Errorf("replaying step %d: %w", i+1, err)
		}
	}
	return broken(in, state, run.Property, sys.Protocol())
}

// begin returns the initial state that a vector stands for.
func begin(sys *compile.System, in *interp.Interpreter, vector []model.Value) (*interp.State, error) {
	var found *interp.State
	err := in.Initial(func(s *interp.State) bool {
		if slices.Equal(sys.Encode(nil, s.Processes, s.Channels), vector) {
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
func take(sys *compile.System, in *interp.Interpreter, s *interp.State, m explore.Move) (*interp.State, error) {
	transitions, err := in.Successors(s)
	if err != nil {
		return nil, err
	}
	label := sys.Label(m.Step.Label)
	for _, t := range transitions {
		if t.Label == label.Text && t.Process == label.Process &&
			slices.Equal(sys.Encode(nil, t.Target.Processes, t.Target.Channels), m.State) {
			return t.Target, nil
		}
	}
	return nil, fmt.Errorf("no transition %s to that state", label.Text)
}

// broken returns an error unless a state breaks a property.
func broken(in *interp.Interpreter, s *interp.State, property *ir.Property, p *ir.Protocol) error {
	v, err := property.Body.Eval(p.NewEnv(configuration{s}))
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
	if err == nil && len(transitions) > 0 {
		err = errors.New("replaying: the last state is not terminal")
	}
	return err
}

// A configuration shows a state of the interpreter to properties.
type configuration struct{ *interp.State }

var _ ir.View = configuration{}

// At implements ir.View.
func (c configuration) At(p int) *ir.Point { return c.Processes[p].Point }

// Var implements ir.View.
func (c configuration) Var(p int, v *ir.Var) (int64, bool) {
	l := c.Processes[p]
	i := slices.Index(l.Point.Live, v)
	if i < 0 {
		return 0, false
	}
	return l.Env[i], true
}

// Channel implements ir.View.
func (c configuration) Channel(link int) []ir.Content { return c.Channels[link] }
