package level

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"ringcheck/explore"
	"ringcheck/model"
)

// Nothing that is kept leads back from a state. A run is found from its end: the states of the level before are expanded again, all
// transitions this time, and of those that lead there the least is the next one to look for. So a run is the same as that of
// explore.Path, whoever looks for it.

// Back returns the least of the states of a task of a level that have a transition to target, nil if none has.
func (s *System) Back(ctx context.Context, level, task int, target []byte) ([]byte, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return nil, err
	}
	return perLength(k.layout,
		func() foundBack { return back[[1]uint64](ctx, s, k, task, target) },
		func() foundBack { return back[[2]uint64](ctx, s, k, task, target) },
		func() foundBack { return back[[4]uint64](ctx, s, k, task, target) },
		func() foundBack { return back[[16]uint64](ctx, s, k, task, target) }).result()
}

type foundBack struct {
	state []byte
	err   error
}

func (f foundBack) result() ([]byte, error) { return f.state, f.err }

func back[H half](ctx context.Context, s *System, k *known, task int, target []byte) foundBack {
	w := acquire[H](s, k)
	defer release(s, w)
	if err := model.DecodeState(s.codec, target, w.state); err != nil {
		return foundBack{err: fmt.Errorf("%w: a state to go back from: %w", ErrDamaged, err)}
	}
	goal := uint64(w.halves.Left(w.state))<<32 | uint64(w.halves.Right(w.state))
	var least []model.Value
	err := w.eachState(ctx, k, task, func(states []explore.Halves, _ []uint64) (bool, error) {
		next, err := w.halves.Expand(states, make([]uint64, len(states)))
		begin := 0
		for i, end := range next.Ends {
			if slices.Contains(next.To[begin:end], goal) {
				w.show(states[i])
				if least == nil || model.Compare(s.sys, w.state, least) < 0 {
					least = slices.Clone(w.state)
				}
			}
			begin = end
		}
		return true, err
	})
	if least == nil || err != nil {
		return foundBack{err: err}
	}
	return foundBack{state: model.AppendState(s.codec, nil, least)}
}

// backName names the file with the state of a level on the way to a state.
func backName(level int, end []byte) string {
	return fmt.Sprintf("%s/%016x.back", folderOf(level), xxhash.Sum64(end))
}

// WriteBack writes the state of a level on the way to end.
func WriteBack(ctx context.Context, files Files, level int, end, state []byte) error {
	return files.Write(ctx, backName(level, end), func(w io.Writer) error { _, err := w.Write(state); return err })
}

// ReadBack reads it; the error wraps fs.ErrNotExist as long as it is not known.
func ReadBack(ctx context.Context, files Files, level int, end []byte) ([]byte, error) {
	return ReadFile(ctx, files, backName(level, end))
}

// ErrNoWayBack means that no state of a level leads to one that was found from it.
var ErrNoWayBack = errors.New("nothing leads to a state that was found: the files of this search are not those of this program")
