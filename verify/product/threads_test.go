package product_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// TestActionsClosed checks that actions that permutations do not map to one another are refused.
func TestActionsClosed(t *testing.T) {
	one := func(process, sort int) Action {
		return Action{Is: func(Kind) bool { return false }, At: -1, Process: process, Sort: sort}
	}
	for _, test := range []struct {
		name    string
		actions []Action
		closed  bool
	}{
		{"one sort", []Action{one(0, 0), one(1, 0)}, true},
		{"two sorts in any order", []Action{one(1, 7), one(0, 0), one(1, 0), one(0, 7)}, true},
		{"a process without an action", []Action{one(0, 0)}, false},
		{"a process without an action of one sort", []Action{one(0, 0), one(1, 0), one(0, 1)}, false},
		{"two actions of a process", []Action{one(0, 0), one(0, 0)}, false},
		{"an unknown process", []Action{one(0, 0), one(1, 0), one(2, 0)}, false},
		{"the environment", []Action{one(0, 0), one(-1, 0)}, false},
	} {
		s := randomSystem(rand.New(rand.NewPCG(1, 1)), 3, 1)
		search := &Search{System: s.graph(), Letters: s.letters, Events: eventsOf, Automaton: ltl.Translate(ltl.True),
			Actions: test.actions, Moves: func(_ uint32, process int) int { return 1 - process }, Processes: 2}
		_, err := search.Find(t.Context())
		if test.closed != (err == nil) || err != nil && !errors.Is(err, ErrNotClosed) {
			t.Errorf("%s: %v", test.name, err)
		}
		search.Moves = nil
		lasso, err := search.Find(t.Context())
		if err != nil || lasso == nil {
			t.Fatalf("%s: without permutations %v, %v", test.name, lasso, err)
		}
		search.Moves = func(_ uint32, process int) int { return 1 - process }
		if _, err := search.StarvedActions(lasso, false); test.closed != (err == nil) {
			t.Errorf("%s, starved actions: %v", test.name, err)
		}
	}
}
