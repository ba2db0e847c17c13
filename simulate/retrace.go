package simulate

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
)

// Again takes run number run of a seed again, of limit steps at most (0: no limit), and calls note in the initial state and
// after each step.
func Again(ctx context.Context, w Walk, seed, run, limit uint64, note func() error) error {
	if err := w.Reset(newStream().of(seed, run)); err != nil {
		return &RunError{seed, run, err}
	}
	err := note()
	if err == nil {
		_, err = finish(w, limit, ctx.Err, func(model.Label) (bool, error) { return false, note() })
	}
	if err != nil {
		return &RunError{seed, run, err}
	}
	return nil
}

// Retrace takes run number run of a seed again, of limit steps at most (0: no limit), and returns it: the first Move is
// the initial state.
func Retrace(ctx context.Context, sys model.System, seed, run, limit uint64) ([]model.Move, error) {
	initial, err := listInitial(ctx, sys)
	if err != nil {
		return nil, fmt.Errorf("initial states: %w", err)
	}
	w := newWalk(sys, initial)
	var moves []model.Move
	err = Again(ctx, w, seed, run, limit, func() error {
		moves = append(moves, model.Move{Step: w.taken, State: slices.Clone(w.state)})
		return nil
	})
	if len(moves) > 0 {
		moves[0].Step = model.Step{}
	}
	return moves, err
}
