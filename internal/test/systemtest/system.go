// Package systemtest makes random transition systems, and explores systems in the simplest way there is: what tests of
// clever code compare with.
package systemtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model"
)

// A Shape says what sort of random system to make.
type Shape struct {
	Slots  int
	Groups int
	Values int // of a slot, from 0 on; at least 1
	// Errors is how many of a thousand combinations of a group's slots make the group report a model error.
	Errors int
	// Rare is how many of a hundred combinations have no transition: the higher, the fewer states are reachable.
	Rare int
	// Environment is how many of ten groups are the environment's.
	Environment int
}

// RandomShape returns the shape of a system whose states can all be visited, a few thousand at most.
func RandomShape(r *rand.Rand) Shape {
	s := Shape{Slots: 1 + r.IntN(8), Values: 2 + r.IntN(2), Rare: 30 + r.IntN(65)}
	if s.Slots == 1 {
		s.Values = 1 + r.IntN(50)
	}
	s.Groups = r.IntN(2*s.Slots + 2)
	s.Environment = max(0, r.IntN(18)-7)
	return s
}

// A System is a random system: what a group does is a function of its number and of what its slots hold.
type System struct {
	seed    uint64
	shape   Shape
	groups  []model.Group
	initial [][]model.Value
}

// New returns a random system, the same one for the same seed and shape.
func New(seed uint64, shape Shape) *System {
	s := &System{seed: seed, shape: shape}
	r := rand.New(rand.NewPCG(seed, 1))
	for g := range shape.Groups {
		s.groups = append(s.groups, model.Group{Name: fmt.Sprint("g", g), Slots: s.randomSlots(r),
			Environment: r.IntN(10) < shape.Environment})
	}
	for range 1 + r.IntN(3) {
		s.initial = append(s.initial, s.RandomState(r))
	}
	return s
}

// randomSlots returns some slots of a group: none, one, a few close together or far apart, or most.
func (s *System) randomSlots(r *rand.Rand) []int {
	n := s.shape.Slots
	width := min(n, r.IntN(4))
	if r.IntN(8) == 0 {
		width = r.IntN(n + 1)
	}
	slots := r.Perm(n)[:width]
	if first := r.IntN(n - width + 1); r.IntN(3) > 0 {
		for i := range slots {
			slots[i] = first + i
		}
	}
	slices.Sort(slots)
	return slots
}

// RandomState returns some state, reachable or not.
func (s *System) RandomState(r *rand.Rand) []model.Value {
	state := make([]model.Value, s.shape.Slots)
	for i := range state {
		state[i] = r.Uint32N(uint32(s.shape.Values))
	}
	return state
}

// Slots implements model.System.
func (s *System) Slots() []model.Slot {
	slots := make([]model.Slot, s.shape.Slots)
	for i := range slots {
		slots[i] = model.Slot{Name: fmt.Sprint("s", i), Process: -1}
	}
	return slots
}

// Groups implements model.System.
func (s *System) Groups() []model.Group { return s.groups }

// Initial implements model.System. The same state may come more than once.
func (s *System) Initial(yield func(state []model.Value) bool) error {
	for _, state := range s.initial {
		if !yield(slices.Clone(state)) {
			break
		}
	}
	return nil
}

// Next implements model.System.
func (s *System) Next(g int, in []model.Value, out *model.Successors) error {
	hash := s.seed ^ uint64(g)*0x9e3779b97f4a7c15
	for _, v := range in {
		hash = (hash ^ uint64(v)) * 0xbf58476d1ce4e5b9
		hash ^= hash >> 29
	}
	var pcg rand.PCG
	pcg.Seed(hash, 2)
	r := rand.New(&pcg)
	if r.IntN(1000) < s.shape.Errors {
		return &model.Error{Process: -1, Message: fmt.Sprintf("group %d of %v", g, in)}
	}
	if r.IntN(100) < s.shape.Rare {
		return nil
	}
	for i := range 1 + r.IntN(3) {
		to := out.Add(model.Step{Label: model.Label(g*100 + i), Choice: uint32(i), Weight: model.Certain})
		copy(to, in)
		for range min(len(to), 1+r.IntN(3)) {
			to[r.IntN(len(to))] = r.Uint32N(uint32(s.shape.Values))
		}
	}
	return nil
}

// Label implements model.System.
func (s *System) Label(l model.Label) model.LabelInfo {
	return model.LabelInfo{Text: fmt.Sprintf("g%d.%d", l/100, l%100), Process: -1, Slot: -1}
}

// FormatSlot implements model.System.
func (s *System) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

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
