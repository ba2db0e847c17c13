package explore_test

import (
	"fmt"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// bySlots is a search that keeps states as text, and gives them to an Expander level by level.
type bySlots struct {
	*explore.ExpanderWorker
	state []model.Value
	seen  map[string]bool
}

// halves numbers a state that another Expander can have met.
func (b *bySlots) halves(state []model.Value) explore.Halves {
	return uint64(b.Left(state))<<32 | uint64(b.Right(state))
}

func (b *bySlots) key(h explore.Halves) string {
	b.SetLeft(uint32(h>>32), b.state)
	b.SetRight(uint32(h), b.state)
	return fmt.Sprint(b.state)
}

// level expands states, and returns the new ones of the next level with what is asleep there.
func (b *bySlots) level(states []explore.Halves, asleep []uint64, c *counts) (
	next []explore.Halves, sets []uint64, err error,
) {
	var x explore.Expansion
	err = b.Expand(states, asleep, &x)
	for i, n := range x.Counts {
		c.transitions += uint64(n)
		switch {
		case n == 0:
			c.terminal++
		case x.Quiescent(i):
			c.environmentOnly++
		}
	}
	place := make(map[string]int)
	for i, to := range x.To {
		k := b.key(to)
		at, ok := place[k]
		switch {
		case ok:
			sets[at] |= x.Asleep[i]
		case !b.seen[k]:
			b.seen[k], place[k] = true, len(next)
			next, sets = append(next, to), append(sets, x.Asleep[i])
		}
	}
	return next, sets, err
}

// TestExpander: a search of states that are kept elsewhere finds what Run does.
func TestExpander(t *testing.T) {
	for seed := range seeds(200) {
		sys, name := independent(seed)
		want := systemtest.Run(t, sys, explore.Options{Workers: 1})
		if want.Stop != explore.Exhausted {
			continue
		}
		e, err := explore.NewExpander(sys)
		if err != nil {
			t.Fatal(err)
		}
		b := &bySlots{e.Worker(), make([]model.Value, len(sys.Slots())), make(map[string]bool)}
		var states []explore.Halves
		if err := sys.Initial(func(s []model.Value) bool {
			h := b.halves(s)
			if k := b.key(h); !b.seen[k] {
				b.seen[k] = true
				states = append(states, h)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		var got counts
		var levels []uint64
		asleep := make([]uint64, len(states))
		for len(states) > 0 {
			levels = append(levels, uint64(len(states)))
			if states, asleep, err = b.level(states, asleep, &got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		got.states, got.levels = uint64(len(b.seen)), fmt.Sprint(levels)
		if got != countsOf(want) || e.Split() < 1 || e.Bytes() <= 0 {
			t.Errorf("%s: %v, want %v", name, got, countsOf(want))
		}
	}
}
