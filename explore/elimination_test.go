package explore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// adder is an Observer: the class of a state is the sum of its values modulo m.
type adder uint32

func (m adder) Leaf(int) func(model.Value) uint32 {
	return func(v model.Value) uint32 { return v % uint32(m) }
}

func (m adder) Join(int, int, int) func(left, right uint32) uint32 {
	return func(left, right uint32) uint32 { return (left + right) % uint32(m) }
}

func (m adder) of(state []model.Value) uint32 {
	sum := uint32(0)
	for _, v := range state {
		sum += v
	}
	return sum % uint32(m)
}

// randomSystem returns a system without model errors and its graph; nil if it has a model error.
func randomSystem(t *testing.T, seed uint64) (model.System, *systemtest.Graph) {
	t.Helper()
	sys := systemtest.New(seed, systemtest.RandomShape(rand.New(rand.NewPCG(seed, 3))))
	g, err := systemtest.Explore(sys)
	if err != nil || g.Errors > 0 {
		return nil, nil
	}
	return sys, g
}

// TestClasses: what is seen of the classes is what a look at every state shows.
func TestClasses(t *testing.T) {
	compared := 0
	for seed := range uint64(150) {
		sys, g := randomSystem(t, seed)
		if g == nil {
			continue
		}
		compared++
		const m = adder(5)
		r := systemtest.Run(t, sys, explore.Options{Observer: m, Workers: 3})
		want := make([]explore.Observation, m)
		for _, s := range g.States {
			o := &want[m.of(s)]
			sight(sys, &o.All, s, g)
			if next, _ := systemtest.Successors(sys, s); systemtest.Quiescent(sys, next) {
				sight(sys, &o.Quiescent, s, g)
			}
		}
		for class := range want {
			var got explore.Observation
			if class < len(r.Classes) {
				got = r.Classes[class]
			}
			same(t, seed, got.All, want[class].All)
			same(t, seed, got.Quiescent, want[class].Quiescent)
		}
	}
	if compared < 20 {
		t.Errorf("only %d systems have no model error", compared)
	}
}

func sight(sys model.System, s *explore.Sighting, state []model.Value, g *systemtest.Graph) {
	level := g.Level[systemtest.Key(state)]
	if s.Count == 0 || level == s.Level && model.Compare(sys, state, s.State) < 0 {
		s.Level, s.State = level, state
	}
	s.Count++
}

func same(t *testing.T, seed uint64, got, want explore.Sighting) {
	t.Helper()
	if got.Count != want.Count || got.Count > 0 &&
		(got.Level != want.Level || systemtest.Key(got.State) != systemtest.Key(want.State)) {
		t.Fatalf("system %d: %+v, want %+v", seed, got, want)
	}
}

// TestTrap compares with a search backward over all transitions.
func TestTrap(t *testing.T) {
	const m, goal = adder(7), 3
	trapped := 0
	for seed := range uint64(150) {
		sys, g := randomSystem(t, seed)
		if g == nil {
			continue
		}
		space, err := explore.Keep(t.Context(), sys, explore.Options{Observer: m, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		trap, err := space.Trap(t.Context(), m, func(class uint32) bool { return class == goal })
		if err != nil {
			t.Fatal(err)
		}
		want := explore.Sighting{}
		escapes := escaping(sys, g, func(s []model.Value) bool { return m.of(s) == goal })
		for _, s := range g.States {
			if !escapes[systemtest.Key(s)] {
				sight(sys, &want, s, g)
			}
		}
		same(t, seed, explore.Sighting{Count: trap.States, Level: trap.Level, State: trap.State}, want)
		if trap.States > 0 {
			trapped++
			leadsTo(t, sys, space, trap)
		}
		space.Close()
	}
	if trapped == 0 {
		t.Error("no system had a state that misses the goal")
	}
}

// leadsTo checks that there is a run of the right length to the trap.
func leadsTo(t *testing.T, sys model.System, space *explore.Space, trap *explore.Trap) {
	t.Helper()
	moves, err := space.Path(t.Context(), trap.State, trap.Level)
	if err != nil {
		t.Fatal(err)
	}
	if len(moves) != trap.Level+1 || systemtest.Key(moves[trap.Level].State) != systemtest.Key(trap.State) {
		t.Fatalf("a run of %d moves to %v; want %d to %v", len(moves), moves[len(moves)-1].State, trap.Level+1,
			trap.State)
	}
	for i, m := range moves[1:] {
		next, _ := systemtest.Successors(sys, moves[i].State)
		found := false
		for _, n := range next {
			found = found || n.Step == m.Step && systemtest.Key(n.Target) == systemtest.Key(m.State)
		}
		if !found {
			t.Fatalf("there is no step %d", i+1)
		}
	}
}

// escaping returns from which states a goal is reachable, by Key.
func escaping(sys model.System, g *systemtest.Graph, goal func([]model.Value) bool) map[string]bool {
	escapes := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, s := range g.States {
			if escapes[systemtest.Key(s)] {
				continue
			}
			yes := goal(s)
			next, _ := systemtest.Successors(sys, s)
			for _, n := range next {
				yes = yes || escapes[systemtest.Key(n.Target)]
			}
			if yes {
				escapes[systemtest.Key(s)], changed = true, true
			}
		}
	}
	return escapes
}

// TestTrapLimits: without all states, memory or time there is no answer.
func TestTrapLimits(t *testing.T) {
	sys, g := randomSystem(t, firstSound(t))
	never := func(uint32) bool { return false }
	space, err := explore.Keep(t.Context(), sys, explore.Options{Observer: adder(2),
		MaxStates: uint64(len(g.States)) / 2, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	if !space.Result().Complete() {
		if _, err := space.Trap(t.Context(), adder(2), never); !errors.Is(err, explore.ErrIncomplete) {
			t.Errorf("an incomplete search: %v", err)
		}
	}
	full, err := explore.Keep(t.Context(), sys, explore.Options{Observer: adder(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := full.Trap(ctx, adder(2), never); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if trap, err := full.Trap(t.Context(), adder(2), never); err != nil || trap.States != uint64(len(g.States)) ||
		trap.Level != 0 {
		t.Errorf("without a goal: %+v, %v", trap, err)
	}
}

// firstSound returns a seed of a system without model errors and with some states.
func firstSound(t *testing.T) uint64 {
	t.Helper()
	for seed := range uint64(100) {
		if _, g := randomSystem(t, seed); g != nil && len(g.States) > 50 {
			return seed
		}
	}
	t.Fatal("no system without model errors")
	return 0
}

// TestUntil: a search ends after the level with a state of a class, and the run to it is a shortest one.
func TestUntil(t *testing.T) {
	sys, g := randomSystem(t, firstSound(t))
	const m = adder(11)
	for class := range uint32(m) {
		space, err := explore.Keep(t.Context(), sys, explore.Options{
			Observer: m, Workers: 2,
			Until: func(c uint32, _ int, terminal bool) bool { return c == class && !terminal },
		})
		if err != nil {
			t.Fatal(err)
		}
		var want explore.Sighting
		for _, s := range g.States {
			if m.of(s) == class {
				sight(sys, &want, s, g)
			}
		}
		if want.Count > 0 {
			got := space.Result().Classes[class].All
			got.Count, want.Count = 1, 1 // the search may end before it has met all
			same(t, uint64(class), got, want)
			leadsTo(t, sys, space, &explore.Trap{Level: got.Level, State: got.State})
		}
		if stop := space.Result().Stop; (stop == explore.Matched) != (want.Count > 0) {
			t.Errorf("class %d: the search ended with %v", class, stop)
		}
		space.Close()
	}
}

// An ending is a context that ends after a number of calls of its methods.
type ending struct {
	context.Context
	looks atomic.Int64
}

func (e *ending) Err() error {
	if e.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestTrapInterrupted: whenever the context ends, that is what is reported.
func TestTrapInterrupted(t *testing.T) {
	ended := 0
	for seed := range uint64(40) {
		sys, g := randomSystem(t, seed)
		if g == nil {
			continue
		}
		const m = adder(3)
		space, err := explore.Keep(t.Context(), sys, explore.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for looks := int64(0); ; looks++ {
			ctx := &ending{Context: t.Context()}
			ctx.looks.Store(looks)
			_, err := space.Trap(ctx, m, func(class uint32) bool { return class == 1 })
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			ended++
		}
		space.Close()
	}
	if ended < 100 {
		t.Errorf("only %d interruptions", ended)
	}
}

// TestTrapFailures: where the disk of a search that has spilled fails, that is the answer.
func TestTrapFailures(t *testing.T) {
	sys, g := randomSystem(t, firstSound(t))
	broken := errors.New("broken")
	for _, test := range []struct {
		doing string
		after int64 // so many that succeed
	}{{"write", 0}, {"write", 2}, {"read", 0}, {"read", 6}} {
		opt := explore.Options{Observer: adder(2), Workers: 2, SpillDir: t.TempDir()}
		space, err := explore.Keep(t.Context(), sys, explore.Spilling(opt, 1, len(g.States)/8))
		if err != nil {
			t.Fatal(err)
		}
		var n atomic.Int64
		explore.Interpose(space, func(doing string) error {
			if strings.HasPrefix(doing, test.doing) && n.Add(1) > test.after {
				return broken
			}
			return nil
		})
		if _, err := space.Trap(t.Context(), adder(2), func(uint32) bool { return false }); !errors.Is(err, broken) {
			t.Errorf("%s after %d: %v", test.doing, test.after, err)
		}
		explore.Interpose(space, nil)
		space.Close()
	}
}
