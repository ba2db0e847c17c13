package replay

import (
	"encoding/json"
	"errors"
	"fmt"

	"ringcheck/model/language/step"
)

// A Recording is a run in a file, as the JSON format of package view writes it. What it says of states is used to tell
// apart steps that have the same label.
type Recording struct {
	Initial recordedState  `json:"initial"`
	Steps   []recordedStep `json:"steps"`
	Lasso   *Lasso         `json:"lasso"` // of a run that goes on for ever
}

type recordedStep struct {
	Action string        `json:"action"`
	State  recordedState `json:"state"`
}

type recordedState struct {
	Processes []struct {
		Exact string `json:"exact"`
	} `json:"processes"`
}

// A Lasso is the shape of a run that goes on for ever: after Stem steps the Cycle others are repeated. Cycle is 0 if
// the run stays where it has come to, since nothing can happen any more.
type Lasso struct {
	Stem  int `json:"stem"`
	Cycle int `json:"cycle"`
}

// UnmarshalJSON implements json.Unmarshaler. It ignores the other fields of the file.
func (r *Recording) UnmarshalJSON(data []byte) error {
	type plain Recording
	return json.Unmarshal(data, (*plain)(r))
}

// fits reports whether a state may be the one that was recorded.
func (r *recordedState) fits(m *step.Machine, s *step.State) bool {
	if len(r.Processes) == 0 {
		return true
	}
	if len(r.Processes) != len(s.Processes) {
		return false
	}
	for p, l := range s.Processes {
		if r.Processes[p].Exact != m.FormatLocal(l) {
			return false
		}
	}
	return true
}

// Run returns the run that was recorded. It begins in an initial state, and of the enabled steps with the label of a
// recorded one the first that leads to a state that fits is taken.
func (r *Recording) Run(m *step.Machine) (*Run, error) {
	if len(r.Steps) == 0 && len(r.Initial.Processes) == 0 {
		return nil, errors.New("there is no run in the file")
	}
	var at *step.State
	err := m.Initial(func(s *step.State) bool {
		if r.Initial.fits(m, s) {
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
		d, next, err := r.Steps[i].in(m, at)
		if err == nil {
			err = run.Add(*d, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d of the run: %w", i+1, err)
		}
		at, keys = next, append(keys, next.Key())
	}
	return run, r.Lasso.closes(keys)
}

// in returns the step from a state and the state after it.
func (r *recordedStep) in(m *step.Machine, at *step.State) (taken *Step, after *step.State, err error) {
	s := NewState(m, at, nil)
	fault := s.Enabled(func(d *Step) bool {
		if s.Label(d).Text != r.Action {
			return true
		}
		next := NewState(m, at, nil)
		if taken, err = next.take(d, false); err != nil {
			return false
		}
		if after = next.Whole(); !r.State.fits(m, after) {
			taken = nil
		}
		return taken == nil
	})
	switch {
	case err != nil:
	case taken == nil && fault != nil:
		err = fault
	case taken == nil:
		err = fmt.Errorf("%q is not enabled there", r.Action)
	}
	return taken, after, err
}

// closes returns an error unless a lasso, if there is one, comes back to where it says. The keys are those of the
// states of the run.
func (l *Lasso) closes(keys []string) error {
	if l == nil || l.Cycle == 0 {
		return nil
	}
	if l.Stem < 0 || l.Cycle < 0 || l.Stem+l.Cycle != len(keys)-1 {
		return errors.New("the lasso in the file does not fit its run")
	}
	if keys[l.Stem] != keys[len(keys)-1] {
		return fmt.Errorf("the run does not come back to where it was after step %d", l.Stem)
	}
	return nil
}
