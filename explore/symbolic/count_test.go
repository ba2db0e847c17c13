package symbolic

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/model"
)

// still is a system of some slots without transitions.
type still int

func (s still) Slots() []model.Slot                            { return make([]model.Slot, s) }
func (still) Groups() []model.Group                            { return nil }
func (still) Initial(func([]model.Value) bool) error           { return nil }
func (still) Next(int, []model.Value, *model.Successors) error { return nil }
func (still) Label(model.Label) model.LabelInfo                { return model.LabelInfo{} }
func (still) FormatSlot(int, model.Value) string               { return "" }

// TestCensus counts random sets of vectors with unlimited time, and with none.
func TestCensus(t *testing.T) {
	const width = 8
	r := rand.New(rand.NewPCG(1, 1))
	s, err := newSearch(still(width), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[[width]model.Value]bool{}
	s.run(t.Context(), func() {
		n := diagram.Empty
		for range 5000 {
			var v [width]model.Value
			for i := range v {
				v[i] = model.Value(r.IntN(6))
			}
			all[v] = true
			s.Release(0)
			s.Hold(n)
			n = s.Union(n, s.Hold(s.Vector(v[:])))
		}
		s.reachable = s.Pin(n)
	})
	never, always := func() bool { return false }, func() bool { return true }
	if c := s.take(s.reachable, never); c.late || c.total.Int64() != int64(len(all)) {
		t.Errorf("%v vectors, want %d", c.total, len(all))
	}
	if c := s.take(s.reachable, always); !c.late || c.total.Sign() <= 0 || c.total.Int64() >= int64(len(all)) {
		t.Errorf("counted %v of %d vectors with no time: want a part of them", c.total, len(all))
	}
	if c := s.take(diagram.Empty, always); c.late || c.total.Sign() != 0 {
		t.Errorf("counted %v vectors in the empty set", c.total)
	}
}

// TestAdvice checks that the symbolic engine is advised for many states that share few nodes, but not if nodes grow as
// fast as states or are nearly as many.
func TestAdvice(t *testing.T) {
	grow := func(states, nodes float64) (sizes []Size) {
		s, n := 100.0, 100.0
		for range 12 {
			sizes = append(sizes, Size{States: big.NewInt(int64(s)), Nodes: int64(n)})
			s, n = s*states, n*nodes
		}
		return sizes
	}
	for _, c := range []struct {
		name   string
		sizes  []Size
		wanted bool
	}{
		{"states twice as fast", grow(2, 1.2), true},
		{"nodes as fast as states", grow(2, 2), false},
		{"nodes nearly as fast", grow(2, 1.8), false},
		{"slow, but nearly as many", grow(1.05, 1.02), false},
	} {
		engine := map[bool]string{true: "symbolic", false: "explicit"}[c.wanted]
		if got, why := Advise(c.sizes); got != c.wanted || !strings.HasPrefix(why, "--engine "+engine) {
			t.Errorf("%s: %v, %s", c.name, got, why)
		}
	}
}
