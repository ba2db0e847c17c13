package visited

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// A Finder looks state IDs up in a Set that does not change any more, for one goroutine, in batches whose cache
// misses overlap. It remembers where it has found some recently: paths that join do so close together, so that about half of the successors
// of a batch of states in breadth-first order are found that way.
type Finder struct {
	set    *Set
	scans  bool // use scanLines
	probes []probe
	homes  []*line
	wants  []uint32 // in the home lines
	masks  []uint32 // see scanLines
	misses []int    // of a batch: which state IDs are not remembered
	copies []int    // those that occur earlier in it, and not elsewhere
	recent [1 << recentBits]struct {
		id   uint64 // plus one; 0 is none
		slot uint64 // or, with pending, where the slot will be in the list
	}
	touch uint32
}

const (
	// recentBits makes what is remembered fill an eighth of a second-level cache.
	recentBits = 13
	// pending marks what is being looked up. Slots are smaller.
	pending = 1 << 63
)

// recentAt returns where a state ID is remembered, if it is.
func recentAt(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

// Finder returns a finder for one more goroutine.
func (s *Set) Finder() *Finder { return &Finder{set: s, scans: canScan} }

// Find appends the slots of state IDs, all of which are in the set, to slots. A slot is a number below Slots. It is
// the state ID's own until the next Grow.
func (f *Finder) Find(ids, slots []uint64) []uint64 {
	f.begin()
	first := len(slots)
	for i, id := range ids {
		e := &f.recent[recentAt(id)]
		if e.id != id+1 {
			e.id, e.slot = id+1, pending|uint64(first+i)
			f.miss(id, first+i)
		} else if e.slot >= pending {
			f.copies = append(f.copies, first+i)
		}
		slots = append(slots, e.slot)
	}
	f.scan()
	for i, at := range f.misses {
		slots[at] = f.slot(i)
	}
	for _, at := range f.copies {
		slots[at] = slots[slots[at]&^pending]
	}
	for _, at := range f.misses {
		id := ids[at-first]
		if e := &f.recent[recentAt(id)]; e.id == id+1 {
			e.slot = slots[at]
		}
	}
	return slots
}

func (f *Finder) begin() {
	f.probes, f.homes, f.wants, f.misses, f.copies = f.probes[:0], f.homes[:0], f.wants[:0], f.misses[:0], f.copies[:0]
}

// miss notes a state ID that is to be looked up.
func (f *Finder) miss(id uint64, at int) {
	shard, home, remainder := f.set.place(f.set.hash(id))
	f.probes = append(f.probes, probe{shard: uint32(shard), remainder: remainder, home: home})
	f.homes = append(f.homes, &f.set.shards[shard].lines[home])
	f.wants = append(f.wants, remainder|1<<remainderBits)
	f.misses = append(f.misses, at)
}

// scan reads the home lines of all probes, and compares them where the processor can.
func (f *Finder) scan() {
	n := len(f.homes)
	f.masks = slices.Grow(f.masks[:0], n)[:n]
	if f.scans && n > 0 {
		scanLines(&f.homes[0], &f.wants[0], &f.masks[0], n)
		return
	}
	touch := uint32(0)
	for i, l := range f.homes {
		touch ^= atomic.LoadUint32(&l[0])
		f.masks[i] = 0
	}
	f.touch = touch
}

// slot returns the slot of a probe.
func (f *Finder) slot(i int) uint64 {
	p := &f.probes[i]
	line, at := p.home, uint32(bits.TrailingZeros16(uint16(f.masks[i])))
	if at == lineSlots { // not seen in its home line
		var ok bool
		if line, at, ok = f.set.shards[p.shard].locate(p.home, p.remainder); !ok {
			panic("visited: no such state ID")
		}
	}
	first := uint64(p.shard) * uint64(f.set.geometry.lines)
	return (first+uint64(line))*lineSlots + uint64(at)
}

// Slots returns the number of slots, filled or empty.
func (s *Set) Slots() uint64 {
	return shards * uint64(s.geometry.lines) * lineSlots
}

// Filled reports whether there is a state ID in a slot.
func (s *Set) Filled(slot uint64) bool {
	line, per := slot/lineSlots, uint64(s.geometry.lines)
	return s.shards[line/per].lines[line%per][slot%lineSlots] != 0
}

// ID returns the state ID in a slot, which is filled.
func (s *Set) ID(slot uint64) uint64 {
	line, at := slot/lineSlots, slot%lineSlots
	per := uint64(s.geometry.lines)
	shard := int(line / per)
	v := s.shards[shard].lines[line%per][at]
	return s.id(s.hashAt(shard, home(int(per), int(line%per), v), v&(1<<remainderBits-1)))
}

// locate returns where a remainder is, and whether it is there.
func (sh *shard) locate(home int, remainder uint32) (line int, at uint32, ok bool) {
	want := remainder | 1<<remainderBits
	for distance := 0; distance <= maxDistance; distance++ {
		line := sh.at(home, distance)
		l := &sh.lines[line]
		for i := range uint32(lineSlots) {
			at := (remainder + i) % lineSlots
			switch atomic.LoadUint32(&l[at]) {
			case want:
				return line, at, true
			case 0:
				return 0, 0, false
			}
		}
		want += 1 << remainderBits
	}
	return 0, 0, false
}
