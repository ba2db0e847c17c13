package simulate

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
)

// Retrace takes run number run of a seed again, of limit steps at most (0: no limit), and returns it: the first Move is
// the initial state.
func Retrace(ctx context.Context, sys model.System, seed, run, limit uint64) ([]model.Move, error) {
	initial, err := listInitial(ctx, sys)
	if err != nil {
		return nil, fmt.Errorf("initial states: %w", err)
	}
	w := newWalk(sys, initial)
	if err := w.reset(seed, run); err != nil {
		return nil, &RunError{seed, run, err}
	}
	moves := []model.Move{{State: slices.Clone(w.state)}}
	_, err = w.finish(limit, ctx.Err, func(s model.Step) (bool, error) {
		moves = append(moves, model.Move{Step: s, State: slices.Clone(w.state)})
		return false, nil
	})
	if err != nil {
		return moves, &RunError{seed, run, err}
	}
	return moves, nil
}
