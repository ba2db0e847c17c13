package product_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sort"
	"testing"

	"ringcheck/explore"
	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// A limited system has limited FreeBytes.
type limited struct {
	System
	room uint64
}

func (l limited) FreeBytes() uint64 { return l.room }

// room returns the minimum room to decide whether there is a lasso, or to find one.
func room(t *testing.T, s Search, lasso bool) int {
	t.Helper()
	sys := s.System
	return sort.Search(1<<20, func(room int) bool {
		s.System = limited{sys, uint64(room)}
		_, err := s.Exists(t.Context())
		if lasso && err == nil {
			_, err = s.Find(t.Context())
		}
		if err != nil && !errors.Is(err, explore.ErrMemory) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// TestRoomForLasso: while the list of nodes that a stem passes by is copied to a larger one, both are held.
func TestRoomForLasso(t *testing.T) {
	const many = 1 << 14
	s := &system{initial: []uint32{0}, letters: []uint64{0}, next: [][]edge{nil}}
	for i := range uint32(many) {
		s.next[0] = append(s.next[0], edge{ends: true, to: i + 1})
		s.letters, s.next = append(s.letters, 0), append(s.next, []edge{{ends: true, to: many + 1}})
	}
	s.letters, s.next = append(s.letters, 3), append(s.next, []edge{{ends: true, to: many + 1}})
	search := Search{System: s.graph(), Letters: s.letters, Events: eventsOf, Chances: true}
	search.Automaton = ltl.Translate(ltl.Eventually(ltl.Always(ltl.Atom(0)))).LimitDeterministic()
	left, found := room(t, search, false), room(t, search, true)
	const once = 4 * many
	if seen := many * len(search.Automaton.Edges) / 8; found-left < seen+3*once/2 {
		t.Errorf("a lasso takes %d bytes more than what is left: %d for nodes seen, and less than 1.5 times %d",
			found-left, seen, once)
	}
}

// A countdown is a context that ends after a number of calls of its methods.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupted: a search that ends early finds nothing, and does not say that there is nothing.
func TestInterrupted(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	early := 0
	for range 150 {
		actions := randomActions(r)
		s := layered(r, 1+r.IntN(20), len(actions))
		f := randomFormula(r, 1+r.IntN(3))
		chances, surely := r.IntN(2) == 0, r.IntN(2) == 0
		a := ltl.Translate(f)
		switch {
		case chances && surely:
			a, actions = a.Suitable(), nil
		case chances:
			a = a.LimitDeterministic()
		}
		if a == nil || len(a.Edges) > 12 {
			continue
		}
		search := &Search{System: s.graph(), Letters: s.letters, Events: eventsOf, Automaton: a, Actions: actions,
			Chances: chances, Surely: chances && surely}
		want, err := search.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for left := 0; ; left++ {
			got, err := search.Find(&countdown{t.Context(), left})
			if err == nil {
				if (got == nil) != (want == nil) {
					t.Fatalf("%v in %+v: %v after %d questions, want %v", f, s, got, left, want)
				}
				break
			}
			early++
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
	}
	if early < 500 {
		t.Errorf("%d searches have ended early", early)
	}
}
