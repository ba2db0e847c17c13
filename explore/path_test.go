package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// TestPath: a run to a goal is a shortest one, each of its steps is a transition, and it is the same with any
// number of workers.
func TestPath(t *testing.T) {
	for seed := range seeds(120) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		last := graph.States[len(graph.States)-1-len(graph.States)/4]
		goal := func(_ int, state []model.Value) bool {
			return state[0] == last[0] && state[len(last)-1] == last[len(last)-1]
		}
		_, level := matches(graph, func(s []model.Value) bool { return goal(0, s) })
		first := ""
		for _, n := range workerCounts {
			moves, err := explore.Path(t.Context(), sys, explore.Options{Workers: n}, goal)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(moves) != level+1 {
				t.Errorf("%s: a run of %d states to a goal on level %d", name, len(moves), level)
			}
			if !goal(0, moves[len(moves)-1].State) || graph.Level[systemtest.Key(moves[0].State)] != 0 {
				t.Errorf("%s: the run does not lead from the start to a goal: %v", name, moves)
			}
			valid(t, name, sys, moves)
			if n == 1 {
				first = fmt.Sprint(moves)
			} else if got := fmt.Sprint(moves); got != first {
				t.Errorf("%s: with %d workers the run is\n%s\nwith one\n%s", name, n, got, first)
			}
		}
	}
}

// valid fails if a step is not a transition.
func valid(t *testing.T, name string, sys model.System, moves []explore.Move) {
	t.Helper()
	for i := 1; i < len(moves); i++ {
		successors, err := systemtest.Successors(sys, moves[i-1].State)
		if err != nil && i < len(moves)-1 {
			t.Errorf("%s: a run through a state that fails: %v", name, err)
		}
		if !slices.ContainsFunc(successors, func(s systemtest.Transition) bool {
			return s.Step == moves[i].Step && slices.Equal(s.Target, moves[i].State)
		}) {
			t.Errorf("%s: no transition %+v from %v", name, moves[i], moves[i-1].State)
		}
	}
}

func TestNoPath(t *testing.T) {
	_, err := explore.Path(t.Context(), newCounters(3, 5), explore.Options{}, func(_ int, state []model.Value) bool {
		return state[1] == 5
	})
	if !errors.Is(err, explore.ErrNoPath) {
		t.Errorf("%v, want %v", err, explore.ErrNoPath)
	}
}

// TestPathToInitialState has no step.
func TestPathToInitialState(t *testing.T) {
	moves, err := explore.Path(t.Context(), newCounters(3, 5), explore.Options{},
		func(int, []model.Value) bool { return true })
	if err != nil || len(moves) != 1 || !slices.Equal(moves[0].State, []model.Value{0, 0, 0}) ||
		moves[0].Step != (model.Step{}) {
		t.Errorf("%v, error %v", moves, err)
	}
}

// TestPathLimits: a search that ends before it knows is not one that found nothing.
func TestPathLimits(t *testing.T) {
	never := func(int, []model.Value) bool { return false }
	for _, opt := range []explore.Options{{MaxStates: 1000}, {Memory: 4 << 20}, {Memory: 1}} {
		if _, err := explore.Path(t.Context(), endless(), opt, never); err == nil || errors.Is(err, explore.ErrNoPath) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// TestPathToError: the state that fails is a goal like others; the search for another one fails with the error.
func TestPathToError(t *testing.T) {
	sys := &failing{newCounters(2, 6)}
	fails := func(_ int, state []model.Value) bool { _, err := systemtest.Successors(sys, state); return err != nil }
	moves, err := explore.Path(t.Context(), sys, explore.Options{}, fails)
	if err != nil || len(moves) != 4 || !slices.Equal(moves[3].State, []model.Value{0, 3}) {
		t.Errorf("%v, error %v", moves, err)
	}
	valid(t, "counters", sys, moves)
	var modelError *model.Error
	_, err = explore.Path(t.Context(), sys, explore.Options{},
		func(_ int, state []model.Value) bool { return state[0] == 5 })
	if !errors.As(err, &modelError) {
		t.Errorf("%v, want a model error", err)
	}
}
