package symbolic_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
)

// systems is the number of random systems.
var systems = testlevel.Cases[uint64](150, 1000) // random systems to search

// TestRandom compares counts on random systems with an obvious search, in the order of Order and in any other.
func TestRandom(t *testing.T) {
	for seed := range systems() {
		r := rand.New(rand.NewPCG(seed, 0))
		shape := systemtest.RandomShape(r)
		sys := systemtest.New(seed, shape)
		want := systemtest.Explored(t, sys)
		opt := symbolic.Options{Memory: 4 << 20}
		if r.IntN(2) == 0 {
			opt.Order = r.Perm(shape.Slots)
		}
		got := run(t, sys, opt)
		compare(t, fmt.Sprint("system ", seed), got, want)
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
	counts := fmt.Sprint(got.States, got.Transitions, got.TerminalStates, got.EnvironmentOnly)
	if expect := fmt.Sprint(len(want.States), want.Transitions, want.TerminalStates,
		want.EnvironmentOnly); counts != expect {
		t.Errorf("%s: states, transitions and terminal states are %s, want %s", name, counts, expect)
	}
}
