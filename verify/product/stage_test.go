package product

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/graph"
)

// TestStages: adding bits leads from waiting to visited and from there to dead, and the sets of stages agree.
func TestStages(t *testing.T) {
	for level := range 8 {
		now := visitedOn(level)
		for other := range 8 {
			if same := visitedOn(other) == now; same != (level%4 == other%4) {
				t.Errorf("levels %d and %d have the same stage: %v", level, other, same)
			}
		}
		for _, s := range []stage{now, now | leadsBack} {
			if s == waiting || deadStages.has(s) || backStages.has(s) != (s&leadsBack != 0) || !now.notBefore().has(s) {
				t.Errorf("level %d: stage %04b is in a wrong set", level, s)
			}
			if waiting|s != s || !deadStages.has(s|dead) || backStages.has(s|dead) {
				t.Errorf("level %d: stage %04b with dead is %04b", level, s, s|dead)
			}
			if next := visitedOn(level + 1); next.notBefore().has(s) {
				t.Errorf("stage %04b of level %d may be on level %d", s, level, level+1)
			}
		}
	}
	if !deadStages.has(dead) || deadStages.has(waiting) || backStages.has(waiting) {
		t.Error("a waiting place is dead or leads back, or a dead one is alive")
	}
}

// TestStageTable compares operations on words with operations on places.
func TestStageTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		places := 1 + r.Uint64N(300)
		var alive, want []graph.Set[uint64]
		for range 1 + r.IntN(3) {
			s := graph.NewSet(places)
			for p := range places {
				if r.IntN(3) == 0 {
					s.Add(p)
				}
			}
			alive = append(alive, s)
		}
		alive = append(alive, nil) // not an accepting state
		table := newStageTable(places)
		for p := range places {
			table.add(p, dead)
		}
		table.reset(alive)
		for p := range places {
			s := dead
			if slices.ContainsFunc(alive, func(s graph.Set[uint64]) bool { return s != nil && s.Has(p) }) {
				s = waiting
			}
			if got := table.at(p); got != s {
				t.Fatalf("stage %04b after a reset, want %04b", got, s)
			}
			if r.IntN(2) == 0 {
				table.add(p, visitedOn(r.IntN(8))|leadsBack*stage(r.IntN(2)))
			}
		}
		for _, s := range alive {
			s = slices.Clone(s)
			for p := range places {
				if s != nil && table.at(p) == waiting {
					s.Remove(p)
				}
			}
			want = append(want, s)
		}
		if table.removeWaiting(alive); !slices.EqualFunc(alive, want, slices.Equal[graph.Set[uint64]]) {
			t.Fatalf("%d places: nodes %v are left, want %v", places, alive, want)
		}
	}
}
