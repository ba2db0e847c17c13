package replay

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
)

// TestFromMoves replays random runs of compiled systems with every discipline of channels and every fault. Each state
// of the replayed run is the state of the compiled one, and each step is counted if a limit counts it.
func TestFromMoves(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		sys := spectest.Compile(t, spectest.Instantiate(t, c.Text, nil))
		for seed := range uint64(100) {
			var state []model.Value
			if err := sys.Initial(func(s []model.Value) bool { state = slices.Clone(s); return false }); err != nil {
				t.Fatal(c, err)
			}
			moves := []model.Move{{State: state}}
			random := rand.New(rand.NewPCG(seed, 1))
			for range 12 {
				var next []model.Move
				if err := model.Each(sys, state, func(_ int, s model.Step, to []model.Value) bool {
					next = append(next, model.Move{Step: s, State: slices.Clone(to)})
					return true
				}); err != nil {
					t.Fatal(c, err)
				}
				if len(next) == 0 {
					break
				}
				moves = append(moves, next[random.IntN(len(next))])
				state = moves[len(moves)-1].State
			}
			run, err := FromMoves(sys, moves)
			if err != nil {
				t.Fatal(c, err)
			}
			for i, d := range run.Steps {
				if fault := d.Kind == model.FaultAction; d.Counted != fault || fault && d.Fault != c.Kind {
					t.Fatalf("%v: step %d, %s, is counted: %t", c, i+1, sys.Label(moves[i+1].Step.Label).Text,
						d.Counted)
				}
			}
			again, err := run.Moves(t.Context(), sys)
			same := func(a, b model.Move) bool { return slices.Equal(a.State, b.State) }
			if err != nil || !slices.EqualFunc(again, moves, same) {
				t.Fatalf("%v, run %d: %v", c, seed, err)
			}
		}
	}
}
