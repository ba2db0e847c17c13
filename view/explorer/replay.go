package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/view"
)

// A Recording is a run in a file, as the JSON format of package view writes it. What it says of states is used to tell
// apart steps that have the same label.
type Recording struct {
	Initial recordedState  `json:"initial"`
	Steps   []recordedStep `json:"steps"`
	Lasso   *view.Lasso    `json:"lasso"` // of a run that goes on for ever
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

// UnmarshalJSON implements json.Unmarshaler. It takes what else there may be in the file as it comes.
func (r *Recording) UnmarshalJSON(data []byte) error {
	type plain Recording
	return json.Unmarshal(data, (*plain)(r))
}

// fits reports whether a state may be the one that was recorded.
func (r *recordedState) fits(s *State) bool {
	if len(r.Processes) == 0 {
		return true
	}
	if len(r.Processes) != len(s.Processes) {
		return false
	}
	for p := range s.Processes {
		if r.Processes[p].Exact != s.Processes[p].Exact {
			return false
		}
	}
	return true
}

// Replay takes the steps of a recording, and returns the state in which it begins and the steps.
func (x *Explorer) Replay(ctx context.Context, r *Recording) (*State, []Step, error) {
	if len(r.Steps) == 0 && len(r.Initial.Processes) == 0 {
		return nil, nil, errors.New("there is no run in the file")
	}
	start, err := x.beginning(ctx, &r.Initial)
	if err != nil {
		return nil, nil, err
	}
	steps, at := []Step{}, start
	for i := range r.Steps {
		step, err := x.follow(ctx, at, r.Steps[i].Action, r.Steps[i].State.fits)
		if err != nil {
			return nil, nil, fmt.Errorf("step %d of the run: %w", i+1, err)
		}
		steps, at = append(steps, *step), step.State
	}
	return start, steps, r.closes(start, steps)
}

// closes checks that a lasso comes back to where it says.
func (r *Recording) closes(start *State, steps []Step) error {
	if r.Lasso == nil || r.Lasso.Cycle == 0 {
		return nil
	}
	stem := r.Lasso.Stem
	if stem < 0 || r.Lasso.Cycle < 0 || stem+r.Lasso.Cycle != len(steps) {
		return errors.New("the lasso in the file does not fit its run")
	}
	back := start
	if stem > 0 {
		back = steps[stem-1].State
	}
	if back.Code != steps[len(steps)-1].State.Code {
		return fmt.Errorf("the run does not come back to where it was after step %d", stem)
	}
	return nil
}

// beginning returns the initial state that was recorded.
func (x *Explorer) beginning(ctx context.Context, r *recordedState) (start *State, err error) {
	failed := x.sys.Initial(func(state []model.Value) bool {
		start, err = x.describe(ctx, state, nil)
		if err == nil && !r.fits(start) {
			start = nil
		}
		return err == nil && start == nil
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case start == nil:
		return nil, errors.New("the run does not begin in an initial state of this system")
	}
	return start, nil
}
