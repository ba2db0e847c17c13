package systemtest

import (
	"slices"
	"testing"

	"ringcheck/model"
)

// Moves returns the transitions from a state.
func Moves(tb testing.TB, sys model.System, state []model.Value) []model.Move {
	tb.Helper()
	var all []model.Move
	var out model.Successors
	for g, group := range sys.Groups() {
		in := make([]model.Value, len(group.Slots))
		for i, slot := range group.Slots {
			in[i] = state[slot]
		}
		out.Reset(len(in))
		if err := sys.Next(g, in, &out); err != nil {
			tb.Fatal(err)
		}
		for i := range out.Len() {
			to := slices.Clone(state)
			for k, v := range out.Values(i) {
				to[group.Slots[k]] = v
			}
			all = append(all, model.Move{Step: out.Step(i), State: to})
		}
	}
	return all
}
