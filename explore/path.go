package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// A Move is one step of a run.
type Move = model.Move

// ErrNoPath means that no reachable state is a goal.
var ErrNoPath = errors.New("no such state can be reached")

// Path returns a shortest run to a state for which goal returns true; the same one whatever the number of workers. goal
// is called from several goroutines; worker, below Options.Workers, says from which.
//
// The levels up to the goal are generated, kept (in about 4 bytes per state), and searched backward for predecessors.
// The error is ErrNoPath if there is no such state, or says why the search ended early.
func Path(
	ctx context.Context, sys model.System, opt Options, goal func(worker int, state []model.Value) bool,
) ([]Move, error) {
	opt.Match = goal
	s, err := start(ctx, sys, opt, true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	switch r := s.result(); {
	case r.Stop == Exhausted:
		return nil, ErrNoPath
	case r.Stop == ModelFailure:
		return nil, r.ModelError
	case r.Stop != Matched:
		return nil, fmt.Errorf("search for a run: %w", r.Err())
	}
	return s.backward(ctx, leastState(sys, s.matches), len(s.sizes)-1)
}

// backward returns a run to a state of a level, found level by level from the end.
func (s *search) backward(ctx context.Context, target []model.Value, level int) ([]Move, error) {
	moves := []Move{{State: target}}
	for i := level - 1; i >= 0; i-- {
		before, err := s.predecessor(ctx, s.storage.level(i), target)
		if err != nil {
			return nil, err
		}
		step, err := StepBetween(s.sys, before, target, func(model.Step) bool { return true })
		if err != nil {
			return nil, err
		}
		moves[len(moves)-1].Step = step
		moves = append(moves, Move{State: before})
		target = before
	}
	slices.Reverse(moves)
	return moves, nil
}

// predecessor returns the least state of a level that has target as a successor.
func (s *search) predecessor(ctx context.Context, level source, target []model.Value) ([]model.Value, error) {
	goal := s.workers[0].tree.ID(target)
	mayLead := s.store.MayLeadTo(goal)
	var found [][]model.Value
	s.distribute(ctx, level, func(w *worker, states []tree.StateID) {
		w.fresh = w.fresh[:0]
		for _, id := range states {
			if mayLead(id) {
				w.fresh = append(w.fresh, id)
			}
		}
		w.appendPredecessors(goal, w.fresh, &found)
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("search for a run: %w", &StopError{StopFor(ctx)})
	case s.failure != nil:
		return nil, fmt.Errorf("search for a run: %w", s.failure)
	case len(found) == 0:
		return nil, errors.New("search for a run: a state has no predecessor in the level before it")
	}
	return leastState(s.sys, found), nil
}

// distribute distributes the states of a level to all workers.
func (s *search) distribute(ctx context.Context, level source, do func(w *worker, states []tree.StateID)) {
	var group workers.Group
	for _, w := range s.workers {
		group.Go(func() {
			defer w.disk.close()
			for b := level.take(w); len(b.states) > 0 && ctx.Err() == nil; b = level.take(w) {
				do(w, b.states)
			}
		})
	}
	group.Wait()
}

// appendPredecessors appends to found the states that have goal as a successor.
func (w *worker) appendPredecessors(goal tree.StateID, states []tree.StateID, found *[][]model.Value) {
	for len(states) > 0 {
		some := states[:min(statesPerExpansion, len(states))]
		states = states[len(some):]
		// No earlier level has a state with a model error, or the search would have ended there.
		w.successors(some, func(i int, to []tree.StateID) {
			if slices.Contains(to, goal) {
				state := w.vector(some[i])
				w.search.mu.Lock()
				*found = append(*found, state)
				w.search.mu.Unlock()
			}
		})
	}
}

// leastState returns the first of some states in the order of their readable form, which does not depend on how values
// are numbered in this run.
func leastState(sys model.System, states [][]model.Value) []model.Value {
	return slices.MinFunc(states, func(a, b []model.Value) int { return model.Compare(sys, a, b) })
}

// StepBetween returns the first step that leads from one state to another and is wanted.
func StepBetween(sys model.System, from, to []model.Value, wanted func(model.Step) bool) (step model.Step, err error) {
	found := false
	// A group that reports an error has no transition that can be taken.
	_ = model.Each(sys, from, func(_ int, s model.Step, state []model.Value) bool {
		if found = slices.Equal(state, to) && wanted(s); found {
			step = s
		}
		return !found
	})
	if !found {
		err = errors.New("search for a run: no transition leads from one of its states to the next")
	}
	return step, err
}

// A Space is the outcome of a search that has kept its states by level, in about 4 bytes each.
type Space struct {
	search *search
	result *Result
}

// Keep is Run, and keeps the levels. The caller closes the Space.
func Keep(ctx context.Context, sys model.System, opt Options) (*Space, error) {
	s, err := start(ctx, sys, opt, true)
	if err != nil {
		return nil, err
	}
	return &Space{search: s, result: s.result()}, nil
}

// Result returns the counts of the search.
func (s *Space) Result() *Result { return s.result }

// Close frees the memory.
func (s *Space) Close() { s.search.close() }

// Path returns a shortest run to a state of the given level; the same one whatever the number of workers.
func (s *Space) Path(ctx context.Context, state []model.Value, level int) ([]Move, error) {
	if level > len(s.result.Levels) {
		return nil, fmt.Errorf("search for a run: level %d was not reached", level)
	}
	return s.search.backward(ctx, state, level)
}
