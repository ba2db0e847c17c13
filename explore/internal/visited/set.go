package visited

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/internal/largepage"
)

// A Set is a set of state IDs. It is safe for concurrent use, except for Grow and Close.
type Set struct {
	geometry
	shards  [shards]shard
	bytes   atomic.Int64
	tooWide atomic.Uint64 // a state ID too wide for the geometry, plus one; else 0
	full    atomic.Bool   // an insertion found no slot
	load    float64       // maximum fill ratio
	_       [64]byte      // keeps writes to used off the cache line of the fields above, which are read all the time
	used    atomic.Int64  // filled slots

	expected uint64 // number of state IDs
}

type shard struct {
	lines []line
	unmap func() // frees the block whose first shard this is; else nil
}

// A line is a cache line of slots: 0 if empty, else the remainder with the distance from the home line plus one above
// it.
type line [lineSlots]uint32

// at returns the line at a distance from a home line: 1, 3, 6, 10 … lines after it, modulo the number of lines. The
// steps get longer because full lines come in runs.
func (sh *shard) at(home, distance int) int {
	i := home + distance*(distance+1)/2
	for i >= len(sh.lines) {
		i -= len(sh.lines)
	}
	return i
}

// homeLine returns the home line of the state ID whose slot v is in a line of a shard. The shard has the given number
// of lines.
func homeLine(lines, line int, v uint32) int {
	distance := int(v>>remainderBits) - 1
	line -= distance * (distance + 1) / 2
	for line < 0 {
		line += lines
	}
	return line
}

// A set grows when it is fuller than maxLoad, where four lines in ten are full; once levels have begun to shrink, only
// when it is fuller than lastLoad, where seven are: then few insertions follow, each of which probes two or three more
// lines. At lastLoad the largest distance among a million lines is 43. A set that reaches maxDistance grows early.
const (
	maxLoad  = 0.85
	lastLoad = 0.94
	goodLoad = 0.92 // the intended final load
)

// A half of a state ID has firstBits bits in a new set and manyBits at the first widening: widening moves every state
// ID to a random place, which is cheapest early. With manyBits a set takes at least 16 MB.
const (
	firstBits = 16
	manyBits  = 22
)

// New returns an empty set.
func New() *Set {
	s := &Set{geometry: newGeometry(firstBits, firstBits), load: maxLoad}
	s.allocate(0, shards)
	return s
}

// blockBytes is the desired size of a block of memory, so that it consists of large pages. A block holds one or more
// shards.
const blockBytes = 8 << 20

// shardBytes returns the memory of a shard in bytes.
func (g *geometry) shardBytes() int { return g.lines * lineSlots * 4 }

// perBlock returns the number of shards that share a block, a power of two.
func (g *geometry) perBlock() int {
	n := 1
	for n < shards && n*g.shardBytes() < blockBytes {
		n *= 2
	}
	return n
}

// allocate gives empty lines to the shards in [first, end), which fill whole blocks.
func (s *Set) allocate(first, end int) {
	per, n := s.perBlock(), s.geometry.lines
	s.bytes.Add(int64((end - first) * s.shardBytes()))
	for ; first < end; first += per {
		block, unmap := largepage.Map[line](per * n)
		for i := range per {
			s.shards[first+i].lines = block[i*n : (i+1)*n]
		}
		s.shards[first].unmap = unmap
	}
}

// Close frees the memory. The set must not be used afterwards.
func (s *Set) Close() {
	for i := range s.shards {
		sh := &s.shards[i]
		if sh.unmap != nil {
			sh.unmap()
		}
		sh.lines, sh.unmap = nil, nil
	}
	s.bytes.Store(0)
}

// Bytes returns the memory of the slots in bytes.
func (s *Set) Bytes() int64 { return s.bytes.Load() }

// Len returns the number of state IDs added by calls of Put that have returned.
func (s *Set) Len() uint64 { return uint64(s.used.Load()) }

// Parts is the number of parts of a Set, which have about the same size.
const Parts = shards

// EachIn calls do with every state ID in a part, in no particular order. The set must not change during the call.
func (s *Set) EachIn(part int, do func(id uint64)) {
	eachSlot(s.shards[part].lines, func(home int, remainder uint32) {
		do(s.id(s.hashAt(part, home, remainder)))
	})
}

// Drop discards a part. Memory is freed with the last of the parts that share it. Afterwards only EachIn of other parts
// and Close may be called.
func (s *Set) Drop(part int) {
	s.shards[part].lines = nil
	per := s.perBlock()
	first := part / per * per
	for i := first; i < first+per; i++ {
		if s.shards[i].lines != nil {
			return
		}
	}
	s.shards[first].unmap()
	s.shards[first].unmap = nil
	s.bytes.Add(-int64(per * s.shardBytes()))
}

// finding is the result of a find-or-put.
type finding uint8

const (
	seen  finding = iota // the state ID was already there
	added                // it was added
	full                 // it is not there, and there is no room
)

// findOrPut looks for the slot content want and adds it if it is absent. The search begins at a slot that depends on
// the remainder and wraps around.
func (l *line) findOrPut(remainder, want uint32) finding {
	for i := range uint32(lineSlots) {
		p := &l[(remainder+i)%lineSlots]
		v := atomic.LoadUint32(p)
		if v == want {
			return seen
		}
		if v == 0 {
			if atomic.CompareAndSwapUint32(p, 0, want) {
				return added
			}
			if atomic.LoadUint32(p) == want {
				return seen
			}
		}
	}
	return full
}

// fill adds an absent remainder to a shard that is not used concurrently, and reports whether there was room. It probes
// slots in the order of findOrPut and records the taken ones.
func (sh *shard) fill(taken []uint16, home int, remainder uint32) bool {
	want, line := remainder|1<<remainderBits, home
	first := remainder % lineSlots
	for distance := 1; ; distance++ {
		free := bits.RotateLeft16(^taken[line], -int(first))
		if free != 0 {
			slot := (first + uint32(bits.TrailingZeros16(free))) % lineSlots
			taken[line] |= 1 << slot
			sh.lines[line][slot] = want
			return true
		}
		if distance > maxDistance {
			return false
		}
		line = sh.at(home, distance)
		want += 1 << remainderBits
	}
}

// An Inserter puts state IDs into a Set for one goroutine, in batches, so that cache misses overlap and the set's
// counter is updated only once per batch.
type Inserter struct {
	set    *Set
	probes []probe
	lines  []*line  // the lines to search next
	late   []int    // probes that have met only full lines so far
	left   []uint64 // state IDs without room
	touch  uint32   // keeps the compiler from dropping the reads of touchAll
}

// A probe is a state ID on its way into the set.
type probe struct {
	shard     uint32
	remainder uint32
	homeLine  int
	result    finding
}

// Inserter returns an inserter for one more goroutine.
func (s *Set) Inserter() *Inserter { return &Inserter{set: s} }

// Put puts state IDs into the set and appends those it added to fresh, in order. rest are those without room until the
// next Set.Grow, in order; it is valid until the next Put.
func (in *Inserter) Put(ids, fresh []uint64) (more, rest []uint64) {
	n := in.prepare(ids)
	in.findOrPut()
	before := len(fresh)
	in.left = in.left[:0]
	for i, id := range ids[:n] {
		switch in.probes[i].result {
		case added:
			fresh = append(fresh, id)
		case full:
			in.left = append(in.left, id)
		}
	}
	in.set.used.Add(int64(len(fresh) - before))
	if len(in.left) == 0 {
		return fresh, ids[n:]
	}
	in.set.full.Store(true)
	in.left = append(in.left, ids[n:]...)
	return fresh, in.left
}

// prepare computes the positions at which to look for state IDs. It stops at the first ID too wide for the geometry,
// and returns the number of IDs before it.
func (in *Inserter) prepare(ids []uint64) int {
	s := in.set
	in.probes, in.lines = in.probes[:0], in.lines[:0]
	for i, id := range ids {
		if !s.contains(id) {
			s.tooWide.Store(id + 1)
			return i
		}
		shard, home, remainder := s.locate(s.hash(id))
		in.probes = append(in.probes, probe{uint32(shard), remainder, home, seen})
		in.lines = append(in.lines, &s.shards[shard].lines[home])
	}
	return len(ids)
}

// findOrPut looks for all state IDs in their home lines, then for those whose home line is full in the next line, and
// so on. A state ID that occurs twice is still found, since a line that was full at its first occurrence stays full.
func (in *Inserter) findOrPut() {
	in.touchAll()
	in.late = in.late[:0]
	for i := range in.probes {
		p := &in.probes[i]
		if p.result = in.lines[i].findOrPut(p.remainder, p.remainder|1<<remainderBits); p.result == full {
			in.late = append(in.late, i)
		}
	}
	for distance := 1; distance <= maxDistance && len(in.late) > 0; distance++ {
		in.lines = in.lines[:0]
		for _, i := range in.late {
			p := &in.probes[i]
			sh := &in.set.shards[p.shard]
			in.lines = append(in.lines, &sh.lines[sh.at(p.homeLine, distance)])
		}
		in.touchAll()
		later := in.late[:0]
		for k, i := range in.late {
			p := &in.probes[i]
			want := p.remainder | uint32(distance+1)<<remainderBits
			if p.result = in.lines[k].findOrPut(p.remainder, want); p.result == full {
				later = append(later, i)
			}
		}
		in.late = later
	}
}

// touchAll reads from every line. The reads are independent and alone in their loop, so the processor overlaps as many
// cache misses as it can.
func (in *Inserter) touchAll() {
	touch := uint32(0)
	for _, l := range in.lines {
		touch ^= atomic.LoadUint32(&l[0])
	}
	in.touch = touch
}
