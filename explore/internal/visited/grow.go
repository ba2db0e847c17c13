package visited

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"ringcheck/internal/crew"
)

// manyLines is the size in lines, of all shards together, up to which speed counts and the set doubles.
// Beyond, memory counts, and it grows by about a quarter, by an eighth in the end, unless more is expected.
const manyLines = 1 << 18

// Crowded reports whether the set should grow.
func (s *Set) Crowded() bool {
	return s.wanted.Load() != 0 || s.short()
}

// short reports whether there are too few lines.
func (s *Set) short() bool {
	return float64(s.used.Load()) > s.room(s.load) || s.full.Load()
}

// Expect says how many state IDs there will be, as far as is known: Grow makes room for so many at once, but for no
// more than twice the lines. If there will not be many more the set may be fuller.
func (s *Set) Expect(ids uint64, last bool) {
	s.expected, s.load = ids, maxLoad
	if last {
		s.load = lastLoad
	}
}

// larger returns the geometry after the next Grow.
func (s *Set) larger() geometry {
	g := s.geometry
	if s.short() {
		switch {
		case g.lines*shards < manyLines:
			g = g.next(true)
		case s.load == lastLoad:
			g = g.next(false)
		default:
			g = g.next(false).next(false)
		}
		for g.room(min(s.load, goodLoad)) < float64(s.expected) && g.lines < 2*s.geometry.lines {
			g = g.next(false)
		}
	}
	if id := s.wanted.Load(); id != 0 {
		g = g.wider(id - 1)
		for g.room(maxLoad) < 2*float64(s.expected) {
			g = g.next(true)
		}
	}
	return g
}

// room returns how many state IDs a set holds before it is fuller than load.
func (g *geometry) room(load float64) float64 { return load * lineSlots * shards * float64(g.lines) }

// wider returns a geometry that contains a state ID, and some more: widening is expensive, and the two halves often
// grow alike.
func (g geometry) wider(id uint64) geometry {
	w := g
	w.leftBits = min(32, max(g.leftBits+1, uint(bits.Len64(id>>32))+1, manyBits))
	w.rightBits = min(32, max(g.rightBits+1, uint(bits.Len64(id&(1<<32-1)))+1, manyBits))
	for !w.fits() {
		w = w.next(true)
	}
	return w
}

// Need returns the most memory that the next Grow takes, in bytes, what is held now included; but for the few
// blocks that it has under way at a time.
func (s *Set) Need() int64 {
	g := s.larger()
	n := int64(g.shardBytes()) * shards
	if g.width() != s.geometry.width() {
		n += s.Bytes()
	}
	return n
}

// Grow makes room, with the given number of goroutines. No other method may run at the same time.
func (s *Set) Grow(workers int) {
	if !s.Crowded() {
		return
	}
	old, g := s.geometry, s.larger()
	if g.width() != old.width() {
		for !s.widen(g, workers) {
			g = g.next(true)
		}
		return
	}
	s.geometry = g
	s.full.Store(false)
	per := old.perBlock()
	left := make([][]uint64, shards)
	crew.Each(workers, shards/per, func(_, i int) { s.enlarge(per*i, per*(i+1), old, left) })
	s.readmit(slices.Concat(left...), workers)
}

// readmit puts state IDs for which there was no room in their shard, which is hardly ever so, though it is larger.
func (s *Set) readmit(ids []uint64, workers int) {
	s.used.Add(-int64(len(ids)))
	for in := s.Inserter(); len(ids) > 0; {
		if _, ids = in.Put(ids, nil); len(ids) > 0 {
			s.Grow(workers)
		}
	}
}

// enlarge moves the shards of a block, those from first up to end, to more lines, but for what is left of each.
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

// refill puts what the lines of a smaller shard i hold into the shard, and returns that for which it finds no room.
// Home lines are monotone in the hash and the shard is nearly sorted by it, so that both are walked from front to back.
//
// What is in a line and where a slot is free is as good as random: it is found out by arithmetic, as a branch that
// cannot be predicted costs more than all the rest.
func (s *Set) refill(i int, lines []line, old geometry) (left []uint64) {
	sh, g := &s.shards[i], s.geometry
	shift := (g.rest() - g.shift) & 63
	taken := make([]uint16, len(sh.lines)) // by line: a bit for each slot
	for at := range lines {
		var filled [lineSlots]uint32
		n := 0
		for _, v := range lines[at] {
			filled[n%lineSlots] = v
			n += int((v | -v) >> 31)
		}
		for _, v := range filled[:n] {
			// As hashAt and place, but for the shard, which stays the same.
			before, remainder := home(len(lines), at, v), v&(1<<remainderBits-1)
			h := old.first(before) + uint64(remainder)
			home := int(h * g.scale >> shift)
			if !sh.fill(taken, home, uint32(h-g.first(home))) {
				left = append(left, s.id(old.hashAt(i, before, remainder)))
			}
		}
	}
	return left
}

// widen moves all state IDs to a geometry with more bits for the halves. It reports whether there was room for all;
// if not, the set is as it was.
func (s *Set) widen(g geometry, workers int) bool {
	wide := &Set{geometry: g}
	wide.allocate(0, shards)
	var failed atomic.Bool
	crew.Each(workers, shards, func(_, i int) {
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
	s.wanted.Store(0)
	return true
}

// copyBatch is the number of state IDs that copyShard puts together.
const copyBatch = 1 << 10

// copyShard puts the state IDs of shard i into another set, as far as there is room.
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
				do(home(len(lines), i, v), v&(1<<remainderBits-1))
			}
		}
	}
}
