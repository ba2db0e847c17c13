package explore

import (
	"slices"

	"ringcheck/explore/internal/tree"
)

// A stage is state IDs that a worker has found recently, on their way to the undecided. As long as they are here, more
// can be put to sleep at them.
type stage struct {
	to     *undecided
	sets   *sleepSets // nil if nothing is asleep
	ids    []tree.StateID
	asleep []tree.Sleep
	keys   []uint64
	ranges []uint16 // of keys
	sorted []uint64 // keys by range
	ends   []int    // of ranges
	// numbers remembers which numbers sets got recently.
	numbers [1 << 10]struct {
		set    tree.Sleep
		number uint16
	}
}

// stagedIDs is how many there are: a few times as many as recent remembers.
const stagedIDs = 1 << 15

func newStage(to *undecided, sets *sleepSets, workers int) *stage {
	n := max(1, min(stagedIDs, int(to.capacity)/(4*workers)))
	return &stage{
		to: to, sets: sets,
		ids: make([]tree.StateID, 0, n), asleep: make([]tree.Sleep, 0, n), ends: make([]int, len(to.ranges)),
	}
}

func (s *stage) bytes() int64 {
	return 8*int64(cap(s.ids)+cap(s.asleep)+cap(s.keys)+cap(s.sorted)+cap(s.ends)) + 2*int64(cap(s.ranges))
}

// add adds state IDs, at which nothing is asleep yet, and returns where it is kept what is.
func (s *stage) add(ids []tree.StateID) []tree.Sleep {
	first := len(s.ids)
	s.ids = append(s.ids, ids...)
	s.asleep = slices.Grow(s.asleep, len(ids))[:len(s.ids)]
	clear(s.asleep[first:])
	return s.asleep[first:]
}

// fits reports whether there is room for n more state IDs.
func (s *stage) fits(n int) bool { return len(s.ids)+n <= cap(s.ids) }

// flush hands everything on to the undecided. It reports whether that was possible: what their packing does not hold
// stays.
func (s *stage) flush() bool {
	u, n, beyond := s.to, 0, 0
	s.keys, s.ranges = s.keys[:0], s.ranges[:0]
	clear(s.ends)
	for i, id := range s.ids {
		if !u.holds(id) {
			u.beyond.Store(id + 1)
			s.ids[beyond], s.asleep[beyond] = id, s.asleep[i]
			beyond++
			continue
		}
		key := u.pack(id, s.number(s.asleep[i]))
		r := u.rangeOf[u.cell(key)]
		s.keys, s.ranges = append(s.keys, key), append(s.ranges, r)
		s.ends[r]++
	}
	s.ids, s.asleep = s.ids[:beyond], s.asleep[:beyond]
	for i, count := range s.ends {
		s.ends[i] = n
		n += count
	}
	s.sorted = slices.Grow(s.sorted[:0], n)[:n]
	for i, key := range s.keys {
		at := &s.ends[s.ranges[i]]
		s.sorted[*at] = key
		*at++
	}
	begin := 0
	for i, end := range s.ends {
		if begin < end {
			u.ranges[i].add(s.sorted[begin:end], &u.chunks)
		}
		begin = end
	}
	u.used.Add(int64(n))
	return beyond == 0
}

// number returns the number of a set.
func (s *stage) number(set tree.Sleep) uint16 {
	if set == 0 || s.sets == nil {
		return 0
	}
	e := &s.numbers[set*0x9e3779b97f4a7c15>>(64-10)]
	if e.set != set {
		e.set, e.number = set, s.sets.number(set)
	}
	return e.number
}
