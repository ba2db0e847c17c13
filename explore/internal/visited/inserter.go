package visited

import "sync/atomic"

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
