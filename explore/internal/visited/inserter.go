package visited

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// An Inserter puts state IDs into a Set for one goroutine, in batches, so that the cache misses of a batch
// overlap and the counter of the set is touched once a batch.
type Inserter struct {
	set    *Set
	scans  bool // use scanLines
	probes []probe
	homes  []*line
	wants  []uint32 // in the home lines
	masks  []uint32 // see scanLines
	late   []int    // the probes whose home lines are full
	left   []uint64 // what there was no room for
	touch  uint32
}

// A probe is a state ID on its way into the set.
type probe struct {
	shard     uint32
	remainder uint32
	home      int
	outcome   outcome
}

// Inserter returns an inserter for one more goroutine.
func (s *Set) Inserter() *Inserter { return &Inserter{set: s, scans: canScan} }

// Put puts state IDs into the set and appends those that were added to fresh, in their order. rest are those for which there is
// no room before Set.Grow, in their order; it is valid until the next Put.
func (in *Inserter) Put(ids, fresh []uint64) (more, rest []uint64) {
	n := in.prepare(ids)
	if in.scans && n > 0 {
		in.scanHomes()
	} else {
		in.atHome()
	}
	in.beyond()
	before := len(fresh)
	in.left = in.left[:0]
	for i, id := range ids[:n] {
		switch in.probes[i].outcome {
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

// prepare finds out where to look for state IDs. It returns how many state IDs it has dealt with: it stops short of one that the
// geometry does not contain.
func (in *Inserter) prepare(ids []uint64) int {
	s := in.set
	in.probes, in.homes, in.wants, in.late = in.probes[:0], in.homes[:0], in.wants[:0], in.late[:0]
	for i, id := range ids {
		if !s.contains(id) {
			s.wanted.Store(id + 1)
			return i
		}
		shard, home, remainder := s.place(s.hash(id))
		in.probes = append(in.probes, probe{uint32(shard), remainder, home, seen})
		in.homes = append(in.homes, &s.shards[shard].lines[home])
		in.wants = append(in.wants, remainder|1<<remainderBits)
	}
	return len(ids)
}

// scanHomes is atHome where the processor compares a line at once. A slot that was empty may be filled by now. If it is not, nobody
// has put the state ID further on, since whoever puts it comes by here first; else it is looked for once more.
func (in *Inserter) scanHomes() {
	n := len(in.probes)
	in.masks = slices.Grow(in.masks[:0], n)[:n]
	scanLines(&in.homes[0], &in.wants[0], &in.masks[0], n)
	for i, mask := range in.masks {
		if uint16(mask) != 0 {
			continue // seen
		}
		p, l := &in.probes[i], in.homes[i]
		first := p.remainder % lineSlots
		free := bits.RotateLeft16(uint16(mask>>lineSlots), -int(first))
		slot := (first + uint32(bits.TrailingZeros16(free))) % lineSlots
		switch {
		case free == 0:
			in.putOff(i)
		case atomic.CompareAndSwapUint32(&l[slot], 0, in.wants[i]):
			p.outcome = added
		default:
			if p.outcome = l.findOrPut(p.remainder, in.wants[i]); p.outcome == full {
				in.putOff(i)
			}
		}
	}
}

// atHome looks for all state IDs in their home lines. It reads each line once before: these reads do not depend on each
// other and there is nothing else in their loop, so that the processor has as many of them under way as it can. A state ID that occurs
// twice is found in the same order as ever: a line that was full once is full the second time.
func (in *Inserter) atHome() {
	touch := uint32(0)
	for _, l := range in.homes {
		touch ^= atomic.LoadUint32(&l[0])
	}
	in.touch = touch
	for i := range in.probes {
		p := &in.probes[i]
		if p.outcome = in.homes[i].findOrPut(p.remainder, in.wants[i]); p.outcome == full {
			in.putOff(i)
		}
	}
}

// putOff notes a probe whose home line is full, and reads the line behind it.
func (in *Inserter) putOff(i int) {
	p := &in.probes[i]
	in.touch ^= atomic.LoadUint32(&in.set.shards[p.shard].lines[p.home+1][0])
	in.late = append(in.late, i)
}

// beyond looks for the others behind their home lines.
func (in *Inserter) beyond() {
	for _, i := range in.late {
		p := &in.probes[i]
		p.outcome = in.set.shards[p.shard].findOrPut(p.home, p.remainder)
	}
}

// Slots returns the number of slots, filled or empty.
func (s *Set) Slots() uint64 {
	return shards * uint64(s.geometry.lines+overflow) * lineSlots
}

// A Finder looks state IDs up in a Set that does not change any more, for one goroutine, in batches whose cache
// misses overlap.
type Finder struct {
	set    *Set
	probes []probe
	touch  uint32
}

// Finder returns a finder for one more goroutine.
func (s *Set) Finder() *Finder { return &Finder{set: s} }

// Find appends the slots of state IDs, all of which are in the set, to slots. A slot is a number below Slots. It is
// the state ID's own until the next Grow.
func (f *Finder) Find(ids, slots []uint64) []uint64 {
	f.probes = f.probes[:0]
	for _, id := range ids {
		shard, home, remainder := f.set.place(f.set.hash(id))
		f.probes = append(f.probes, probe{shard: uint32(shard), home: home, remainder: remainder})
	}
	touch := uint32(0)
	for i := range f.probes {
		p := &f.probes[i]
		touch ^= atomic.LoadUint32(&f.set.shards[p.shard].lines[p.home][0])
	}
	f.touch = touch
	for i := range f.probes {
		p := &f.probes[i]
		line, at, ok := f.set.shards[p.shard].locate(p.home, p.remainder)
		if !ok {
			panic("visited: no such state ID")
		}
		first := uint64(p.shard) * uint64(f.set.geometry.lines+overflow)
		slots = append(slots, (first+uint64(line))*lineSlots+uint64(at))
	}
	return slots
}

// Filled reports whether there is a state ID in a slot.
func (s *Set) Filled(slot uint64) bool {
	line, per := slot/lineSlots, uint64(s.geometry.lines+overflow)
	return s.shards[line/per].lines[line%per][slot%lineSlots] != 0
}

// ID returns the state ID in a slot, which is filled.
func (s *Set) ID(slot uint64) uint64 {
	line, at := slot/lineSlots, slot%lineSlots
	per := uint64(s.geometry.lines + overflow)
	shard := int(line / per)
	v := s.shards[shard].lines[line%per][at]
	home := int(line%per) - int(v>>remainderBits) + 1
	return s.id(s.hashAt(shard, home, v&(1<<remainderBits-1)))
}

// locate returns where a remainder is, and whether it is there.
func (sh *shard) locate(home int, remainder uint32) (line int, at uint32, ok bool) {
	want := remainder | 1<<remainderBits
	for distance := 0; distance <= maxDistance; distance++ {
		l := &sh.lines[home+distance]
		for i := range uint32(lineSlots) {
			at := (remainder + i) % lineSlots
			switch atomic.LoadUint32(&l[at]) {
			case want:
				return home + distance, at, true
			case 0:
				return 0, 0, false
			}
		}
		want += 1 << remainderBits
	}
	return 0, 0, false
}
