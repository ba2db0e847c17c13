package symbolic_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// A sum is an observer: the class of a state is the sum of weight times value over its slots, modulo 3.
type sum struct{ weights []uint32 }

func (s sum) Leaf(slot int) func(v model.Value) uint32 {
	return func(v model.Value) uint32 { return s.weights[slot] * v % 3 }
}

func (s sum) Join(int, int, int) func(left, right uint32) uint32 {
	return func(left, right uint32) uint32 { return (left + right) % 3 }
}

// of returns the class of a state whose slots are in the order of the weights.
func (s sum) of(state []model.Value, order []int) uint32 {
	n := uint32(0)
	for i, slot := range order {
		n += s.weights[i] * state[slot] % 3
	}
	return n % 3
}

// TestSpace compares the sets that an observer distinguishes, the states that can reach them, and runs to them, with an
// obvious search and with package explore.
func TestSpace(t *testing.T) {
	runs, reaching := 0, 0
	for seed := range systems() {
		r := rand.New(rand.NewPCG(seed, 3))
		shape := systemtest.RandomShape(r)
		sys := systemtest.New(seed, shape)
		s, err := symbolic.Explore(context.Background(), sys, symbolic.Options{Order: r.Perm(shape.Slots),
			Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		k := &spaceTest{T: t, seed: seed, sys: sys, space: s}
		for range shape.Slots {
			k.observer.weights = append(k.observer.weights, r.Uint32N(3))
		}
		k.run()
		s.Close()
		runs, reaching = runs+k.runs, reaching+k.reaching
		if t.Failed() {
			return
		}
	}
	if runs < int(systems())/6 || reaching < int(systems())/10 {
		t.Errorf("%d runs of some length; %d sets that some states reach and some do not", runs, reaching)
	}
}

// A spaceTest compares one space with the graph of the system.
type spaceTest struct {
	*testing.T
	seed     uint64
	sys      *systemtest.System
	space    *symbolic.Space
	observer sum

	runs, reaching int
}

func (k *spaceTest) run() {
	graph, err := systemtest.Explore(k.sys)
	if err != nil {
		k.Fatal(err)
	}
	ctx, order := context.Background(), k.space.Result().Order
	goal := func(state []model.Value) bool { return k.observer.of(state, order) == 1 }
	set, err := k.space.Where(ctx, k.space.Reachable(), k.observer, func(class uint32) bool { return class == 1 })
	if err != nil {
		k.Fatal(err)
	}
	want := 0
	for _, state := range graph.States {
		if goal(state) {
			want++
		}
	}
	k.same("states of the class", set, want)
	k.compareReaching(graph, goal, set)
	k.comparePath(goal, set)
}

// same compares the number of states in a set with what it should be.
func (k *spaceTest) same(what string, set symbolic.Set, want int) {
	n, err := k.space.Count(context.Background(), set)
	if err != nil {
		k.Fatal(err)
	}
	if !n.IsInt64() || n.Int64() != int64(want) {
		k.Errorf("system %d: %s: %v, want %d", k.seed, what, n, want)
	}
}

func (k *spaceTest) compareReaching(graph *systemtest.Graph, goal func([]model.Value) bool, set symbolic.Set) {
	reaches := make(map[string]bool)
	for more := true; more; {
		more = false
		for _, state := range slices.Backward(graph.States) {
			if reaches[systemtest.Key(state)] {
				continue
			}
			yes := goal(state)
			for _, m := range systemtest.Moves(k.T, k.sys, state) {
				yes = yes || reaches[systemtest.Key(m.State)]
			}
			if yes {
				reaches[systemtest.Key(state)], more = true, true
			}
		}
	}
	got, err := k.space.Reaching(context.Background(), set)
	if err != nil {
		k.Fatal(err)
	}
	k.same("states that reach it", got, len(reaches))
	without, err := k.space.Difference(context.Background(), k.space.Reachable(), got)
	if err != nil {
		k.Fatal(err)
	}
	k.same("states that do not", without, len(graph.States)-len(reaches))
	if len(reaches) > 0 && len(reaches) < len(graph.States) {
		k.reaching++
	}
}

func (k *spaceTest) comparePath(goal func([]model.Value) bool, set symbolic.Set) {
	got, err := k.space.Path(context.Background(), set)
	want, wantErr := explore.Path(context.Background(), k.sys, explore.Options{Workers: 1},
		func(_ int, state []model.Value) bool { return goal(state) })
	if !errors.Is(err, wantErr) {
		k.Fatalf("system %d: error %v, want %v", k.seed, err, wantErr)
	}
	if !slices.EqualFunc(got, want, func(a, b model.Move) bool {
		return a.Step == b.Step &&
			slices.Equal(a.State, b.State)
	}) {
		k.Errorf("system %d: run %v, want %v", k.seed, got, want)
	}
	if len(want) > 1 {
		k.runs++
	}
}
