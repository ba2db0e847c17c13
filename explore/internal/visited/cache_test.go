package visited

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestCache puts random state IDs from several goroutines into a cache that is cleared when it is crowded. Each state ID is added
// at most once between two clearings, and at least once in all.
func TestCache(t *testing.T) {
	for _, slots := range []int{1, 2, 100, 5000} {
		for _, workers := range []int{1, 3} {
			c := NewCache(slots)
			var inserters []*CacheInserter
			for range workers {
				inserters = append(inserters, c.Inserter())
			}
			all := map[uint64]bool{}
			for round := range uint64(20) {
				checkRound(t, c, inserters, round, all)
				c.Clear()
			}
			if want := min(20, int(c.Room())); len(all) < want {
				t.Errorf("%d slots: only %d different state IDs were added", slots, len(all))
			}
			c.Close()
		}
	}
}

// checkRound puts state IDs until the cache is crowded.
func checkRound(t *testing.T, c *Cache, inserters []*CacheInserter, round uint64, all map[uint64]bool) {
	t.Helper()
	added := make([][]uint64, len(inserters))
	var wg sync.WaitGroup
	for i, in := range inserters {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(round, uint64(i)))
			for !c.Crowded() {
				var batch []uint64
				for range 10 {
					batch = append(batch, uint64(r.Uint32N(100))<<32|uint64(r.Uint32N(1000)))
				}
				added[i], _ = in.Put(batch, added[i])
			}
		})
	}
	wg.Wait()
	this := map[uint64]bool{}
	for _, ids := range added {
		for _, id := range ids {
			if this[id] {
				t.Errorf("%x was added twice", id)
			}
			this[id], all[id] = true, true
		}
	}
	if len(this) > len(c.slots) {
		t.Errorf("%d state IDs are in %d slots", len(this), len(c.slots))
	}
}
