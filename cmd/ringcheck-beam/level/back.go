package level

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"ringcheck/explore"
	"ringcheck/model"
)

// No predecessors are stored. A path is rebuilt from its end: the previous level is expanded again, with all
// transitions, and the least predecessor is the next target. So every process finds the path of explore.Path.

// Predecessor returns the least state of a task of a level that has a transition to target, or nil.
func (s *System) Predecessor(ctx context.Context, level, task int, target []byte) ([]byte, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return nil, err
	}
	return s.engine(k).predecessor(ctx, k, task, target)
}

func (e sizedEngine[H]) predecessor(ctx context.Context, k *knownLevel, task int, target []byte) ([]byte, error) {
	w := e.acquire(k)
	defer e.release(w)
	if err := model.DecodeState(e.codec, target, w.state); err != nil {
		return nil, fmt.Errorf("%w: a state to go back from: %w", ErrDamaged, err)
	}
	goal := uint64(w.halves.Left(w.state))<<32 | uint64(w.halves.Right(w.state))
	var least []model.Value
	err := w.eachState(ctx, k, task, func(states []explore.Halves, _ []uint64) (bool, error) {
		next := &w.next
		err := w.halves.Expand(states, make([]uint64, len(states)), next)
		begin := 0
		for i, end := range next.Ends {
			if slices.Contains(next.To[begin:end], goal) {
				w.show(states[i])
				if least == nil || model.Compare(e.sys, w.state, least) < 0 {
					least = slices.Clone(w.state)
				}
			}
			begin = end
		}
		return true, err
	})
	if least == nil || err != nil {
		return nil, err
	}
	return model.AppendState(e.codec, nil, least), nil
}

// backName returns the name of the file that holds the state at a level on the path to end.
func backName(level int, end []byte) string {
	return fmt.Sprintf("%s/%016x.back", folderOf(level), xxhash.Sum64(end))
}

// WriteBack writes the state at a level on the path to end.
func WriteBack(ctx context.Context, files Files, level int, end, state []byte) error {
	return WriteFile(ctx, files, backName(level, end), state)
}

// ReadBack reads what WriteBack wrote; the error wraps fs.ErrNotExist if there is nothing yet.
func ReadBack(ctx context.Context, files Files, level int, end []byte) ([]byte, error) {
	return ReadFile(ctx, files, backName(level, end))
}

// ErrNoWayBack means that a state has no predecessor in the level before.
var ErrNoWayBack = errors.New("a visited state has no predecessor: the files belong to a search of another program")
