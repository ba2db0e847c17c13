package symmetry

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
)

// Lift turns a run of the quotient, given by its states, into a run of the other system through the same orbits. If
// goal is not nil and holds in some state of the last orbit, the run ends in a state where it holds. The error says
// where the given states are not a run.
func (q *Quotient) Lift(run [][]model.Value, goal func(state []model.Value) bool) ([]model.Move, error) {
	if len(run) == 0 {
		return nil, nil
	}
	state := make([]model.Value, len(q.ring.positions))
	q.Decode(run[0], 0, state)
	moves := []model.Move{{State: state}}
	for i, cells := range run[1:] {
		last := moves[len(moves)-1].State
		next, err := q.step(last, func(to []model.Value) bool { return q.represents(cells, to) })
		if err != nil {
			return nil, fmt.Errorf("lift a run: state %d: %w", i+1, err)
		}
		moves = append(moves, next)
	}
	if goal == nil {
		return moves, nil
	}
	return q.rotateRun(moves, goal)
}

// represents reports whether cells is the representative of a state of the other system.
func (q *Quotient) represents(cells, state []model.Value) bool {
	own := make([]model.Value, len(cells))
	q.Encode(state, own)
	return slices.Equal(own, cells)
}

// rotateRun rotates a run so that goal holds in its last state, if possible.
func (q *Quotient) rotateRun(moves []model.Move, goal func(state []model.Value) bool) ([]model.Move, error) {
	for by := range q.ring.n {
		if !goal(q.rotateState(moves[len(moves)-1].State, by)) {
			continue
		}
		rotated := []model.Move{{State: q.rotateState(moves[0].State, by)}}
		for _, m := range moves[1:] {
			want := q.rotateState(m.State, by)
			next, err := q.step(rotated[len(rotated)-1].State,
				func(to []model.Value) bool { return slices.Equal(to, want) })
			if err != nil {
				return nil, fmt.Errorf("lift a run: rotate it: %w", err)
			}
			rotated = append(rotated, next)
		}
		return rotated, nil
	}
	return moves, nil
}

// rotateState returns a state of the other system, rotated by some places.
func (q *Quotient) rotateState(state []model.Value, by int) []model.Value {
	to := make([]model.Value, len(state))
	for slot, v := range state {
		to[q.ring.rotateSlot(slot, by)] = v
	}
	return to
}

// step returns the first step from a state of the other system to a wanted state.
func (q *Quotient) step(from []model.Value, wanted func(to []model.Value) bool) (model.Move, error) {
	return stepTo(q.System, from, wanted)
}

// stepTo returns the first step of a system from a state to a wanted one.
func stepTo(
	sys model.System, from []model.Value, wanted func(to []model.Value) bool,
) (move model.Move, err error) {
	// A group that fails has no transitions to follow.
	_ = model.Each(sys, from, func(_ int, step model.Step, to []model.Value) bool {
		if wanted(to) {
			move = model.Move{Step: step, State: slices.Clone(to)}
		}
		return move.State == nil
	})
	if move.State == nil {
		err = errors.New("it is no successor of the one before")
	}
	return move, err
}
