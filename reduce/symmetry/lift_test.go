package symmetry_test

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/symmetry"
)

// TestLift checks that a shortest run to a local state of the last process has the same length by orbits as without,
// and that its lifting is a run of the system that ends there.
func TestLift(t *testing.T) {
	for _, tt := range []struct{ spec, settings, local string }{
		{"franklin", "n=3 k=2", "P"},
		{"franklin", "n=4 k=2 order=left", "P"},
		{"dkr", "n=4 k=2", "P"},
		{"itai-rodeh", "n=4 k=2", "Leader"},
		{"chang-roberts", "n=4", "Passive(id=3)"},
	} {
		t.Run(tt.spec+","+strings.ReplaceAll(tt.settings, " ", ","), func(t *testing.T) {
			sys := open(t, tt.spec, tt.settings)
			last := sys.SlotOfProcess(sys.Protocol().N - 1)
			there := func(state []model.Value) bool { return sys.FormatSlot(last, state[last]) == tt.local }
			goal := func(_ int, state []model.Value) bool { return there(state) }
			plain, err := explore.Path(t.Context(), sys, explore.Options{}, goal)
			if err != nil {
				t.Fatal(err)
			}
			q := rotation(t, sys)
			moves, err := q.Lift(path(t, q, goal, 0), there)
			if err != nil {
				t.Fatal(err)
			}
			if len(moves) != len(plain) {
				t.Errorf("the lifted run has %d states, the shortest %d", len(moves), len(plain))
			}
			replay(t, sys, moves)
			if !there(moves[len(moves)-1].State) {
				t.Error("the lifted run does not end in the state that was asked for")
			}
		})
	}
}

// path returns the states of a shortest run of q to a goal of the other system.
func path(t *testing.T, q *symmetry.Quotient, goal func(int, []model.Value) bool, workers int) [][]model.Value {
	t.Helper()
	moves, err := explore.Path(t.Context(), q, explore.Options{Workers: workers}, q.Goal(goal))
	if err != nil {
		t.Fatal(err)
	}
	var states [][]model.Value
	for _, m := range moves {
		states = append(states, m.State)
	}
	return states
}

// replay checks that moves are a run of sys: from an initial state, each step a transition to the next state.
func replay(t *testing.T, sys model.System, moves []model.Move) {
	t.Helper()
	initial := false
	err := sys.Initial(func(state []model.Value) bool {
		initial = initial || slices.Equal(state, moves[0].State)
		return !initial
	})
	if err != nil {
		t.Fatal(err)
	}
	if !initial {
		t.Error("the run does not begin in an initial state")
	}
	for i, m := range moves[1:] {
		if !slices.ContainsFunc(systemtest.Moves(t, sys, moves[i].State), func(to model.Move) bool {
			return to.Step == m.Step && slices.Equal(to.State, m.State)
		}) {
			t.Errorf("step %d, %s, is no transition of the system", i+1, sys.Label(m.Step.Label).Text)
		}
	}
}

// TestLiftRefuses checks that states that form no run are not lifted.
func TestLiftRefuses(t *testing.T) {
	q := rotation(t, open(t, "franklin", "n=3 k=2"))
	var first []model.Value
	if err := q.Initial(func(state []model.Value) bool { first = slices.Clone(state); return false }); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Lift([][]model.Value{first, first}, nil); err == nil {
		t.Error("a state was reported as its own successor")
	}
	if moves, err := q.Lift(nil, nil); err != nil || moves != nil {
		t.Errorf("lifting the empty run gave %v, %v", moves, err)
	}
}

// TestRepresentatives checks that the representative of an orbit does not depend on the numbering of cells, which
// depends on the order in which workers meet them.
func TestRepresentatives(t *testing.T) {
	texts := func(workers int) []string {
		sys := open(t, "franklin", "n=3 k=2")
		q := rotation(t, sys)
		if workers > 1 { // number the cells in another order
			systemtest.Run(t, q, explore.Options{Workers: workers})
		}
		var list []string
		for _, cells := range path(t, q, deadlocked(t, sys), workers) {
			var text []string
			for slot, v := range cells {
				text = append(text, q.FormatSlot(slot, v))
			}
			list = append(list, strings.Join(text, "; "))
		}
		return list
	}
	one, four := texts(1), texts(4)
	if !slices.Equal(one, four) {
		t.Errorf("one worker:\n%s\nfour:\n%s", strings.Join(one, "\n"), strings.Join(four, "\n"))
	}
}

func deadlocked(t *testing.T, sys *compile.System) func(int, []model.Value) bool {
	return func(_ int, state []model.Value) bool { return len(systemtest.Moves(t, sys, state)) == 0 }
}

// TestOrbits checks that all rotations of a state have the same representative, and that OrbitSize is their number.
func TestOrbits(t *testing.T) {
	sys := open(t, "itai-rodeh", "n=4 k=2")
	q := rotation(t, sys)
	n := len(q.Slots())
	_, err := explore.Walk(t.Context(), q, explore.Options{}, explore.Visitor{
		State: func(_ uint64, _ int, cells []model.Value) error {
			orbit := make(map[string]bool)
			for by := range n {
				state, again := make([]model.Value, len(sys.Slots())), make([]model.Value, n)
				q.Decode(cells, by, state)
				orbit[formatState(sys, state)] = true
				if q.Encode(state, again); !slices.Equal(again, cells) {
					t.Errorf("rotated by %d, %s has a different representative", by, formatState(sys, state))
				}
			}
			if got := q.OrbitSize(cells); got != uint64(len(orbit)) {
				t.Errorf("an orbit of %d states is said to have %d", len(orbit), got)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func formatState(sys model.System, state []model.Value) string {
	var text []string
	for slot, v := range state {
		text = append(text, sys.FormatSlot(slot, v))
	}
	return strings.Join(text, "; ")
}
