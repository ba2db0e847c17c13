package visited

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// goroutines is how many use a set at once in tests.
const goroutines = 8

// TestConcurrentPut: goroutines put the same state IDs in different orders, pausing for Grow as the workers of a
// search do. Each state ID is reported as added exactly once.
func TestConcurrentPut(t *testing.T) {
	universe := make([]uint64, 60_000)
	for i := range universe {
		universe[i] = uint64(i%251)<<32 | uint64(i/251)
		if i%7 == 0 {
			universe[i] |= 1 << 18 // for which the set must be widened
		}
	}
	s := New()
	defer s.Close()
	var world sync.RWMutex // is held for writing to grow
	added := make([][]uint64, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			in := s.Inserter()
			random := rand.New(rand.NewPCG(1, uint64(g)))
			order := random.Perm(len(universe))
			for len(order) > 0 {
				n := min(len(order), 1+random.IntN(2000))
				var rest []uint64
				for _, i := range order[:n] {
					rest = append(rest, universe[i])
				}
				order = order[n:]
				for {
					world.RLock()
					added[g], rest = in.Put(rest, added[g])
					grow := s.ShouldGrow()
					world.RUnlock()
					if grow {
						world.Lock()
						s.Grow(2)
						world.Unlock()
					}
					if len(rest) == 0 {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	by := map[uint64]int{}
	for g := range added {
		for _, id := range added[g] {
			if other, twice := by[id]; twice {
				t.Errorf("%#x was added by goroutines %d and %d", id, other, g)
			}
			by[id] = g
		}
	}
	if len(by) != len(universe) || s.Len() != uint64(len(universe)) {
		t.Errorf("%d state IDs were added and the set has %d, want %d", len(by), s.Len(), len(universe))
	}
	for _, id := range universe {
		if !s.Contains(id) {
			t.Fatalf("%#x is not there", id)
		}
	}
}

// TestContention: goroutines put state IDs that all want the same slot at the same moment.
func TestContention(t *testing.T) {
	for round := range uint64(200) {
		s := New()
		ids := rivals(30, round)
		start := make(chan struct{})
		var total atomic.Int64
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				in := s.Inserter()
				mine := make([]uint64, len(ids))
				for i, j := range rand.New(rand.NewPCG(round, uint64(g/2))).Perm(len(ids)) {
					mine[i] = ids[j]
				}
				<-start
				fresh, rest := in.Put(mine, nil)
				total.Add(int64(len(fresh) + 1000*len(rest)))
			})
		}
		close(start)
		wg.Wait()
		if total.Load() != int64(len(ids)) || s.Len() != uint64(len(ids)) {
			t.Fatalf("%d of %d state IDs were added, Len = %d", total.Load(), len(ids), s.Len())
		}
		s.Close()
	}
}

// rivals returns n state IDs that a new set looks for from the same slot on.
func rivals(n int, seed uint64) []uint64 {
	g := newGeometry(firstBits, firstBits)
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = g.id(g.hashAt(int(seed%shards), int(seed)%g.lines, uint32(i*lineSlots)+uint32(seed%lineSlots)))
	}
	return ids
}
