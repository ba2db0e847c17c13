package symbolic

import (
	"slices"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A relation is the known transitions of a group over short vectors: the values of its slots, in the order of the
// levels of the diagram. The system is asked for the transitions of a vector when the first state with it is found.
//
// A prefix of a short vector has a number: if its length is 1, its value, otherwise the number of the pair of the next
// shorter prefix and the last value. A row, the transitions from one short vector, is found by the prefix before the
// last slot and the value of that slot.
type relation struct {
	first  int // the number of its first depth, counting the depths of all relations
	group  int
	levels []int // ascending
	slots  []int // by depth: the index among the group's slots

	prefixes intern.Pairs // of short vectors before a transition
	targets  intern.Pairs // of short vectors after a transition
	rows     intern.Map   // intern.Pair(prefix, value) → the position of the row in search.rows

	keys     []uint64     // the keys of rows
	keyCount atomic.Int64 // the length of keys

	inverse *inverse // nil until it is needed
	kinds   *kinds   // nil until they are needed
}

// newRelation returns the relation of a group, given the level of each slot and how many slots the relations before it
// have.
func newRelation(first, group int, g model.Group, level []int) *relation {
	r := &relation{first: first, group: group}
	for i := range g.Slots {
		r.slots = append(r.slots, i)
	}
	slices.SortFunc(r.slots, func(a, b int) int { return level[g.Slots[a]] - level[g.Slots[b]] })
	for _, i := range r.slots {
		r.levels = append(r.levels, level[g.Slots[i]])
	}
	return r
}

// A row is the transitions from a short vector: their number, and their distinct targets except the vector itself. A
// target is the number of a prefix and the value of the last slot.
type row struct {
	transitions uint32
	targets     []uint32 // prefix, value, prefix, value, …
}

// last returns the depth of the last slot.
func (r *relation) last() int { return len(r.levels) - 1 }

// extend returns the number of a prefix that is longer by the slot at a depth.
func extend(numbers *intern.Pairs, depth int, prefix, value uint32) uint32 {
	if depth == 0 {
		return value
	}
	return numbers.Number(intern.Pair(prefix, value))
}

// split is the inverse of extend.
func split(numbers *intern.Pairs, depth int, prefix uint32) (shorter, value uint32) {
	if depth == 0 {
		return 0, prefix
	}
	return intern.Split(numbers.At(prefix))
}

// row returns the transitions of the short vector with a prefix and a last value, which it computes if they are
// unknown.
func (s *search) row(r *relation, prefix, value uint32) row {
	key := intern.Pair(prefix, value)
	ref, ok := r.rows.Load(key)
	if !ok {
		if ref, ok = s.computeRow(r, key); !ok {
			return row{}
		}
	}
	run := s.rows.At(ref)
	return row{transitions: run[0], targets: run[2 : 2+2*run[1]]}
}

// computeRow computes a row by asking the system. It returns false after an error, which ends the search.
func (s *search) computeRow(r *relation, key uint64) (intern.Ref, bool) {
	from := s.shortVector(r, key)
	in := make([]model.Value, len(from))
	for d, v := range from {
		in[r.slots[d]] = v
	}
	if err := model.Ask(s.sys, r.group, in, &s.out); err != nil {
		s.fail(err)
		return 0, false
	}
	run := []uint32{s.distinct(), 0}
	to := make([]model.Value, len(from))
	for i := range s.out.Len() {
		values := s.out.Values(i)
		for d := range to {
			to[d] = values[r.slots[d]]
		}
		if slices.Equal(from, to) {
			continue
		}
		prefix := uint32(0)
		for d, v := range to[:r.last()] {
			prefix = extend(&r.targets, d, prefix, v)
		}
		if last := to[r.last()]; !(row{targets: run[2:]}).leads(prefix, last) {
			run = append(run, prefix, last)
		}
	}
	run[1] = uint32(len(run)-2) / 2
	r.keys = append(r.keys, key)
	r.keyCount.Add(1)
	return r.rows.LoadOrStore(key, s.rows.Add(run)), true
}

// distinct returns the number of distinct transitions that the system returned.
func (s *search) distinct() uint32 {
	n := uint32(0)
	for i := range s.out.Len() {
		if !s.out.Step(i).Repeated {
			n++
		}
	}
	return n
}

// leads reports whether a row has a target.
func (r row) leads(prefix, value uint32) bool {
	for t := r.targets; len(t) > 0; t = t[2:] {
		if t[0] == prefix && t[1] == value {
			return true
		}
	}
	return false
}

// shortVector returns the short vector that a key of rows encodes.
func (s *search) shortVector(r *relation, key uint64) []model.Value {
	from := make([]model.Value, len(r.levels))
	prefix, last := intern.Split(key)
	from[r.last()] = last
	for d := r.last() - 1; d >= 0; d-- {
		prefix, from[d] = split(&r.prefixes, d, prefix)
	}
	return from
}

// bytes returns the memory r holds, in bytes.
func (r *relation) bytes() int64 {
	return r.prefixes.Bytes() + r.targets.Bytes() + r.rows.Bytes() + 16*r.keyCount.Load()
}

// operation returns the number, in the cache, of an operation with r from a depth on.
func (r *relation) operation(p operationKind, depth int) uint32 {
	return firstOfRelations + uint32(operationKinds)*uint32(r.first+depth) + uint32(p)
}
