package visited

import "sync/atomic"

// Contains reports whether id is in the set.
func (s *Set) Contains(id uint64) bool {
	if !s.contains(id) {
		return false
	}
	shard, home, remainder := s.locate(s.hash(id))
	_, _, ok := s.shards[shard].locate(home, remainder)
	return ok
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
