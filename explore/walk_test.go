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

// recorder records the calls of a walk.
type recorder struct {
	sys         model.System
	states      [][]model.Value
	levels      []int
	transitions []string
}

func (r *recorder) visitor() explore.Visitor {
	return explore.Visitor{
		State: func(id uint64, level int, state []model.Value) error {
			if id != uint64(len(r.states)) {
				return fmt.Errorf("state %d follows state %d", id, len(r.states)-1)
			}
			r.states, r.levels = append(r.states, slices.Clone(state)), append(r.levels, level)
			return nil
		},
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				if max(from, t.To) >= uint64(len(r.states)) {
					return fmt.Errorf("a transition from %d to %d, with %d states", from, t.To, len(r.states))
				}
				r.transitions = append(r.transitions, fmt.Sprint(from, t.Group, r.sys.Label(t.Label).Text, t.Choice,
					t.Weight, t.To))
			}
			return nil
		},
	}
}

func walk(t *testing.T, sys model.System, workers int) *recorder {
	t.Helper()
	r := &recorder{sys: sys}
	if _, err := explore.Walk(t.Context(), sys, explore.Options{Workers: workers}, r.visitor()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWalk: every state is told once, in breadth-first order, and each of its transitions with label and ends; a
// walk with more workers tells the same.
func TestWalk(t *testing.T) {
	for seed := range seeds(40) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		r := walk(t, sys, 1)
		if !slices.EqualFunc(r.states, graph.States, slices.Equal) {
			t.Fatalf("%s: the states differ from those of a plain search, or their order", name)
		}
		number := map[string]int{}
		for i, s := range r.states {
			number[systemtest.Key(s)] = i
			if want := graph.Level[systemtest.Key(s)]; r.levels[i] != want {
				t.Errorf("%s: state %d is on level %d, want %d", name, i, r.levels[i], want)
			}
		}
		var want []string
		for i, s := range r.states {
			successors, err := systemtest.Successors(sys, s)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range successors {
				to := number[systemtest.Key(n.Target)]
				want = append(want, fmt.Sprint(uint64(i), n.Group, sys.Label(n.Step.Label).Text, n.Step.Choice,
					n.Step.Weight, uint64(to)))
			}
		}
		if !slices.Equal(r.transitions, want) {
			t.Errorf("%s: the transitions are\n%v\nwant\n%v", name, r.transitions, want)
		}
		again := walk(t, sys, 2+int(seed%7))
		if !slices.Equal(again.transitions, r.transitions) {
			t.Errorf("%s: a walk with several workers yields other transitions", name)
		}
	}
}

// TestWalkError: an error of the visitor ends the walk and comes back as it is.
func TestWalkError(t *testing.T) {
	enough := errors.New("enough")
	for name, v := range map[string]explore.Visitor{
		"initial state": {State: func(uint64, int, []model.Value) error { return enough }},
		"state": {State: func(id uint64, _ int, _ []model.Value) error {
			if id == 10 {
				return enough
			}
			return nil
		}},
		"transition": {Transitions: func(uint64, []explore.Transition) error { return enough }},
	} {
		if r, err := explore.Walk(t.Context(), newCounters(3, 5), explore.Options{}, v); r != nil ||
			!errors.Is(err, enough) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestWalkModelError: the walk ends at the first state that fails.
func TestWalkModelError(t *testing.T) {
	sys := &failing{newCounters(2, 6)}
	r, err := explore.Walk(t.Context(), sys, explore.Options{}, explore.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != explore.ModelFailure || r.ModelError == nil || !slices.Equal(r.ErrorState, []model.Value{0, 3}) {
		t.Errorf("%v: %v in state %v", r.Stop, r.ModelError, r.ErrorState)
	}
}

// failing is a system of counters of which the second must not go beyond 3.
type failing struct{ *counters }

func (f *failing) Next(g int, in []model.Value, out *model.Successors) error {
	if g == 1 && in[0] == 3 {
		return &model.Error{Message: "3 is enough"}
	}
	return f.counters.Next(g, in, out)
}
