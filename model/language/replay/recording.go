package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Recording describes a run by the labels of its steps. What it says of states tells apart steps that have the same
// label.
type Recording struct {
	// Initial has the local states, as step.Machine.FormatLocal formats them; nil if they are not recorded.
	Initial []string
	// Shared has the shared variables by name, as ir.Type.Format formats them; nil if they are not recorded.
	Shared  map[string]string
	Steps   []RecordedStep
	Lasso   *model.Lasso // of a run that goes on for ever, otherwise nil
	Finding string       // what the run shows, in a sentence; empty if that is not recorded
	Why     []string     // why a property is false in the last state, line by line
}

// A RecordedStep is a step of a Recording.
type RecordedStep struct {
	Label    string
	Unlogged bool              // the run explains a log that does not have the step
	State    []string          // the local states after the step, as Recording.Initial
	Shared   map[string]string // the shared variables after the step, as Recording.Shared
}

// fits reports whether a state may be one with some recorded local states and shared variables.
func fits(m *step.Machine, s *step.State, locals []string, shared map[string]string) bool {
	for _, v := range m.Protocol().Shared {
		if shared != nil && shared[v.Name] != v.Type.Format(s.Shared[v.Slot]) {
			return false
		}
	}
	if len(locals) == 0 {
		return true
	}
	if len(locals) != len(s.Processes) {
		return false
	}
	for p, l := range s.Processes {
		if locals[p] != m.FormatLocal(l) {
			return false
		}
	}
	return true
}

// Run returns the run that was recorded. It begins in an initial state, and of the enabled steps with the label of a
// recorded one the first that leads to a state that fits is taken.
func (r *Recording) Run(m *step.Machine) (*Run, error) {
	if len(r.Steps) == 0 && len(r.Initial) == 0 {
		return nil, errors.New("there is no run in the file")
	}
	var at *step.State
	err := m.Initial(func(s *step.State) bool {
		if fits(m, s, r.Initial, r.Shared) {
			at = s
		}
		return at == nil
	})
	if err == nil && at == nil {
		err = errors.New("the run does not begin in an initial state of this system")
	}
	if err != nil {
		return nil, err
	}
	run, keys := New(m, at, nil), []string{at.Key()}
	for i := range r.Steps {
		d, next, err := r.Steps[i].find(m, at)
		if err == nil {
			err = run.Add(*d, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d of the run: %w", i+1, err)
		}
		at, keys = next, append(keys, next.Key())
	}
	return run, closes(r.Lasso, keys)
}

// find returns the step from a state and the state after it.
func (r *RecordedStep) find(m *step.Machine, at *step.State) (taken *Step, after *step.State, err error) {
	s := NewState(m, at, nil)
	failure := s.Enabled(func(d *Step) bool {
		if s.Label(d).Text != r.Label {
			return true
		}
		next := NewState(m, at, nil)
		if taken, err = next.take(d, false); err != nil {
			return false
		}
		if after = next.StepState(); !fits(m, after, r.State, r.Shared) {
			taken = nil
		}
		return taken == nil
	})
	switch {
	case err != nil:
	case taken == nil && failure != nil:
		err = failure
	case taken == nil:
		err = fmt.Errorf("%q is not enabled there", r.Label)
	}
	return taken, after, err
}

// closes returns an error unless lasso l, if it is not nil, returns to the state where its cycle begins. The keys are
// the keys of the states of the run.
func closes(l *model.Lasso, keys []string) error {
	if l == nil || l.Cycle == 0 {
		return nil
	}
	if l.Stem < 0 || l.Cycle < 0 || l.Stem+l.Cycle != len(keys)-1 {
		return errors.New("the lasso in the file does not match its run")
	}
	if keys[l.Stem] != keys[len(keys)-1] {
		return fmt.Errorf("the run does not return to its state after step %d", l.Stem)
	}
	return nil
}

// FromMoves returns moves of a compiled system as a run. Play says whether the semantics allows it, and Agrees whether
// it comes through the same states.
func FromMoves(sys *compile.System, moves []model.Move) (*Run, error) {
	if len(moves) == 0 {
		return nil, errors.New("there is no state")
	}
	for i := range moves {
		if want, got := len(sys.Slots()), len(moves[i].State); got != want {
			return nil, fmt.Errorf("a state has %d slots, this one has %d", want, got)
		}
	}
	r := New(sys.Machine(), sys.Decode(moves[0].State), &ir.Sets{})
	for i, move := range moves[1:] {
		d := Step{}
		d.Action, d.Process = sys.Action(move.Step.Label)
		if d.Process >= 0 {
			d.Next = sys.Local(move.State[sys.SlotOfProcess(d.Process)])
		}
		if q := d.Receiver(sys.Protocol()); q >= 0 {
			d.ReceiverNext = sys.Local(move.State[sys.SlotOfProcess(q)])
		}
		for _, v := range sys.Protocol().Shared {
			slot := sys.SlotOfShared(v.Slot)
			if after := move.State[slot]; after != moves[i].State[slot] {
				d.Writes = append(d.Writes, step.Write{Var: v, Value: sys.SharedValue(after)})
			}
		}
		if link := d.Link(sys.Protocol()); link >= 0 && !d.Sends() {
			slot := sys.SlotOfLink(link)
			before, after := sys.Contents(moves[i].State[slot]), sys.Contents(move.State[slot])
			d.findMessage(sys.Machine(), before, after)
		}
		d.Counted = sys.Decode(moves[i].State).Faults != sys.Decode(move.State).Faults
		if err := r.Add(d, r.Sets); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// findMessage fills in which message a step takes out of a channel, or a fault befalls: the first one for which the
// contents after the step are the given ones.
func (d *Step) findMessage(m *step.Machine, before, after []ir.Content) {
	leads := func(i int) bool {
		if d.Kind != model.FaultAction {
			return slices.EqualFunc(m.Replace(before, i, nil), after, equal)
		}
		for a, place := range m.Befall(d.Fault, int(d.Port), before[i]) {
			if sameAction(&a, &d.Action) && slices.EqualFunc(m.Replace(before, i, place), after, equal) {
				return true
			}
		}
		return false
	}
	i := 0
	for i < len(before) && !leads(i) {
		i++
	}
	if i == len(before) {
		return
	}
	if d.Age = before[i].Age; m.Protocol().Channel.Ordered() {
		d.Position = i
	}
}

func equal(a, b ir.Content) bool { return a.Compare(b) == 0 }

// Agrees returns an error unless a vector of a compiled system encodes a state.
func (s *State) Agrees(sys *compile.System, vector []model.Value) error {
	if !slices.Equal(sys.Encode(nil, s.StepState()), vector) {
		return errors.New("it leads to another state")
	}
	return nil
}

// Moves repeats the run and returns it as moves of a compiled system.
func (r *Run) Moves(ctx context.Context, sys *compile.System) ([]model.Move, error) {
	var moves []model.Move
	_, err := r.Play(ctx, func(s *State, d *Step) error {
		next := model.Move{State: sys.Encode(nil, s.StepState())}
		if d != nil {
			var err error
			if next, err = moveTo(sys, moves[len(moves)-1].State, next.State, s.Label(d).Text); err != nil {
				return err
			}
		}
		moves = append(moves, next)
		return nil
	})
	return moves, err
}

// moveTo returns the transition between two states with the label text.
func moveTo(sys *compile.System, from, to []model.Value, text string) (move model.Move, err error) {
	err = model.Each(sys, from, func(_ int, step model.Step, next []model.Value) bool {
		if slices.Equal(next, to) && sys.Label(step.Label).Text == text {
			move = model.Move{Step: step, State: to}
		}
		return move.State == nil
	})
	if move.State == nil {
		return model.Move{}, cmp.Or(err, fmt.Errorf("%s is not a transition of the compiled system", text))
	}
	return move, nil
}
