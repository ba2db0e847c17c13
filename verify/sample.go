package verify

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model"
)

// Limits of sample.
const (
	sampleRuns   = 32      // random runs
	sampleIdle   = 4       // runs that show nothing new, after which sampling stops
	sampleSteps  = 500     // the maximum length of a run
	sampleValues = 1 << 22 // the maximum number of values of quantifiers in all runs
)

// sample takes a fixed set of random runs, and records the observations in their states.
func (s Verifier) sample(ctx context.Context, list []*vacuityCheck) (err error) {
	defer func() {
		if errors.Is(err, effort.ErrSteps) {
			err = nil
		}
	}()
	defer effort.Catch(&err)
	sys := s.System
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	bound, steps := effort.Effort{Context: ctx}, effort.Steps(sampleValues)
	env.Tick = func() { bound.Tick(); steps() }
	random := rand.New(rand.NewPCG(1, 1))
	for idle := 0; idle < sampleRuns; idle++ {
		var missing []*instance
		for _, s := range list {
			missing = append(missing, s.unseen()...)
		}
		fresh := false
		seen := func(i *instance) bool {
			if !i.matters() {
				return true
			}
			i.record(i.expr.Eval(env))
			fresh = fresh || i.seen.Load()
			return i.seen.Load()
		}
		more, err := sampleRun(ctx, sys, random, func(state []model.Value) bool {
			view.Show(state)
			missing = slices.DeleteFunc(missing, seen)
			return len(missing) > 0
		})
		if err != nil || !more {
			return err
		}
		if !fresh {
			idle += sampleRuns / sampleIdle
		}
	}
	return nil
}

// sampleRun takes one run. It returns the last result of look, which reports whether instances are missing.
func sampleRun(
	ctx context.Context, sys model.System, random *rand.Rand, look func(state []model.Value) bool,
) (missing bool, err error) {
	state := make([]model.Value, len(sys.Slots()))
	seen := 0
	err = sys.Initial(func(s []model.Value) bool { // uniformly one of the first 64
		if seen++; random.IntN(seen) == 0 {
			copy(state, s)
		}
		return seen < 64
	})
	cursor := model.NewCursor(sys)
	for n := 0; err == nil && n < sampleSteps && ctx.Err() == nil; n++ {
		if missing = look(state); !missing {
			return false, nil
		}
		moved := false
		for _, g := range random.Perm(len(sys.Groups())) {
			if cursor.Next(g, state) != nil || cursor.Len() == 0 {
				continue
			}
			cursor.Take(random.IntN(cursor.Len()), state)
			moved = true
			break
		}
		if !moved {
			break
		}
	}
	return missing, err
}
