package tree_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/test/systemtest"
)

// TestMayLeadTo checks that no transition is excluded, and that many pairs of states without one are.
func TestMayLeadTo(t *testing.T) {
	transitions, excluded, pairs := 0, 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		sys := systemtest.New(seed, systemtest.RandomShape(r))
		graph := systemtest.Explored(t, sys)
		store := tree.NewStore(t.Context(), sys, nil, nil)
		w := store.Worker()
		var ids []tree.StateID
		for _, state := range graph.States {
			ids = append(ids, w.ID(state))
		}
		for range 20 {
			state := graph.States[r.IntN(len(graph.States))]
			id := w.ID(state)
			successors, _ := systemtest.Successors(sys, state) // those before an error
			for _, to := range successors {
				target := w.ID(to.Target)
				if transitions++; target != id && !store.MayLeadTo(target)(id) {
					t.Fatalf("seed %d: a transition from %v to %v is excluded", seed, state, to.Target)
				}
			}
			may := store.MayLeadTo(id)
			for range 20 {
				if pairs++; !may(ids[r.IntN(len(ids))]) {
					excluded++
				}
			}
		}
	}
	t.Logf("%d transitions; of %d pairs, %d are excluded", transitions, pairs, excluded)
	if transitions < 1000 || excluded < pairs/4 {
		t.Errorf("%d transitions; of %d pairs, %d are excluded", transitions, pairs, excluded)
	}
}
