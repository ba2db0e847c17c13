package visited

import "sync/atomic"

// Slots returns the number of slots, filled or empty.
func (s *Set) Slots() uint64 {
	return shards * uint64(s.geometry.lines+overflow) * lineSlots
}

// A Finder looks roots up in a Set that does not change any more, for one goroutine, in batches whose cache
// misses overlap.
type Finder struct {
	set    *Set
	probes []probe
	touch  uint32
}

// Finder returns a finder for one more goroutine.
func (s *Set) Finder() *Finder { return &Finder{set: s} }

// Find appends the slots of roots, all of which are in the set, to slots. A slot is a number below Slots. It is
// the root's own until the next Grow.
func (f *Finder) Find(roots, slots []uint64) []uint64 {
	f.probes = f.probes[:0]
	for _, root := range roots {
		shard, home, remainder := f.set.place(f.set.hash(root))
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
			panic("visited: no such root")
		}
		first := uint64(p.shard) * uint64(f.set.geometry.lines+overflow)
		slots = append(slots, (first+uint64(line))*lineSlots+uint64(at))
	}
	return slots
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
