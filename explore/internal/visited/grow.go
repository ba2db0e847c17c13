package visited

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"ringcheck/internal/workers"
)

// manyLines is the number of lines, of all shards together, up to which the set doubles for speed. A larger set saves
// memory: it grows by about a quarter, or an eighth towards the end of a search, unless Expect asks for more.
const manyLines = 1 << 18

// ShouldGrow reports whether the set should grow.
func (s *Set) ShouldGrow() bool {
	return s.tooWide.Load() != 0 || s.needsLines()
}

// needsLines reports whether the set needs more lines.
func (s *Set) needsLines() bool {
	return float64(s.used.Load()) > s.capacity(s.load) || s.full.Load()
}

// Expect estimates the final number of state IDs: Grow makes room for that many at once, but at most doubles the lines.
// last says that few more will follow, so that the set may be fuller.
func (s *Set) Expect(ids uint64, last bool) {
	s.expected, s.load = ids, maxLoad
	if last {
		s.load = lastLoad
	}
}

// Reserve makes room in an empty set for a number of state IDs, the largest of which is id. No other method may run at
// the same time.
func (s *Set) Reserve(ids, id uint64) {
	g := s.reservedGeometry(ids, id)
	if g == s.geometry {
		return
	}
	s.Close()
	s.geometry = g
	s.allocate(0, shards)
}

// ReservedBytes returns the memory in bytes of a set for which Reserve has made room.
func (s *Set) ReservedBytes(ids, id uint64) int64 {
	g := s.reservedGeometry(ids, id)
	return int64(g.shardBytes()) * shards
}

// reservedGeometry returns the geometry after Reserve.
func (s *Set) reservedGeometry(ids, id uint64) geometry {
	g := s.geometry
	if !g.contains(id) {
		g = g.wider(id)
	}
	for g.capacity(maxLoad) < float64(ids) {
		g = g.next(false)
	}
	return g
}

// larger returns the geometry after the next Grow.
func (s *Set) larger() geometry {
	g := s.geometry
	if s.needsLines() {
		switch {
		case g.lines*shards < manyLines:
			g = g.next(true)
		case s.load == lastLoad:
			g = g.next(false)
		default:
			g = g.next(false).next(false)
		}
		for g.capacity(min(s.load, goodLoad)) < float64(s.expected) && g.lines < 2*s.geometry.lines {
			g = g.next(false)
		}
	}
	if id := s.tooWide.Load(); id != 0 {
		g = g.wider(id - 1)
		for g.capacity(maxLoad) < 2*float64(s.expected) {
			g = g.next(true)
		}
	}
	return g
}

// capacity returns the number of state IDs in a set whose fill ratio is load.
func (g *geometry) capacity(load float64) float64 {
	return load * lineSlots * shards * float64(g.lines)
}

// wider returns a geometry with bits for id and some to spare, in both halves: widening is expensive, and the two
// halves often grow together.
func (g geometry) wider(id uint64) geometry {
	w := g
	w.leftBits = min(32, max(g.leftBits+1, uint(bits.Len64(id>>32))+1, manyBits))
	w.rightBits = min(32, max(g.rightBits+1, uint(bits.Len64(id&(1<<32-1)))+1, manyBits))
	for !w.fits() {
		w = w.next(true)
	}
	return w
}

// Need returns the peak memory of the next Grow in bytes, including what is held now but not the few blocks that it
// moves at a time.
func (s *Set) Need() int64 {
	g := s.larger()
	n := int64(g.shardBytes()) * shards
	if g.width() != s.geometry.width() {
		n += s.Bytes()
	}
	return n
}

// Grow makes room, using the given number of goroutines. No other method may run at the same time.
func (s *Set) Grow(goroutines int) {
	if !s.ShouldGrow() {
		return
	}
	old, g := s.geometry, s.larger()
	if g.width() != old.width() {
		for !s.widen(g, goroutines) {
			g = g.next(true)
		}
		return
	}
	s.geometry = g
	s.full.Store(false)
	per := old.perBlock()
	left := make([][]uint64, shards)
	workers.Each(goroutines, shards/per, func(_, i int) { s.enlarge(per*i, per*(i+1), old, left) })
	s.readmit(slices.Concat(left...), goroutines)
}

// readmit puts the rare state IDs for which even the enlarged shard had no room.
func (s *Set) readmit(ids []uint64, goroutines int) {
	s.used.Add(-int64(len(ids)))
	for in := s.Inserter(); len(ids) > 0; {
		if _, ids = in.Put(ids, nil); len(ids) > 0 {
			s.Grow(goroutines)
		}
	}
}

// enlarge moves the shards [first, end) of a block to more lines and stores the state IDs without room in left.
func (s *Set) enlarge(first, end int, old geometry, left [][]uint64) {
	var before [shards]shard
	for i := first; i < end; i++ {
		sh := &s.shards[i]
		before[i].lines, before[i].unmap = sh.lines, sh.unmap
		sh.lines, sh.unmap = nil, nil
	}
	s.allocate(first, end)
	for i := first; i < end; i++ {
		left[i] = s.refill(i, before[i].lines, old)
	}
	before[first].unmap()
	s.bytes.Add(-int64((end - first) * old.shardBytes()))
}

// refill moves the old lines of shard i into its new ones, and returns the state IDs for which it finds no room. Home
// lines are monotone in the hash and a shard is nearly sorted by it, so both are walked from front to back.
//
// Filled and free slots are as good as random. They are found by arithmetic, since mispredicted branches would cost
// more than all the rest.
func (s *Set) refill(i int, lines []line, old geometry) (left []uint64) {
	sh, g := &s.shards[i], s.geometry
	shift := (g.bitsInShard() - g.shift) & 63
	taken := make([]uint16, len(sh.lines)) // by line: a bit per slot
	for at := range lines {
		var filled [lineSlots]uint32
		n := 0
		for _, v := range lines[at] {
			filled[n%lineSlots] = v
			n += int((v | -v) >> 31)
		}
		for _, v := range filled[:n] {
			// Like hashAt and locate, without the shard, which stays the same.
			before, remainder := homeLine(len(lines), at, v), v&(1<<remainderBits-1)
			h := old.first(before) + uint64(remainder)
			home := int(h * g.scale >> shift)
			if !sh.fill(taken, home, uint32(h-g.first(home))) {
				left = append(left, s.id(old.hashAt(i, before, remainder)))
			}
		}
	}
	return left
}

// widen moves all state IDs to a geometry with wider halves and reports whether there was room for all; if not, the set
// is unchanged.
func (s *Set) widen(g geometry, goroutines int) bool {
	wide := &Set{geometry: g}
	wide.allocate(0, shards)
	var failed atomic.Bool
	workers.Each(goroutines, shards, func(_, i int) {
		if !s.copyShard(i, wide) {
			failed.Store(true)
		}
	})
	if failed.Load() {
		wide.Close()
		return false
	}
	s.Close()
	s.geometry = g
	s.full.Store(false)
	for i := range s.shards {
		from, to := &wide.shards[i], &s.shards[i]
		to.lines, to.unmap = from.lines, from.unmap
	}
	s.bytes.Store(wide.bytes.Load())
	s.tooWide.Store(0)
	return true
}

// copyBatch is the number of state IDs per Put of copyShard.
const copyBatch = 1 << 10

// copyShard puts the state IDs of shard i into another set and reports whether there was room for all.
func (s *Set) copyShard(i int, to *Set) bool {
	in := to.Inserter()
	var ids, added, rest []uint64
	eachSlot(s.shards[i].lines, func(home int, remainder uint32) {
		if len(rest) > 0 {
			return
		}
		ids = append(ids, s.id(s.hashAt(i, home, remainder)))
		if len(ids) == copyBatch {
			added, rest = in.Put(ids, added[:0])
			ids = ids[:0]
		}
	})
	if len(rest) == 0 {
		_, rest = in.Put(ids, added[:0])
	}
	return len(rest) == 0
}

// eachSlot calls do with the home line and the remainder of every filled slot.
func eachSlot(lines []line, do func(home int, remainder uint32)) {
	for i := range lines {
		for j := range lines[i] {
			if v := lines[i][j]; v != 0 {
				do(homeLine(len(lines), i, v), v&(1<<remainderBits-1))
			}
		}
	}
}
