package explore

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/largepage"
)

// A collection has the state IDs that all workers have found, until a detection decides which are new. Each is a key,
// with the number of its sleep set, in one of several ascending ranges, so that each range can be processed separately.
type collection struct {
	packing
	capacity int64 // keys
	sample   []tree.StateID
	rangeOf  []uint16
	shift    uint // from the key of a state to its cell
	ranges   []keyRange
	used     atomic.Int64  // keys
	beyond   atomic.Uint64 // a state ID that does not fit the packing, plus one
	chunks   chunks
}

// A keyRange is the keys in a range, in no order.
type keyRange struct {
	mu     sync.Mutex
	chunks [][]uint64
}

const (
	// manyRanges is the number of ranges into which keys are divided: of ten million keys, a range should fit in a
	// second-level cache.
	manyRanges = 256
	// cellBits is the logarithm of the number of cells, of equal width. A range consists of cells.
	cellBits = 14
)

// newCollection makes room for the given number of keys, with ranges that divide a sample evenly.
func newCollection(capacity int64, as []tree.StateID) *collection {
	p := newPacking(1, 1)
	for _, id := range as {
		if !p.holds(id) {
			p = p.holding(id)
		}
	}
	u := &collection{
		packing:  p,
		capacity: capacity,
		rangeOf:  make([]uint16, 1<<cellBits),
		ranges:   make([]keyRange, max(1, min(manyRanges, capacity/16))),
	}
	u.chunks.slab = max(chunkKeys, int(min(capacity/8, largepage.Size/8)))
	u.divide(as)
	return u
}

// divide chooses ranges that have about equal shares of a sample of state IDs.
func (u *collection) divide(some []tree.StateID) {
	u.sample = some
	most := uint64(0)
	for _, id := range some {
		most = max(most, u.pack(id, 0)>>u.tag)
	}
	u.shift = uint(max(0, bits.Len64(most)-cellBits))
	counts := make([]int, len(u.rangeOf))
	for _, id := range some {
		counts[u.cell(u.pack(id, 0))]++
	}
	before := 0
	for cell, n := range counts {
		u.rangeOf[cell] = uint16(before * len(u.ranges) / (len(some) + 1))
		before += n
	}
}

// cell returns the cell of a key: the last one for keys above the sample.
func (u *collection) cell(key uint64) int { return int(min(key>>u.tag>>u.shift, 1<<cellBits-1)) }

// full reports whether it is time for a detection.
func (u *collection) full() bool { return u.used.Load() >= u.capacity || u.beyond.Load() != 0 }

// free discards the keys of a range.
func (u *collection) free(i int) {
	r := &u.ranges[i]
	u.chunks.put(r.chunks)
	clear(r.chunks) // so that the chunks can be collected early
	r.chunks = r.chunks[:0]
}

// count returns the number of keys of a range.
func (u *collection) count(i int) int {
	n := 0
	for _, c := range u.ranges[i].chunks {
		n += len(c)
	}
	return n
}

// add adds keys to a range.
func (r *keyRange) add(keys []uint64, from *chunks) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(keys) > 0 {
		n := len(r.chunks)
		if n == 0 || len(r.chunks[n-1]) == chunkKeys {
			r.chunks = append(r.chunks, from.get())
			continue
		}
		last := &r.chunks[n-1]
		k := min(len(keys), chunkKeys-len(*last))
		*last = append(*last, keys[:k]...)
		keys = keys[k:]
	}
}

// chunkKeys is the capacity of a chunk.
const chunkKeys = 1 << 9

// chunks allocates memory for keys, which is returned to the operating system as a whole.
type chunks struct {
	slab  int // the number of keys that are allocated at a time
	mu    sync.Mutex
	free  [][]uint64
	unmap []func()
	size  atomic.Int64 // keys
}

func (c *chunks) get() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.free) == 0 {
		slab, unmap := largepage.Map[uint64](c.slab)
		c.unmap = append(c.unmap, unmap)
		c.size.Add(int64(c.slab))
		for ; len(slab) >= chunkKeys; slab = slab[chunkKeys:] {
			c.free = append(c.free, slab[:0:chunkKeys])
		}
	}
	last := len(c.free) - 1
	chunk := c.free[last]
	c.free = c.free[:last]
	return chunk
}

func (c *chunks) put(some [][]uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, chunk := range some {
		c.free = append(c.free, chunk[:0])
	}
}

// release frees the memory, none of which may be in use.
func (c *chunks) release() {
	for _, unmap := range c.unmap {
		unmap()
	}
	c.free, c.unmap = nil, nil
	c.size.Store(0)
}

// A packing turns a state ID and the number of its sleep set into a key. Keys are in the order of the state IDs.
type packing struct {
	left, right, tag uint // the numbers of bits of the halves and of the number, at most 64 in total
}

// newPacking returns a packing for halves of the given numbers of bits. The rest of the key, up to two bytes, is for
// the number.
func newPacking(left, right uint) packing {
	left, right = min(32, left), min(32, right)
	return packing{left, right, min(16, 64-left-right)}
}

// holding returns a packing that also holds a state ID, and larger ones.
func (p packing) holding(id tree.StateID) packing {
	left, right := uint(bits.Len64(id>>32)), uint(bits.Len64(id&(1<<32-1)))
	return newPacking(max(p.left, left+1), max(p.right, right+1))
}

// holds reports whether a state ID fits.
func (p packing) holds(id tree.StateID) bool {
	return id>>32>>p.left == 0 && id&(1<<32-1)>>p.right == 0
}

// pack returns the key of a state ID. A number that does not fit becomes 0, the empty set.
func (p packing) pack(id tree.StateID, number uint16) uint64 {
	tag := uint64(number)
	if tag>>p.tag != 0 {
		tag = 0
	}
	return (id>>32<<p.right|id&(1<<32-1))<<p.tag | tag
}

func (p packing) unpack(key uint64) (id tree.StateID, number uint16) {
	k := key >> p.tag
	return k>>p.right<<32 | k&(1<<p.right-1), uint16(key & (1<<p.tag - 1))
}

// A collector buffers the state IDs that a worker has found recently, before it adds them to a collection. Their sleep
// sets can still grow here.
type collector struct {
	to      *collection
	sets    *sleepSets // nil if nothing is asleep
	ids     []tree.StateID
	asleep  []tree.Sleep
	keys    []uint64
	ranges  []uint16 // by key: its range
	byRange []uint64 // keys by range
	ends    []int    // the end of each range in byRange
}

// collectorIDs is the capacity of a collector: a few times the capacity of recent.
const collectorIDs = 1 << 15

func newCollector(to *collection, sets *sleepSets, workers int) *collector {
	n := max(1, min(collectorIDs, int(to.capacity)/(4*workers)))
	return &collector{
		to: to, sets: sets,
		ids: make([]tree.StateID, 0, n), asleep: make([]tree.Sleep, 0, n), ends: make([]int, len(to.ranges)),
	}
}

func (s *collector) bytes() int64 {
	return 8*int64(cap(s.ids)+cap(s.asleep)+cap(s.keys)+cap(s.byRange)+cap(s.ends)) + 2*int64(cap(s.ranges))
}

// add adds state IDs with empty sleep sets, and returns these sets.
func (s *collector) add(ids []tree.StateID) []tree.Sleep {
	first := len(s.ids)
	s.ids = append(s.ids, ids...)
	s.asleep = slices.Grow(s.asleep, len(ids))[:len(s.ids)]
	clear(s.asleep[first:])
	return s.asleep[first:]
}

// fits reports whether there is room for n more state IDs.
func (s *collector) fits(n int) bool { return len(s.ids)+n <= cap(s.ids) }

// collect moves everything to the collection, and reports whether that was possible: IDs that do not fit its packing
// stay.
func (s *collector) collect() bool {
	u, n, beyond := s.to, 0, 0
	s.keys, s.ranges = s.keys[:0], s.ranges[:0]
	clear(s.ends)
	for i, id := range s.ids {
		if !u.holds(id) {
			u.beyond.Store(id + 1)
			s.ids[beyond], s.asleep[beyond] = id, s.asleep[i]
			beyond++
			continue
		}
		key := u.pack(id, s.sets.number(s.asleep[i]))
		r := u.rangeOf[u.cell(key)]
		s.keys, s.ranges = append(s.keys, key), append(s.ranges, r)
		s.ends[r]++
	}
	s.ids, s.asleep = s.ids[:beyond], s.asleep[:beyond]
	for i, count := range s.ends {
		s.ends[i] = n
		n += count
	}
	s.byRange = slices.Grow(s.byRange[:0], n)[:n]
	for i, key := range s.keys {
		at := &s.ends[s.ranges[i]]
		s.byRange[*at] = key
		*at++
	}
	begin := 0
	for i, end := range s.ends {
		if begin < end {
			u.ranges[i].add(s.byRange[begin:end], &u.chunks)
		}
		begin = end
	}
	u.used.Add(int64(n))
	return beyond == 0
}

// digitBits is the width of a digit of sortIDs, whose counters fit a first-level cache.
const digitBits = 11

// sortIDs is a radix sort from the lowest digit up. It needs a second slice, and returns the sorted one of the two
// first.
func sortIDs(ids, scratch []uint64) (sorted, other []uint64) {
	if len(ids) < 1<<digitBits {
		slices.Sort(ids)
		return ids, scratch
	}
	differ := uint64(0)
	for _, x := range ids {
		differ |= x ^ ids[0]
	}
	scratch = slices.Grow(scratch[:0], len(ids))[:len(ids)]
	for shift := bits.TrailingZeros64(differ); differ>>shift != 0; shift += digitBits {
		if differ>>shift%(1<<digitBits) == 0 {
			continue
		}
		var next [1 << digitBits]int
		for _, x := range ids {
			next[x>>shift%(1<<digitBits)]++
		}
		at := 0
		for i, n := range next {
			next[i] = at
			at += n
		}
		for _, x := range ids {
			to := &next[x>>shift%(1<<digitBits)]
			scratch[*to] = x
			*to++
		}
		ids, scratch = scratch, ids
	}
	return ids, scratch
}
