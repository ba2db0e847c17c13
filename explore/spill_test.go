package explore_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// spilling returns options of a search that spills somewhere on its way, and often from then on.
func spilling(t *testing.T, r *rand.Rand, opt explore.Options, states int) explore.Options {
	opt.SpillDir = t.TempDir()
	return explore.Spilling(opt, 1+r.Uint64N(uint64(states)), 1+r.IntN(1+states/4))
}

// TestSpill: a search that spills counts as the simplest one does.
func TestSpill(t *testing.T) {
	spilled := 0
	for seed := range seeds(60) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		r := rand.New(rand.NewPCG(seed, 5))
		opt := spilling(t, r, explore.Options{Workers: workerCounts[r.IntN(len(workerCounts))]}, len(graph.States))
		result := systemtest.Run(t, sys, opt)
		if got, want := countsOf(result), graphCounts(graph); got != want {
			t.Errorf("%s, %+v: %v, want %v", name, opt, got, want)
		}
		if result.Spilled > 0 {
			spilled++
		}
	}
	if spilled < int(seeds(60))/2 {
		t.Errorf("only %d searches have spilled", spilled)
	}
}

// TestSpillObserved: classes are counted, and their first states found, as without spilling.
func TestSpillObserved(t *testing.T) {
	for seed := range seeds(40) {
		sys, name := random(seed)
		r := rand.New(rand.NewPCG(seed, 6))
		want := systemtest.Run(t, sys, explore.Options{Observer: parity{}})
		opt := spilling(t, r, explore.Options{Observer: parity{}, Workers: 1 + r.IntN(3)}, int(want.States))
		got := systemtest.Run(t, sys, opt)
		if countsOf(got) != countsOf(want) || !reflect.DeepEqual(observed(got), observed(want)) {
			t.Errorf("%s, %+v: %v, want %v", name, opt, observed(got), observed(want))
		}
	}
}

// parity is an observer: is the sum of the values odd?
type parity struct{}

func (parity) Leaf(int) func(uint32) uint32 { return func(v uint32) uint32 { return v % 2 } }
func (parity) Join(int, int, int) func(l, r uint32) uint32 {
	return func(l, r uint32) uint32 { return l ^ r }
}

// observed returns the observation of each class.
func observed(r *explore.Result) (all []string) {
	for class := range r.Classes {
		c := &r.Classes[class]
		all = append(all, fmt.Sprint(c.All.Count, c.All.Level, c.All.State, c.Quiescent.Count, c.Quiescent.Level,
			c.Quiescent.State))
	}
	return all
}

// TestSpillTrap compares with a search that has not spilled.
func TestSpillTrap(t *testing.T) {
	const m, goal = adder(7), 3
	trapped, spilled := 0, 0
	for seed := range seeds(80) {
		sys, g := randomSystem(t, seed)
		if g == nil {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 10))
		var traps []*explore.Trap
		opt := explore.Options{Observer: m, Workers: 1 + r.IntN(3)}
		for _, opt := range []explore.Options{opt, spilling(t, r, opt, len(g.States))} {
			space, err := explore.Keep(t.Context(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			if space.Result().Spilled > 0 {
				spilled++
			}
			trap, err := space.Trap(t.Context(), m, func(class uint32) bool { return class == goal })
			if err != nil {
				t.Fatal(err)
			}
			traps = append(traps, trap)
			space.Close()
		}
		if !reflect.DeepEqual(traps[0], traps[1]) {
			t.Errorf("seed %d: %+v, want %+v", seed, traps[1], traps[0])
		}
		if traps[0].States > 0 {
			trapped++
		}
	}
	if trapped < 5 || spilled < 5 {
		t.Errorf("too few cases: %d systems have traps, %d searches spilled", trapped, spilled)
	}
}

// TestSpillPath: the run is the one that a search finds that has not spilled.
func TestSpillPath(t *testing.T) {
	for seed := range seeds(40) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		last := graph.States[len(graph.States)-1]
		goal := func(_ int, state []model.Value) bool { return slices.Equal(state, last) }
		r := rand.New(rand.NewPCG(seed, 11))
		var runs [][]explore.Move
		for _, opt := range []explore.Options{{}, spilling(t, r, explore.Options{Workers: 1 + r.IntN(3)},
			len(graph.States))} {
			moves, err := explore.Path(t.Context(), sys, opt, goal)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			runs = append(runs, moves)
		}
		if !reflect.DeepEqual(runs[0], runs[1]) {
			t.Errorf("%s: %v, want %v", name, runs[1], runs[0])
		}
	}
}
