package visited

import (
	"math/bits"

	"ringcheck/internal/largepage"
)

// A Cache is a set of state IDs that has a size, and can be emptied: an open-addressing table of whole state IDs, 8 bytes a slot. What
// a Set saves by quotienting it can only save if it is large. Contains may be called by many goroutines at once.
type Cache struct {
	slots []uint64 // of complements: an empty slot is 0, and no state ID is 2^64-1
	unmap func()
}

// cacheLoad is how full a Cache gets; maxProbes bounds the search for a slot, which is hardly ever reached below it.
const (
	cacheLoad = 0.7
	maxProbes = 1 << 9
)

// NewCache returns an empty cache of the given number of slots, at least one.
func NewCache(slots int) *Cache {
	c := &Cache{}
	c.slots, c.unmap = largepage.Map[uint64](slots)
	return c
}

// Close gives the memory back. The cache is not used afterwards.
func (c *Cache) Close() { c.unmap() }

// Clear empties the cache.
func (c *Cache) Clear() { clear(c.slots) }

// Room returns how many state IDs the cache is meant for.
func (c *Cache) Room() int64 { return max(1, int64(cacheLoad*float64(len(c.slots)))) }

// find returns where a state ID is, or else the empty slot for it. There may be neither.
func (c *Cache) find(id uint64) (slot *uint64, found bool) {
	x := id ^ id>>32
	x *= multiply1
	x ^= x >> 29
	at, _ := bits.Mul64(x*multiply2, uint64(len(c.slots))) // the hash in proportion to the number of slots
	for range min(maxProbes, len(c.slots)) {
		switch p := &c.slots[at]; *p {
		case ^id:
			return p, true
		case 0:
			return p, false
		}
		if at++; at == uint64(len(c.slots)) {
			at = 0
		}
	}
	return nil, false
}

// Contains reports whether id is in the cache.
func (c *Cache) Contains(id uint64) bool {
	_, found := c.find(id)
	return found
}

// Add puts state IDs into the cache and reports whether there was room for all of them.
func (c *Cache) Add(ids []uint64) bool {
	for _, id := range ids {
		slot, found := c.find(id)
		switch {
		case found:
		case slot == nil:
			return false
		default:
			*slot = ^id
		}
	}
	return true
}
