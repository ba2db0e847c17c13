package systemtest

import (
	"testing"

	"ringcheck/model"
)

// Moves returns the transitions from a state, none of which may fail.
func Moves(tb testing.TB, sys model.System, state []model.Value) []model.Move {
	tb.Helper()
	transitions, err := Successors(sys, state)
	if err != nil {
		tb.Fatal(err)
	}
	var all []model.Move
	for _, t := range transitions {
		all = append(all, model.Move{Step: t.Step, State: t.Target})
	}
	return all
}
