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

// many independent groups: most combinations of which two are possible are reached by either first.
func independent(seed uint64) (*systemtest.System, string) {
	r := rand.New(rand.NewPCG(seed, 11))
	shape := systemtest.Shape{Slots: 3 + r.IntN(5), Values: 2, Groups: 1 + r.IntN(90), Rare: 50 + r.IntN(40)}
	if r.IntN(3) == 0 {
		shape.Errors = 1 + r.IntN(5)
	}
	return systemtest.New(seed, shape), fmt.Sprintf("seed %d, %+v", seed, shape)
}

// TestSleepSets: what a search finds does not depend on whether it leaves transitions out: counts, levels, classes, and
// where it stops.
func TestSleepSets(t *testing.T) {
	var generated, transitions uint64
	for seed := range seeds(300) {
		sys, name := independent(seed)
		r := rand.New(rand.NewPCG(seed, 12))
		opt := explore.Options{Observer: parity{}, NoSleepSets: true, Workers: 1}
		if r.IntN(4) == 0 {
			class := r.Uint32N(2)
			opt.Until = func(c uint32, _ int, terminal bool) bool { return c == class && terminal }
		}
		want := systemtest.Run(t, sys, opt)
		opt.NoSleepSets = false
		opt.Workers = workerCounts[r.IntN(len(workerCounts))]
		if r.IntN(3) == 0 {
			opt = spilling(t, r, opt, int(want.States))
		}
		got := systemtest.Run(t, sys, opt)
		if got.Stop != want.Stop {
			t.Errorf("%s, %+v: %v, want %v", name, opt, got.Stop, want.Stop)
		}
		if want.Stop == explore.ModelFailure {
			failsAlike(t, name, sys, got, want)
			continue
		}
		if countsOf(got) != countsOf(want) || !reflect.DeepEqual(observed(got), observed(want)) {
			t.Errorf("%s, %+v: %v, %v, want %v, %v", name, opt, countsOf(got), observed(got), countsOf(want),
				observed(want))
		}
		if want.Generated != want.Transitions {
			t.Errorf("%s: %d successors of %d transitions without sleep sets", name, want.Generated, want.Transitions)
		}
		generated, transitions = generated+got.Generated, transitions+got.Transitions
	}
	if generated > transitions*9/10 {
		t.Errorf("of %d transitions %d are generated", transitions, generated)
	}
}

// failsAlike: which of the states of a level that fail is met first depends on the order, but not the level.
func failsAlike(t *testing.T, name string, sys model.System, got, want *explore.Result) {
	t.Helper()
	if len(got.Levels) != len(want.Levels) || got.States == 0 {
		t.Errorf("%s: a model error at level %d, want %d", name, len(got.Levels)-1, len(want.Levels)-1)
	}
	if _, err := systemtest.Successors(sys, got.ErrorState); err == nil {
		t.Errorf("%s: state %v does not fail", name, got.ErrorState)
	}
}

// TestSleepSetsPublished: the same for a protocol of which two thirds of the transitions are left out.
func TestSleepSetsPublished(t *testing.T) {
	for _, n := range workerCounts {
		r := systemtest.Run(t, election(t, 3, 2), explore.Options{Workers: n})
		want := counts{explore.Exhausted, 15445, 43968, 24, 0, fmt.Sprint(r.Levels)}
		if countsOf(r) != want || r.Generated > 2*r.States {
			t.Errorf("%d workers: %v, %d generated, want %v", n, countsOf(r), r.Generated, want)
		}
	}
}

// TestSleepSetsOfLargeSystems: the same where the visited set grows, and for searches that stop at a limit, which know
// the levels before as they are.
func TestSleepSetsOfLargeSystems(t *testing.T) {
	grown, stopped, saved := 0, 0, 0
	for seed := range seeds(8) {
		r := rand.New(rand.NewPCG(seed, 13))
		shape := systemtest.Shape{Slots: 17, Values: 2, Groups: 16 + r.IntN(60), Rare: 60 + r.IntN(30)}
		sys, name := systemtest.New(seed, shape), fmt.Sprintf("seed %d, %+v", seed, shape)
		want := systemtest.Run(t, sys, explore.Options{NoSleepSets: true, Workers: 1})
		if want.States > 1<<16 {
			grown++
		}
		for _, n := range workerCounts {
			got := systemtest.Run(t, sys, explore.Options{Workers: n})
			if countsOf(got) != countsOf(want) {
				t.Errorf("%s, %d workers: %v, want %v", name, n, countsOf(got), countsOf(want))
			}
			if got.Generated < want.Generated*9/10 {
				saved++
			}
			opt := explore.Options{Workers: n, MaxStates: 1 + r.Uint64N(want.States)}
			if r.IntN(2) == 0 {
				opt = explore.Options{Workers: n, Memory: 1<<20 + r.Uint64N(want.TotalBytes)}
			}
			got = systemtest.Run(t, sys, opt)
			if got.Complete() {
				if countsOf(got) != countsOf(want) {
					t.Errorf("%s, %+v: %v, want %v", name, opt, countsOf(got), countsOf(want))
				}
				continue
			}
			stopped++
			if k := len(got.Levels); k > len(want.Levels) || !slices.Equal(got.Levels, want.Levels[:k]) ||
				got.States > want.States || got.Transitions > want.Transitions {
				t.Errorf("%s, %+v: %v, want what begins so: %v", name, opt, countsOf(got), countsOf(want))
			}
		}
	}
	t.Logf("%d systems made the visited set grow; of %d searches each, %d stopped at a limit, %d generated less", grown,
		len(workerCounts), stopped, saved)
	if grown == 0 || stopped == 0 || saved == 0 {
		t.Errorf("%d systems made the visited set grow, %d searches stopped at a limit, %d generated less", grown,
			stopped, saved)
	}
}
