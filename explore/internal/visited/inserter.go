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
	found     finding
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

// scanHomes is atHome where the processor compares a line at once. The race detector does not see these reads, and slots of a line
// may be read at different times, each as a whole: it is an aligned word, filled once, by a compare-and-swap, and never changed. So what was
// found is there, and slots that held something else before the first that was empty, in the order in which they are filled, hold it still. That one
// may be filled by now. If it is not, nobody has put the state ID further on, since whoever puts it comes by here first; else
// it is looked for once more.
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
			p.found = added
		default:
			if p.found = l.findOrPut(p.remainder, in.wants[i]); p.found == full {
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
		if p.found = in.homes[i].findOrPut(p.remainder, in.wants[i]); p.found == full {
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
		p.found = in.set.shards[p.shard].findOrPut(p.home, p.remainder)
	}
}
