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
	lines  []*line  // where to look now
	wants  []uint32 // in these
	masks  []uint32 // see scanLines
	late   []int    // the probes that have met full lines only
	left   []uint64 // what there was no room for
	touch  uint32
}

// A probe is a state ID on its way into the set.
type probe struct {
	shard     uint32
	remainder uint32
	home      int
	found     finding
}

// Inserter returns an inserter for one more goroutine.
func (s *Set) Inserter() *Inserter { return &Inserter{set: s, scans: canScan} }

// Put puts state IDs into the set and appends those that were added to fresh, in their order. rest are those for which there is
// no room before Set.Grow, in their order; it is valid until the next Put.
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

// prepare finds out where to look for state IDs. It returns how many state IDs it has dealt with: it stops short of one that the
// geometry does not contain.
func (in *Inserter) prepare(ids []uint64) int {
	s := in.set
	in.probes, in.lines, in.wants = in.probes[:0], in.lines[:0], in.wants[:0]
	for i, id := range ids {
		if !s.contains(id) {
			s.wanted.Store(id + 1)
			return i
		}
		shard, home, remainder := s.place(s.hash(id))
		in.probes = append(in.probes, probe{uint32(shard), remainder, home, seen})
		in.lines = append(in.lines, &s.shards[shard].lines[home])
		in.wants = append(in.wants, remainder|1<<remainderBits)
	}
	return len(ids)
}

// findOrPut looks for all state IDs in their home lines, then for those whose home line is full in the next one, and so on. One that
// occurs twice is found in the same order as ever: a line that was full once is full the second time.
func (in *Inserter) findOrPut() {
	in.look()
	in.late = in.late[:0]
	for i := range in.probes {
		if in.scans && uint16(in.masks[i]) != 0 {
			continue // seen, as every probe is to begin with
		}
		if p := &in.probes[i]; in.settle(i, p) == full {
			in.late = append(in.late, i)
		}
	}
	for distance := 1; distance <= maxDistance && len(in.late) > 0; distance++ {
		in.lines, in.wants = in.lines[:0], in.wants[:0]
		for _, i := range in.late {
			p := &in.probes[i]
			sh := &in.set.shards[p.shard]
			in.lines = append(in.lines, &sh.lines[sh.at(p.home, distance)])
			in.wants = append(in.wants, p.remainder|uint32(distance+1)<<remainderBits)
		}
		in.look()
		later := in.late[:0]
		for k, i := range in.late {
			if in.settle(k, &in.probes[i]) == full {
				later = append(later, i)
			}
		}
		in.late = later
	}
}

// look reads every line once, and compares it with what is wanted where the processor can: these reads do not depend on each other and
// there is nothing else in their loop, so that the processor has as many of them under way as it can.
func (in *Inserter) look() {
	n := len(in.lines)
	if in.scans && n > 0 {
		in.masks = slices.Grow(in.masks[:0], n)[:n]
		scanLines(&in.lines[0], &in.wants[0], &in.masks[0], n)
		return
	}
	touch := uint32(0)
	for _, l := range in.lines {
		touch ^= atomic.LoadUint32(&l[0])
	}
	in.touch = touch
}

// settle finds out what becomes of a probe in line i.
//
// The race detector does not see the reads of scanLines, and slots of a line
// may be read at different times, each as a whole: it is an aligned word, filled once, by a compare-and-swap, and never changed. So what was
// found is there, and slots that held something else before the first that was empty, in the order in which they are filled, hold it still. That one
// may be filled by now. If it is not, nobody has put the state ID further on, since whoever puts it comes by here first; else
// it is looked for once more.
func (in *Inserter) settle(i int, p *probe) finding {
	l, want := in.lines[i], in.wants[i]
	if !in.scans {
		p.found = l.findOrPut(p.remainder, want)
		return p.found
	}
	mask := in.masks[i]
	if uint16(mask) != 0 {
		p.found = seen
		return seen
	}
	first := p.remainder % lineSlots
	free := bits.RotateLeft16(uint16(mask>>lineSlots), -int(first))
	slot := (first + uint32(bits.TrailingZeros16(free))) % lineSlots
	switch {
	case free == 0:
		p.found = full
	case atomic.CompareAndSwapUint32(&l[slot], 0, want):
		p.found = added
	default:
		p.found = l.findOrPut(p.remainder, want)
	}
	return p.found
}
