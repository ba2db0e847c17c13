package reduce

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/reduce/confluence"
)

// Lift turns a run of the reduced system, under Rotation one lifted by its Quotient, into a run of the full system by
// inserting the confluent steps that were left out. at[i] is the index in full of the state of run[i]; a cycle remains
// a cycle. The result need not be a shortest run. The error is the error of ctx, or says that there is no such run.
func (a *ReducedSystem) Lift(ctx context.Context, run []model.Move) (full []model.Move, at []int, err error) {
	return a.lift(ctx, run, nil)
}

// LiftToError lifts a run to a state with a model error. Under OnTheFly the error may have occurred later, in the
// search for a representative; then the result extends the run to there.
func (a *ReducedSystem) LiftToError(ctx context.Context, run []model.Move, failure error) ([]model.Move, error) {
	full, _, err := a.lift(ctx, run, failure)
	return full, err
}

func (a *ReducedSystem) lift(
	ctx context.Context, run []model.Move, failure error,
) (full []model.Move, at []int, err error) {
	full = run
	for i := range run {
		at = append(at, i)
	}
	if a.representatives != nil && a.quotient != nil {
		return nil, nil, errors.New("runs of orbits of representatives cannot be lifted")
	}
	if a.representatives != nil {
		l := &lifter{ctx, a.prioritizedSystem, func(label model.Label) model.Label { return label }, a.confluent}
		if full, at, err = l.lift(full, at); err != nil {
			return nil, nil, err
		}
		if failure != nil {
			if full, err = l.toError(full, failure); err != nil {
				return nil, nil, err
			}
		}
	}
	if a.prioritizedSystem != nil {
		first := func(label model.Label) model.Label { return a.prioritizedSystem.Actions(label)[0] }
		l := &lifter{ctx, a.full, first, a.tail}
		if full, at, err = l.lift(full, at); err != nil {
			return nil, nil, err
		}
	}
	return full, at, nil
}

// A lifter turns a run of a reduced system into a run of sys. A step of the reduced system may replace several steps of
// sys.
type lifter struct {
	ctx context.Context
	sys model.System
	// first returns the label of the first step of sys that a step of the reduced system replaces.
	first func(label model.Label) model.Label
	next  func(state, goal []model.Value) []model.Move // the possible further steps towards goal
}

// lift returns the run of sys, and the indices in it of the states at the given places of run.
func (l *lifter) lift(run []model.Move, places []int) (full []model.Move, at []int, err error) {
	moved := make([]int, len(run))
	for i, m := range run {
		begin := make([]model.Move, 0, 1)
		if i == 0 {
			err = l.sys.Initial(func(state []model.Value) bool {
				begin = append(begin, model.Move{State: slices.Clone(state)})
				return true
			})
		} else {
			first := l.first(m.Step.Label)
			begin = slices.DeleteFunc(transitions(l.sys, run[i-1].State),
				func(b model.Move) bool { return b.Step.Label != first })
		}
		if err != nil {
			return nil, nil, err
		}
		part, err := l.through(begin, m.State)
		if err != nil {
			return nil, nil, fmt.Errorf("lift a run: step %d: %w", i, err)
		}
		full = append(full, part...)
		moved[i] = len(full) - 1
	}
	for _, place := range places {
		at = append(at, moved[place])
	}
	return full, at, nil
}

// errNoRun means that no left-out steps lead to the target of a step: a bug.
var errNoRun = errors.New("the omitted steps were not found")

// through returns one of the moves in begin, followed by moves from there to goal.
func (l *lifter) through(begin []model.Move, goal []model.Value) ([]model.Move, error) {
	for _, b := range begin {
		rest, found, err := l.on(b.State, goal, func(state []model.Value) bool { return slices.Equal(state, goal) })
		if err != nil || found {
			return append([]model.Move{b}, rest...), err
		}
	}
	return nil, errNoRun
}

// toError extends a run whose last state has no model error to the state with the error, through steps that were left
// out.
func (l *lifter) toError(run []model.Move, failure error) ([]model.Move, error) {
	fails := func(state []model.Value) bool {
		err := model.Each(l.sys, state, func(int, model.Step, []model.Value) bool { return true })
		return err != nil && err.Error() == failure.Error()
	}
	last := run[len(run)-1].State
	if fails(last) {
		return run, nil
	}
	for _, m := range transitions(l.sys, last) {
		rest, found, err := l.on(m.State, nil, fails)
		if err != nil || found {
			return append(append(run, m), rest...), err
		}
	}
	return run, nil
}

// on searches depth first from a state for a wanted one. All confluent steps lead to the same terminal component, so
// there is little backtracking.
func (l *lifter) on(
	state, goal []model.Value, wanted func(state []model.Value) bool,
) (run []model.Move, found bool, err error) {
	met := map[string]bool{key(state): true}
	var open [][]model.Move // untried moves, at the beginning of the run and after each move
	for !wanted(state) {
		if err := l.ctx.Err(); err != nil {
			return nil, false, err
		}
		open = append(open, l.next(state, goal))
		for state = nil; state == nil; {
			if len(open) == 0 {
				return nil, false, nil
			}
			run = run[:len(open)-1]
			last := &open[len(open)-1]
			if len(*last) == 0 {
				open = open[:len(open)-1]
				continue
			}
			m := (*last)[0]
			*last = (*last)[1:]
			if !met[key(m.State)] {
				met[key(m.State)] = true
				run, state = append(run, m), m.State
			}
		}
	}
	return run, true, nil
}

func key(state []model.Value) string {
	var b []byte
	for _, v := range state {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(b)
}

// transitions returns the moves from a state.
func transitions(sys model.System, state []model.Value) (moves []model.Move) {
	// A group that fails has no transitions to follow. The run may lead to its error.
	_ = model.Each(sys, state, func(_ int, step model.Step, to []model.Value) bool {
		moves = append(moves, model.Move{Step: step, State: slices.Clone(to)})
		return true
	})
	return moves
}

// confluent returns the confluent steps from a state towards its representative.
func (a *ReducedSystem) confluent(state, _ []model.Value) []model.Move {
	return transitions(confluentSteps{a.prioritizedSystem}, state)
}

// confluentSteps is the subsystem of the confluent steps.
type confluentSteps struct{ *confluence.PrioritizedSystem }

// Next implements model.System.
func (c confluentSteps) Next(g int, in []model.Value, out *model.Successors) error {
	return c.Confluent(g, in, out)
}

// tail returns the possible next actions of a composed transition. They belong to the first process whose local state
// differs in state and goal.
func (a *ReducedSystem) tail(state, goal []model.Value) []model.Move {
	process := 0
	for process < a.full.Protocol().N && state[a.full.SlotOfProcess(process)] == goal[a.full.SlotOfProcess(process)] {
		process++
	}
	if process == a.full.Protocol().N {
		return nil
	}
	label, ok := a.prioritizedSystem.TailLabel(process, state)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(transitions(a.full, state), func(m model.Move) bool { return m.Step.Label != label })
}
