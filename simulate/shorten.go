package simulate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
)

// A Fault tells whether a run shows what it was taken for.
type Fault struct {
	Is  func(state []model.Value) (bool, error) // whether a state is at fault
	End bool                                    // only a terminal state can be
}

// Shorten returns a run from the same initial state that ends with a fault, as moves do, of as few of their steps as it can find:
// delta debugging (Zeller and Hildebrandt 2002) over the schedule. A candidate is replayed by the system; what is left of the schedule
// and not enabled is left out as well. No step of the result can be spared on its own, unless the search took too long: what has been
// found by then is right, too.
func Shorten(ctx context.Context, sys model.System, moves []model.Move, fault Fault) ([]model.Move, error) {
	s := &shortener{sys: sys, fault: fault, initial: moves[0].State, budget: shortening}
	turns, err := s.schedule(ctx, withoutLoops(ctx, moves))
	if err != nil {
		return nil, err
	}
	var best []model.Move
	try := func(turns []turn) ([]turn, bool, error) {
		if s.budget <= 0 {
			return nil, false, ErrEnough
		}
		found, taken, err := s.replay(ctx, turns)
		if found != nil {
			best = found
		}
		return taken, found != nil, err
	}
	turns, shown, err := try(turns)
	if err == nil && !shown {
		err = errors.New("the run does not end with the fault")
	}
	if err != nil {
		return nil, err
	}
	Minimize(ctx, turns, try)
	return best, nil
}

// ErrEnough ends Minimize early.
var ErrEnough = errors.New("the search took too long")

// Minimize leaves out of a list, part by part, what it can do without, and returns what is left: delta debugging (Zeller and Hildebrandt
// 2002). try says whether a list will do, and what of it is needed. One for which it fails will not: the model may have a fault there that the
// whole run did not meet. Minimize ends early with ctx or ErrEnough: what has been found by then is right, too.
func Minimize[T any](ctx context.Context, list []T, try func([]T) (needed []T, will bool, err error)) []T {
	for parts := 2; len(list) > 0; {
		shorter := false
		size := (len(list) + parts - 1) / parts
		for i := 0; i < len(list); {
			if ctx.Err() != nil {
				return list
			}
			needed, will, err := try(slices.Concat(list[:i], list[min(i+size, len(list)):]))
			switch {
			case errors.Is(err, ErrEnough):
				return list
			case will && err == nil:
				list, shorter = needed, true
			default:
				i += size
			}
		}
		if size <= 1 && !shorter {
			break
		}
		if !shorter {
			parts *= 2
		}
	}
	return list
}

// shortening is how many steps are taken at most to shorten a run.
const shortening = 20_000_000

// withoutLoops leaves out what leads back to a state.
func withoutLoops(ctx context.Context, moves []model.Move) []model.Move {
	last := make(map[string]int)
	for i, m := range moves {
		if i%1024 == 0 && ctx.Err() != nil {
			return moves
		}
		last[fmt.Sprint(m.State)] = i
	}
	var rest []model.Move
	for i := 0; i < len(moves); i++ {
		m := moves[i]
		i = last[fmt.Sprint(m.State)]
		rest = append(rest, m)
	}
	return rest
}

// A turn is what a schedule lets happen: a transition of a group with a label; if there are several, which differ in what was drawn, the
// one that leads closest to where it led before.
type turn struct {
	group  int
	label  model.Label
	values []model.Value
}

type shortener struct {
	sys     model.System
	fault   Fault
	initial []model.Value
	budget  int // steps

	in  []model.Value
	out model.Successors
}

// schedule returns which group takes each step.
func (s *shortener) schedule(ctx context.Context, moves []model.Move) ([]turn, error) {
	var turns []turn
	state := slices.Clone(s.initial)
	for i, m := range moves[1:] {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, err := s.turn(state, m)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
		copy(state, m.State)
	}
	return turns, nil
}

// turn finds the transition that makes a move.
func (s *shortener) turn(from []model.Value, m model.Move) (turn, error) {
	for g, group := range s.sys.Groups() {
		if err := s.ask(g, from); err != nil {
			return turn{}, err
		}
		for i := range s.out.Len() {
			if s.out.Step(i).Label == m.Step.Label && slices.Equal(moved(from, group.Slots, s.out.Values(i)), m.State) {
				return turn{g, m.Step.Label, slices.Clone(s.out.Values(i))}, nil
			}
		}
	}
	return turn{}, fmt.Errorf("%s is no transition of the system", s.sys.Label(m.Step.Label).Text)
}

// ask puts the transitions of a group in a state into out.
func (s *shortener) ask(g int, state []model.Value) error {
	slots := s.sys.Groups()[g].Slots
	s.in = s.in[:0]
	for _, slot := range slots {
		s.in = append(s.in, state[slot])
	}
	s.out.Reset(len(slots))
	return s.sys.Next(g, s.in, &s.out)
}

// moved returns a state with other values in some slots.
func moved(state []model.Value, slots []int, values []model.Value) []model.Value {
	next := slices.Clone(state)
	for j, slot := range slots {
		next[slot] = values[j]
	}
	return next
}

// replay takes the turns that are possible, up to the fault. It returns nil if there is none.
func (s *shortener) replay(ctx context.Context, turns []turn) (moves []model.Move, taken []turn, err error) {
	state := s.initial
	moves = append(moves, model.Move{State: state})
	at, err := s.at(state, len(turns) == 0)
	for i := 0; i < len(turns) && !at && err == nil; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ErrEnough
		}
		t := turns[i]
		s.budget--
		if err = s.ask(t.group, state); err != nil {
			return nil, nil, err
		}
		if j := s.closest(t); j >= 0 {
			state = moved(state, s.sys.Groups()[t.group].Slots, s.out.Values(j))
			moves, taken = append(moves, model.Move{Step: s.out.Step(j), State: state}), append(taken, t)
		}
		at, err = s.at(state, i == len(turns)-1)
	}
	if !at || err != nil {
		return nil, nil, err
	}
	return moves, taken, nil
}

// closest returns the transition in out for a turn, -1 if there is none.
func (s *shortener) closest(t turn) int {
	best, most := -1, -1
	for i := range s.out.Len() {
		if s.out.Step(i).Label != t.label {
			continue
		}
		same := 0
		for j, v := range s.out.Values(i) {
			if v == t.values[j] {
				same++
			}
		}
		if same > most {
			best, most = i, same
		}
	}
	return best
}

// at reports whether a state is at fault.
func (s *shortener) at(state []model.Value, last bool) (bool, error) {
	if !s.fault.End {
		return s.fault.Is(state)
	}
	if !last {
		return false, nil
	}
	for g := range s.sys.Groups() {
		if err := s.ask(g, state); err != nil || s.out.Len() > 0 {
			return false, err
		}
	}
	return s.fault.Is(state)
}
