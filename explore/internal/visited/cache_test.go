package visited

import (
	"math/rand/v2"
	"testing"
)

// TestCache puts random state IDs into a cache that is cleared now and then, and compares with a map.
func TestCache(t *testing.T) {
	for _, slots := range []int{1, 2, 100, 5000} {
		c := NewCache(slots)
		r := rand.New(rand.NewPCG(1, uint64(slots)))
		for range 20 {
			want := map[uint64]bool{}
			for added := true; added && int64(len(want)) < c.Room(); {
				id := uint64(r.Uint32N(100))<<32 | uint64(r.Uint32N(1000))
				if added = c.Add([]uint64{id}); added {
					want[id] = true
				}
			}
			if len(want) == 0 {
				t.Errorf("%d slots: nothing was added", slots)
			}
			for left := range uint64(100) {
				for right := range uint64(1000) {
					if id := left<<32 | right; c.Contains(id) != want[id] {
						t.Fatalf("%d slots: %x is in the cache: %v", slots, id, !want[id])
					}
				}
			}
			c.Clear()
		}
		c.Close()
	}
}
