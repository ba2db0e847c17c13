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
)

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
		if link := d.Link(sys.Protocol()); link >= 0 && d.Kind != model.SendAction {
			slot := sys.SlotOfLink(link)
			d.found(sys.Contents(moves[i].State[slot]), sys.Contents(move.State[slot]), sys.Protocol().Channel == ir.FIFO)
		}
		d.Counted = sys.Decode(moves[i].State).Faults != sys.Decode(move.State).Faults
		if err := r.Add(d, r.Sets); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// found fills in which message a step takes out of a channel or duplicates: where the contents after it differ.
func (d *Step) found(before, after []ir.Content, fifo bool) {
	if d.Kind == model.DuplicateAction {
		before, after = after, before
	}
	i := 0
	for i < len(after) && before[i].Compare(after[i]) == 0 {
		i++
	}
	if i >= len(before) {
		return
	}
	for i > 0 && before[i-1].Compare(before[i]) == 0 { // of equal ones, the first
		i--
	}
	if d.Age = before[i].Age; fifo {
		d.Position = i
	}
}

// Agrees returns an error unless a state is the one that a vector of a compiled system stands for.
func (s *State) Agrees(sys *compile.System, vector []model.Value) error {
	if !slices.Equal(sys.Encode(nil, s.Whole()), vector) {
		return errors.New("it leads to another state")
	}
	return nil
}

// Moves repeats the run and returns it as moves of a compiled system.
func (r *Run) Moves(ctx context.Context, sys *compile.System) ([]model.Move, error) {
	var moves []model.Move
	_, err := r.Play(ctx, func(s *State, d *Step) error {
		next := model.Move{State: sys.Encode(nil, s.Whole())}
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
		return model.Move{}, cmp.Or(err, fmt.Errorf("%s is no transition of the compiled system", text))
	}
	return move, nil
}
