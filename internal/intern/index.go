package intern

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// An index is the hash table of a compact Numbering. It holds numbers of four bytes each and calls pair to compare a
// candidate with the pair looked for, so a lookup takes two memory reads instead of one. It grows by a quarter, shard
// by shard, so that at most one small shard exists twice at a time.
type index struct {
	pair   func(number uint32) uint64
	shards [indexShards]indexShard
}

type indexShard struct {
	table atomic.Pointer[indexTable]
	used  int
}

const (
	indexShardBits = 8
	indexShards    = 1 << indexShardBits
)

// An indexTable is a hash table with linear probing. A slot holds a number plus one, and above it as many bits of the
// hash of its pair as fit; an empty slot is 0. Slots are filled but never emptied, as in numbers.
type indexTable struct {
	numberBits uint
	slots      []atomic.Uint32
}

// indexHash is a bijection from pairs to numbers that look random (SplitMix64).
func indexHash(pair uint64) uint64 {
	pair = (pair ^ pair>>30) * 0xbf58476d1ce4e5b9
	pair = (pair ^ pair>>27) * 0x94d049bb133111eb
	return pair ^ pair>>31
}

// shard returns the shard of a hash, which its top bits select. The next 32 bits give the home slot, and the lowest
// bits are stored in the slot.
func (x *index) shard(hash uint64) *indexShard { return &x.shards[hash>>(64-indexShardBits)] }

func (t *indexTable) homeSlot(hash uint64) int {
	return int(hash << indexShardBits >> 32 * uint64(len(t.slots)) >> 32)
}

// slot returns the content of the slot for a number and the hash of its pair.
func (t *indexTable) slot(hash uint64, number uint32) uint32 {
	return uint32(hash)<<(t.numberBits&63) | number + 1
}

// candidate returns the first number from slot i on whose pair may have the given hash, and its slot. It is not ok if
// an empty slot comes first.
func (t *indexTable) candidate(hash uint64, i int) (number uint32, at int, ok bool) {
	want, mask := uint32(hash)<<(t.numberBits&63), uint32(1)<<(t.numberBits&63)-1
	for {
		v := t.slots[i].Load()
		if v == 0 {
			return 0, i, false
		}
		if (v^want)&^mask == 0 {
			return v&mask - 1, i, true
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
}

// find returns the number of a pair.
func (x *index) find(pair, hash uint64) (uint32, bool) {
	t := x.shard(hash).table.Load()
	for i := t.homeSlot(hash); ; {
		number, at, ok := t.candidate(hash, i)
		if !ok || x.pair(number) == pair {
			return number, ok
		}
		if i = at + 1; i == len(t.slots) {
			i = 0
		}
	}
}

// touch reads the home slot of a hash, and touchPair the pair of the first candidate there, to bring them into the
// cache.
func (x *index) touch(hash uint64) uint64 {
	t := x.shard(hash).table.Load()
	return uint64(t.slots[t.homeSlot(hash)].Load())
}

func (x *index) touchPair(hash uint64) uint64 {
	t := x.shard(hash).table.Load()
	if number, _, ok := t.candidate(hash, t.homeSlot(hash)); ok {
		return x.pair(number)
	}
	return 0
}

// fullIndex is the maximum load of a shard in percent, and leastIndex its initial number of slots.
const (
	fullIndex  = 80
	leastIndex = 16
)

// put stores a number. The caller holds the mutex of the Numbering.
func (x *index) put(hash uint64, number uint32) {
	s := x.shard(hash)
	t := s.table.Load()
	slots := len(t.slots)
	if (s.used+1)*100 > slots*fullIndex {
		slots += slots / 4
	}
	if slots > len(t.slots) || bits.Len32(number+1) > int(t.numberBits) {
		t = x.copyEntries(t, newIndexTable(slots, number))
		s.table.Store(t)
	}
	s.used++
	t.put(hash, number)
}

func (t *indexTable) put(hash uint64, number uint32) {
	i := t.homeSlot(hash)
	for t.slots[i].Load() != 0 {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	t.slots[i].Store(t.slot(hash, number))
}

// copyEntries adds the entries of t to another table and returns that.
func (x *index) copyEntries(t, to *indexTable) *indexTable {
	for i := range t.slots {
		if v := t.slots[i].Load(); v != 0 {
			number := v&(1<<(t.numberBits&63)-1) - 1
			to.put(indexHash(x.pair(number)), number)
		}
	}
	return to
}

// newIndexTable returns a table whose slots have bits for numbers up to about twice the given one.
func newIndexTable(slots int, number uint32) *indexTable {
	return &indexTable{uint(min(32, bits.Len32(number)+1)), largepage.Make[atomic.Uint32](slots)}
}

func (x *index) bytes() int64 {
	b := int64(unsafe.Sizeof(*x))
	for i := range x.shards {
		b += 4 * int64(len(x.shards[i].table.Load().slots))
	}
	return b
}

// newIndex returns an index of the numbers below n.
func newIndex(n uint32, pair func(number uint32) uint64) *index {
	x := &index{pair: pair}
	var sizes [indexShards]int
	for i := range n {
		sizes[indexHash(pair(i))>>(64-indexShardBits)]++
	}
	for i, size := range sizes {
		x.shards[i].table.Store(newIndexTable(max(leastIndex, size*100/fullIndex*17/16), n))
	}
	for i := range n {
		x.put(indexHash(pair(i)), i)
	}
	return x
}
