package visited

import (
	"slices"
)

// A Finder looks up state IDs in a Set that no longer changes, for one goroutine, in batches whose cache misses
// overlap. It caches recent results: paths rejoin after few steps, so the cache finds about half of the successors of a
// batch of states in breadth-first order.
type Finder struct {
	set    *Set
	open   []search
	lines  []*line  // by open search: the line to scan next
	wants  []uint32 // by open search: the slot content to look for
	slots  []int8   // by open search: the slot where it was found, -1 if absent
	misses []int    // indices in the batch of state IDs that are not in the cache
	copies []int    // indices of those being looked up for an earlier index
	recent [1 << recentBits]struct {
		id   uint64 // plus one; 0 if empty
		slot uint64 // or pending and the index of the slot in the result
	}
}

// A search looks for the slot of a state ID; line is the next line to scan.
type search struct {
	shard, line uint32
	homeLine    uint32
	at          int // index in the result
}

const (
	// recentBits makes the cache fill an eighth of a second-level cache.
	recentBits = 13
	// pending marks a lookup in progress. Slots are smaller.
	pending = 1 << 63
)

// recentAt returns the index in recent at which a state ID is cached, if it is.
func recentAt(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

// Finder returns a finder for one more goroutine.
func (s *Set) Finder() *Finder { return &Finder{set: s} }

// Find appends the slots of state IDs, all of which must be in the set, to slots. A slot is a number below Slots that
// identifies the state ID until the next Grow.
func (f *Finder) Find(ids, slots []uint64) []uint64 {
	f.open, f.lines, f.wants, f.misses, f.copies = f.open[:0], f.lines[:0], f.wants[:0], f.misses[:0], f.copies[:0]
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

// miss opens a search for a state ID.
func (f *Finder) miss(id uint64, at int) {
	shard, home, remainder := f.set.locate(f.set.hash(id))
	f.open = append(f.open, search{uint32(shard), uint32(home), uint32(home), at})
	f.lines = append(f.lines, &f.set.shards[shard].lines[home])
	f.wants = append(f.wants, remainder|1<<remainderBits)
	f.misses = append(f.misses, at)
}

// look completes the open searches: it scans the home lines of all, then the next lines of those not found, and so on.
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
			s.line = uint32(sh.at(int(s.homeLine), distance))
			f.open[n], f.lines[n], f.wants[n] = s, &sh.lines[s.line], f.wants[i]+1<<remainderBits
			n++
		}
		f.open, f.lines, f.wants = f.open[:n], f.lines[:n], f.wants[:n]
	}
}

// scan looks for each wanted slot content in its line. The reads are independent, so the processor overlaps as many
// cache misses as it can.
func (f *Finder) scan() {
	n := len(f.lines)
	f.slots = slices.Grow(f.slots[:0], n)[:n]
	for i, l := range f.lines {
		f.slots[i] = -1
		want := f.wants[i] // its low bits equal the remainder
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

// Filled reports whether a slot holds a state ID.
func (s *Set) Filled(slot uint64) bool {
	line, per := slot/lineSlots, uint64(s.geometry.lines)
	return s.shards[line/per].lines[line%per][slot%lineSlots] != 0
}

// ID returns the state ID in a filled slot.
func (s *Set) ID(slot uint64) uint64 {
	line, at := slot/lineSlots, slot%lineSlots
	per := uint64(s.geometry.lines)
	shard := int(line / per)
	v := s.shards[shard].lines[line%per][at]
	return s.id(s.hashAt(shard, homeLine(int(per), int(line%per), v), v&(1<<remainderBits-1)))
}
