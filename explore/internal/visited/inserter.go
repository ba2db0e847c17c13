package visited

import (
	"sync/atomic"
)

// An Inserter puts roots into a Set for one goroutine, in batches, so that the cache misses of a batch
// overlap and the counters of the shards are touched once a batch.
type Inserter struct {
	set    *Set
	added  [shards]int32
	probes []probe
	homes  []*line
	touch  uint32
}

// A probe is a root on its way into the set.
type probe struct {
	shard     uint32
	remainder uint32
	home      int
	key       int // its index in the batch
}

// Inserter returns an inserter for one more goroutine.
func (s *Set) Inserter() *Inserter { return &Inserter{set: s} }

// Put puts roots into the set, in order, and appends those that were added to fresh. If there is no room for
// one, it stops short of it: rest is what remains to be put after Set.Grow, else it is empty.
func (in *Inserter) Put(roots, fresh []uint64) (more, rest []uint64) {
	n := in.prepare(roots)
	for i := range in.probes {
		p := &in.probes[i]
		sh := &in.set.shards[p.shard]
		switch sh.findOrPut(p.home, p.remainder) {
		case full:
			sh.full.Store(true)
			in.flush()
			return fresh, roots[p.key:]
		case added:
			fresh = append(fresh, roots[p.key])
			in.added[p.shard]++
		}
	}
	in.flush()
	return fresh, roots[n:]
}

// prepare finds out where to look for roots, and reads each home line once. The reads do not depend on each
// other and there is nothing else in their loop, so that the processor has as many of them under way as it
// can. It returns how many roots it has dealt with: it stops short of one that the geometry does not contain.
func (in *Inserter) prepare(roots []uint64) int {
	s := in.set
	in.probes, in.homes = in.probes[:0], in.homes[:0]
	n := len(roots)
	for i, root := range roots {
		if !s.contains(root) {
			s.wanted.Store(root + 1)
			n = i
			break
		}
		shard, home, remainder := s.place(s.hash(root))
		in.probes = append(in.probes, probe{uint32(shard), remainder, home, i})
		in.homes = append(in.homes, &s.shards[shard].lines[home])
	}
	touch := uint32(0)
	for _, l := range in.homes {
		touch ^= atomic.LoadUint32(&l[0])
	}
	in.touch = touch
	return n
}

// flush adds what was counted to the shards.
func (in *Inserter) flush() {
	for i := range in.added {
		if n := in.added[i]; n != 0 {
			in.set.shards[i].used.Add(int64(n))
			in.added[i] = 0
		}
	}
}

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
