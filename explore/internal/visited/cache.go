package visited

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/internal/largepage"
)

// A Cache is a set of state IDs that has a size, and can be emptied: for a search whose visited states are on disk. It is an
// open-addressing table of whole state IDs, 8 bytes a slot: what a Set saves by quotienting it can only save if it is
// large. Its methods may be called by many goroutines at once, but for Clear and Close.
type Cache struct {
	slots []uint64 // of complements: an empty slot is 0, and no state ID is 2^64-1
	unmap func()
	used  atomic.Int64
	room  int64       // how many state IDs it is meant for
	full  atomic.Bool // an insertion found no slot
}

// cacheLoad is how full a Cache gets; maxProbes bounds the search for a slot, which is hardly ever reached below it.
const (
	cacheLoad = 0.7
	maxProbes = 1 << 9
)

// NewCache returns an empty cache of the given number of slots, at least one.
func NewCache(slots int) *Cache {
	c := &Cache{room: max(1, int64(cacheLoad*float64(slots)))}
	c.slots, c.unmap = largepage.Map[uint64](slots)
	return c
}

// Close gives the memory back. The cache is not used afterwards.
func (c *Cache) Close() { c.unmap() }

// Clear empties the cache.
func (c *Cache) Clear() {
	clear(c.slots)
	c.used.Store(0)
	c.full.Store(false)
}

// Bytes returns the memory of the slots.
func (c *Cache) Bytes() int64 { return 8 * int64(len(c.slots)) }

// Room returns how many state IDs the cache is meant for.
func (c *Cache) Room() int64 { return c.room }

// Crowded reports whether the cache ought to be cleared.
func (c *Cache) Crowded() bool { return c.used.Load() >= c.room || c.full.Load() }

// home is where the search for a state ID begins: its hash in proportion to the number of slots.
func (c *Cache) home(id uint64) int {
	x := id ^ id>>32
	x *= multiply1
	x ^= x >> 29
	hi, _ := bits.Mul64(x*multiply2, uint64(len(c.slots)))
	return int(hi)
}

// findOrPut looks for a state ID from its home on.
func (c *Cache) findOrPut(home int, id uint64) outcome {
	want := ^id
	for range min(maxProbes, len(c.slots)) {
		p := &c.slots[home]
		v := atomic.LoadUint64(p)
		if v == want {
			return seen
		}
		if v == 0 {
			if atomic.CompareAndSwapUint64(p, 0, want) {
				return added
			}
			if atomic.LoadUint64(p) == want {
				return seen
			}
		}
		if home++; home == len(c.slots) {
			home = 0
		}
	}
	return full
}

// Contains reports whether id is in the cache.
func (c *Cache) Contains(id uint64) bool {
	want, at := ^id, c.home(id)
	for range min(maxProbes, len(c.slots)) {
		switch atomic.LoadUint64(&c.slots[at]) {
		case want:
			return true
		case 0:
			return false
		}
		if at++; at == len(c.slots) {
			at = 0
		}
	}
	return false
}

// Add puts state IDs into the cache and reports whether there was room for all of them. It is for state IDs that are known to be
// visited: unlike Put, it relies on nothing that was put before.
func (c *Cache) Add(ids []uint64) bool {
	n := int64(0)
	for _, id := range ids {
		switch c.findOrPut(c.home(id), id) {
		case full:
			c.used.Add(n)
			return false
		case added:
			n++
		}
	}
	c.used.Add(n)
	return true
}

// A CacheInserter puts state IDs into a Cache for one goroutine, as an Inserter does into a Set.
type CacheInserter struct {
	cache  *Cache
	probes []cacheProbe
	touch  uint64
}

// A cacheProbe is a state ID on its way into the cache.
type cacheProbe struct {
	home int
	key  int // its index in the batch
}

// Inserter returns an inserter for one more goroutine.
func (c *Cache) Inserter() *CacheInserter { return &CacheInserter{cache: c} }

// Put puts state IDs into the cache, in order, and appends those that were added to fresh. If there is no room for one, it
// stops short of it: rest is what remains to be put after Clear, else it is empty.
func (in *CacheInserter) Put(ids, fresh []uint64) (more, rest []uint64) {
	in.prepare(ids)
	c, n := in.cache, int64(0)
	for i := range in.probes {
		p := &in.probes[i]
		switch c.findOrPut(p.home, ids[p.key]) {
		case full:
			c.full.Store(true)
			c.used.Add(n)
			return fresh, ids[p.key:]
		case added:
			fresh = append(fresh, ids[p.key])
			n++
		}
	}
	c.used.Add(n)
	return fresh, nil
}

// prepare finds out where to look for state IDs and reads each place once: see Inserter.prepare.
func (in *CacheInserter) prepare(ids []uint64) {
	in.probes = in.probes[:0]
	for i, id := range ids {
		in.probes = append(in.probes, cacheProbe{in.cache.home(id), i})
	}
	touch := uint64(0)
	for i := range in.probes {
		touch ^= atomic.LoadUint64(&in.cache.slots[in.probes[i].home])
	}
	in.touch = touch
}
