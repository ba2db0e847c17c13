package symbolic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/test/systemtest"
	"ringcheck/symbolic"
)

var strategies = []symbolic.Strategy{symbolic.Saturation, symbolic.Chaining, symbolic.BreadthFirst}

// TestRandom: on random systems, every strategy counts what the obvious search counts, with one worker and with several, in the
// order that is found and in any other.
func TestRandom(t *testing.T) {
	systems := uint64(3000)
	if testing.Short() {
		systems = 300
	}
	for seed := range systems {
		r := rand.New(rand.NewPCG(seed, 0))
		shape := systemtest.RandomShape(r)
		sys := systemtest.New(seed, shape)
		want := systemtest.Explored(t, sys)
		opt := symbolic.Options{
			Strategy: strategies[seed%3],
			Workers:  1 + r.IntN(3),
			Memory:   4 << 20,
		}
		if r.IntN(2) == 0 {
			opt.Order = r.Perm(shape.Slots)
		}
		got := run(t, sys, opt)
		compare(t, fmt.Sprintf("system %d, %v", seed, opt.Strategy), got, want)
		if t.Failed() {
			return
		}
	}
}

// compare compares a result with what it should be.
func compare(t *testing.T, name string, got *symbolic.Result, want *systemtest.Graph) {
	t.Helper()
	if !got.Complete() {
		t.Errorf("%s: stopped: %v", name, got.Stop)
		return
	}
	counts := fmt.Sprint(got.States, got.Transitions, got.Deadlocks, got.EnvironmentOnly)
	if expect := fmt.Sprint(len(want.States), want.Transitions, want.Deadlocks, want.EnvironmentOnly); counts != expect {
		t.Errorf("%s: states, transitions and deadlocks are %s, want %s", name, counts, expect)
	}
	if got.Levels == nil {
		return
	}
	var levels []uint64
	for _, n := range got.Levels {
		levels = append(levels, n.Uint64())
	}
	if !slices.Equal(levels, want.Levels) {
		t.Errorf("%s: levels %v, want %v", name, levels, want.Levels)
	}
}
