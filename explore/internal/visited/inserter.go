package visited

import "sync/atomic"

// An Inserter puts state IDs into a Set for one goroutine, in batches, so that the cache misses of a batch
// overlap and the counter of the set is touched once a batch.
type Inserter struct {
	set    *Set
	probes []probe
	lines  []*line  // where to look now
	late   []int    // the probes that have met full lines only
	left   []uint64 // what there was no room for
	touch  uint32   // keeps the reads of touchAll
}

// A probe is a state ID on its way into the set.
type probe struct {
	shard     uint32
	remainder uint32
	home      int
	found     finding
}

// Inserter returns an inserter for one more goroutine.
func (s *Set) Inserter() *Inserter { return &Inserter{set: s} }

// Put puts state IDs into the set and appends those that were added to fresh, in their order. rest are those for which
// there is no room before Set.Grow, in their order; it is valid until the next Put.
func (in *Inserter) Put(ids, fresh []uint64) (more, rest []uint64) {
	n := in.prepare(ids)
	in.findOrPut()
	before := len(fresh)
	in.left = in.left[:0]
	for i, id := range ids[:n] {
		switch in.probes[i].found {
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

// prepare finds out where to look for state IDs. It returns how many state IDs it has dealt with: it stops short of one
// that the geometry does not contain.
func (in *Inserter) prepare(ids []uint64) int {
	s := in.set
	in.probes, in.lines = in.probes[:0], in.lines[:0]
	for i, id := range ids {
		if !s.contains(id) {
			s.wanted.Store(id + 1)
			return i
		}
		shard, home, remainder := s.place(s.hash(id))
		in.probes = append(in.probes, probe{uint32(shard), remainder, home, seen})
		in.lines = append(in.lines, &s.shards[shard].lines[home])
	}
	return len(ids)
}

// findOrPut looks for all state IDs in their home lines, then for those whose home line is full in the next one, and so
// on. One that occurs twice is found in the same order as ever: a line that was full once is full the second time.
func (in *Inserter) findOrPut() {
	in.touchAll()
	in.late = in.late[:0]
	for i := range in.probes {
		p := &in.probes[i]
		if p.found = in.lines[i].findOrPut(p.remainder, p.remainder|1<<remainderBits); p.found == full {
			in.late = append(in.late, i)
		}
	}
	for distance := 1; distance <= maxDistance && len(in.late) > 0; distance++ {
		in.lines = in.lines[:0]
		for _, i := range in.late {
			p := &in.probes[i]
			sh := &in.set.shards[p.shard]
			in.lines = append(in.lines, &sh.lines[sh.at(p.home, distance)])
		}
		in.touchAll()
		later := in.late[:0]
		for k, i := range in.late {
			p := &in.probes[i]
			want := p.remainder | uint32(distance+1)<<remainderBits
			if p.found = in.lines[k].findOrPut(p.remainder, want); p.found == full {
				later = append(later, i)
			}
		}
		in.late = later
	}
}

// touchAll reads from every line: these reads do not depend on each other and there is nothing else in their loop, so
// that the processor has as many of them under way as it can.
func (in *Inserter) touchAll() {
	touch := uint32(0)
	for _, l := range in.lines {
		touch ^= atomic.LoadUint32(&l[0])
	}
	in.touch = touch
}
