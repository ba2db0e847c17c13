package visited

import (
	"slices"
)

// A Finder looks state IDs up in a Set that does not change any more, for one goroutine, in batches whose cache misses
// overlap. It remembers where it has found some recently: paths that join do so close together, so that about half of
// the successors of a batch of states in breadth-first order are found that way.
type Finder struct {
	set    *Set
	open   []search
	lines  []*line  // where to look now
	wants  []uint32 // in these
	slots  []int8   // where it was found in the line, -1 if nowhere
	misses []int    // of a batch: which state IDs are not remembered
	copies []int    // those that occur earlier in it, and not elsewhere
	recent [1 << recentBits]struct {
		id   uint64 // plus one; 0 is none
		slot uint64 // or, with pending, where the slot will be in the list
	}
}

// A search is for the slot of a state ID, which has not been found up to a line.
type search struct {
	shard, line uint32
	home        uint32
	at          int // in the list
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
func (s *Set) Finder() *Finder { return &Finder{set: s} }

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
	f.look(slots)
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
	f.open, f.lines, f.wants, f.misses, f.copies = f.open[:0], f.lines[:0], f.wants[:0], f.misses[:0], f.copies[:0]
}

// miss notes a state ID that is to be looked up.
func (f *Finder) miss(id uint64, at int) {
	shard, home, remainder := f.set.place(f.set.hash(id))
	f.open = append(f.open, search{uint32(shard), uint32(home), uint32(home), at})
	f.lines = append(f.lines, &f.set.shards[shard].lines[home])
	f.wants = append(f.wants, remainder|1<<remainderBits)
	f.misses = append(f.misses, at)
}

// look finds what is open: it looks for all state IDs in their home lines, then for those that are not there in the
// next one, and so on.
func (f *Finder) look(slots []uint64) {
	per := uint64(f.set.geometry.lines)
	for distance := 1; len(f.open) > 0; distance++ {
		if distance > maxDistance+1 {
			panic("visited: no such state ID")
		}
		f.scan()
		n := 0
		for i, slot := range f.slots {
			s := f.open[i]
			if slot >= 0 {
				slots[s.at] = (uint64(s.shard)*per+uint64(s.line))*lineSlots + uint64(slot)
				continue
			}
			sh := &f.set.shards[s.shard]
			s.line = uint32(sh.at(int(s.home), distance))
			f.open[n], f.lines[n], f.wants[n] = s, &sh.lines[s.line], f.wants[i]+1<<remainderBits
			n++
		}
		f.open, f.lines, f.wants = f.open[:n], f.lines[:n], f.wants[:n]
	}
}

// scan reads every line once, and compares it with what is wanted in it. These reads do not depend on each other: the
// processor has as many of them under way as it can.
func (f *Finder) scan() {
	n := len(f.lines)
	f.slots = slices.Grow(f.slots[:0], n)[:n]
	for i, l := range f.lines {
		f.slots[i] = -1
		want := f.wants[i] // its low bits are those of the remainder
		for k := range uint32(lineSlots) {
			if slot := (want + k) % lineSlots; l[slot] == want {
				f.slots[i] = int8(slot)
				break
			}
		}
	}
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
