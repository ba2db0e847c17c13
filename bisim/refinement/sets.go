package refinement

import (
	"slices"
	"sort"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
)

// sets is the specification made deterministic: the sets of states in which it may be after a trace, numbered from 0
// on. A set is closed under τ, unless τ is a label like any other. Only those members are stored that matter beyond
// τ's: those with a visible transition and, for failures, the stable ones.
type sets struct {
	rows
	model      Model
	tick       func()
	divergence divergence

	list    []set
	members []uint32 // of all sets, ascending in each
	slots   []uint32 // a hash table of sets: a number plus one, or 0
	steps   []lts.Edge
	// subsets says of pairs of large sets whether the first is a subset of the second. They are large if both have
	// remember members.
	subsets  map[uint64]bool
	remember uint32

	// For failures.
	offers  offers
	minimal [][]uint32      // by set: the minimal sets of labels that a stable member offers; nil if not known
	permits map[uint64]bool // pairs of a set and of offered labels

	met []bool // by label: whether a transition that was asked for has it

	// Scratch space.
	epoch   uint32
	epochs  []uint32 // by state: the epoch in which it was visited
	queue   []uint32
	scratch []uint32 // of the set under construction
	sorting []lts.Edge
}

// A set is members[first:first+size], with its successors steps[begin-1:end-1] by label; begin is 0 if they are not
// known.
type set struct {
	first      uint64
	sign       uint64 // has a bit for each member, the same one in every set
	size       uint32
	begin, end uint32
}

// chaos is the number of the set after a divergence of the specification, if divergences are compared. It has no
// members.
const chaos = 0

func newSets(b System, model Model, tick func(), hold func(bytes uint64)) *sets {
	const large = 64 // a lookup in the map takes about as long as 64 comparisons of members
	s := &sets{rows: rows{System: b, hold: hold}, model: model, tick: tick, subsets: map[uint64]bool{}, remember: large,
		permits: map[uint64]bool{}}
	s.divergence = divergence{edgesOf: s.edgesOf, tick: tick}
	s.list = append(s.list, set{})
	return s
}

// initial returns the set before any label.
func (s *sets) initial() uint32 {
	return s.close([]uint32{effort.Must(s.Initial())})
}

// of returns the members of a set.
func (s *sets) of(n uint32) []uint32 {
	x := &s.list[n]
	return s.members[x.first : x.first+uint64(x.size)]
}

// next returns the set after a label, and whether some member has a transition with the label.
func (s *sets) next(n uint32, label lts.Label) (uint32, bool) {
	if s.list[n].begin == 0 {
		s.expand(n)
	}
	steps := s.steps[s.list[n].begin-1 : s.list[n].end-1]
	i := sort.Search(len(steps), func(i int) bool { return steps[i].Label >= label })
	if i == len(steps) || steps[i].Label != label {
		return 0, false
	}
	return steps[i].To, true
}

// expand computes the successors of a set.
func (s *sets) expand(n uint32) {
	edges := s.sorting[:0]
	for i := range s.list[n].size {
		s.tick()
		for _, e := range s.edgesOf(s.of(n)[i]) {
			if e.Label != lts.Tau || !s.model.hides() {
				edges = append(edges, e)
			}
			s.meet(e.Label)
		}
	}
	slices.SortFunc(edges, func(x, y lts.Edge) int { return int(int64(x.Label) - int64(y.Label)) })
	s.sorting = edges
	steps := make([]lts.Edge, 0, 8)
	for len(edges) > 0 {
		label, targets := edges[0].Label, []uint32(nil)
		for len(edges) > 0 && edges[0].Label == label {
			targets, edges = append(targets, edges[0].To), edges[1:]
		}
		steps = append(steps, lts.Edge{Label: label, To: s.close(targets)})
	}
	x := &s.list[n]
	x.begin = uint32(len(s.steps)) + 1
	s.steps = append(reserve(s.steps, len(steps), s.hold), steps...)
	x.end = uint32(len(s.steps)) + 1
}

func (s *sets) meet(label lts.Label) {
	for uint32(len(s.met)) <= label {
		s.met = append(s.met, false)
	}
	s.met[label] = true
}

// close returns the set with the given states and all that τ's lead to from there.
func (s *sets) close(states []uint32) uint32 {
	s.epoch++
	s.queue, s.scratch = s.queue[:0], s.scratch[:0]
	for _, b := range states {
		if s.model == FailuresDivergences && s.divergence.has(b) {
			return chaos
		}
		s.mark(b)
	}
	for i := 0; i < len(s.queue); i++ {
		b := s.queue[i]
		if !s.model.hides() {
			s.scratch = append(s.scratch, b)
			continue
		}
		s.tick()
		visible, stable := false, true
		for _, e := range s.edgesOf(b) {
			if e.Label == lts.Tau {
				stable = false
				s.mark(e.To)
			} else {
				visible = true
			}
		}
		if visible || stable && s.model.refuses() {
			s.scratch = append(s.scratch, b)
		}
	}
	slices.Sort(s.scratch)
	return s.number(s.scratch)
}

// mark adds a state to the queue unless it was there in this epoch.
func (s *sets) mark(b uint32) {
	for uint32(len(s.epochs)) <= b {
		s.epochs = append(s.epochs, 0)
	}
	if s.epochs[b] != s.epoch {
		s.epochs[b] = s.epoch
		s.queue = append(s.queue, b)
	}
}

// hashOf returns a hash of the members of a set.
func hashOf(members []uint32) uint64 {
	h := uint64(len(members)) + 1
	for _, b := range members {
		h = (h ^ uint64(b)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}

// number returns the number of the set with some members.
func (s *sets) number(members []uint32) uint32 {
	if 4*len(s.list) >= 3*len(s.slots) {
		s.rehash(max(16, 2*len(s.slots)))
	}
	mask := uint64(len(s.slots) - 1)
	at := hashOf(members) & mask
	for ; s.slots[at] != 0; at = (at + 1) & mask {
		if n := s.slots[at] - 1; slices.Equal(s.of(n), members) {
			return n
		}
	}
	n := uint32(len(s.list))
	x := set{first: uint64(len(s.members)), size: uint32(len(members))}
	for _, b := range members {
		x.sign |= 1 << (b * 0x9e3779b1 >> 26)
	}
	s.members = append(reserve(s.members, len(members), s.hold), members...)
	s.list = append(reserve(s.list, 1, s.hold), x)
	s.slots[at] = n + 1
	return n
}

// rehash makes a hash table with the given number of slots, a power of two. Chaos is not in it.
func (s *sets) rehash(size int) {
	s.hold(4 * uint64(size))
	s.slots = make([]uint32, size)
	mask := uint64(size - 1)
	for n := uint32(chaos + 1); n < uint32(len(s.list)); n++ {
		at := hashOf(s.of(n)) & mask
		for s.slots[at] != 0 {
			at = (at + 1) & mask
		}
		s.slots[at] = n + 1
	}
}

// subset reports whether the members of a set are members of another one.
func (s *sets) subset(n, of uint32) bool {
	x, y := &s.list[n], &s.list[of]
	switch {
	case n == of:
		return true
	case x.size > y.size || x.sign&^y.sign != 0:
		return false
	case x.size+y.size < s.remember:
		return contains(s.of(of), s.of(n))
	}
	pair := intern.Pair(n, of)
	is, known := s.subsets[pair]
	if !known {
		is = contains(s.of(of), s.of(n))
		s.subsets[pair] = is
	}
	return is
}

// contains reports whether all elements of an ascending list are in another one.
func contains(all, some []uint32) bool {
	for _, x := range some {
		if len(all) > 16*len(some) {
			at, found := slices.BinarySearch(all, x)
			if !found {
				return false
			}
			all = all[at:]
			continue
		}
		for len(all) > 0 && all[0] < x {
			all = all[1:]
		}
		if len(all) == 0 || all[0] != x {
			return false
		}
	}
	return true
}

// mapEntry is about the memory of an entry of a map from pairs, in bytes.
const mapEntry = 24

func (s *sets) bytes() uint64 {
	words := cap(s.members) + cap(s.slots) + cap(s.epochs) + cap(s.queue) + cap(s.scratch) + 6*len(s.minimal)
	return s.rows.bytes() + s.divergence.bytes() + 4*uint64(words) + 32*uint64(cap(s.list)) +
		8*uint64(cap(s.steps)+cap(s.sorting)) + mapEntry*uint64(len(s.subsets)+len(s.permits)) + s.offers.bytes
}
