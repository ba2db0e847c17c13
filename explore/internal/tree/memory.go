package tree

import (
	"math/bits"
	"unsafe"

	"ringcheck/model"
)

// Need returns the memory of a store without states.
func Need(sys model.System) int64 {
	nodes := 2*int64(len(sys.Slots())) - 1
	return nodes*int64(unsafe.Sizeof(node{})) + int64(len(sys.Groups()))*int64(unsafe.Sizeof(spanningGroup{}))
}

// Bytes returns the memory of the stored states and all data about them. The state IDs themselves are held by the
// caller.
func (s *Store) Bytes() int64 {
	bytes := s.root.bytes() + s.arena.Bytes() + s.halfArenas[0].Bytes() + s.halfArenas[1].Bytes()
	for _, a := range s.caseArrays {
		bytes += a.Bytes()
	}
	return bytes + s.cacheBytes.Load() + s.answers.Load()
}

// Copies returns the part of Bytes that the copies of tables of numbers take while these grow: see intern.Numbering.
func (s *Store) Copies() (bytes int64) {
	for _, n := range s.nodes {
		bytes += n.numbers.Copies()
	}
	return bytes
}

// An array is an intern.Array that can be outside the Go heap.
type array interface {
	Bytes() int64
	Map()
	Mapped() int64
	Release()
}

// arrays calls do with the arrays of the store.
func (s *Store) arrays(do func(array)) {
	for _, n := range s.nodes {
		do(&n.records)
		do(&n.pairs)
	}
	for _, a := range s.caseArrays {
		do(a)
	}
}

// Map places the parts and their data outside the Go heap, without garbage collection. It is called before the first
// state; Close frees the memory.
func (s *Store) Map() { s.arrays(array.Map) }

// MappedBytes returns the part of Bytes that is outside the Go heap.
func (s *Store) MappedBytes() (bytes int64) {
	s.arrays(func(a array) { bytes += a.Mapped() })
	return bytes
}

// Close frees the memory of a Store on which Map was called. Neither the Store nor its workers may be used afterwards.
func (s *Store) Close() { s.arrays(array.Release) }

// Bound limits the memory for records, which are most of a store: to a quarter of the given bytes for each node, and
// the workers' caches for other numbers to a 64th. Two nodes, the halves of the states, have most of the numbers.
// Dropped data are computed again. Bound is called before the store is used.
func (s *Store) Bound(bytes int64, workers int) {
	perNode := bytes / 4
	for _, n := range s.nodes {
		if n.hasMemos() && !n.leaf() && !n.transient {
			n.recordLimit = uint32(min(perNode/recordBytes, all))
		}
	}
	s.cacheSize = 1 << (bits.Len64(uint64(max(1, perNode/16/entryBytes/int64(workers)))) - 1)
}

// ExpandOnce says that each state is expanded once. Where no group has slots of the other half, each memo of a half
// would be used once, and s does not keep them. ExpandOnce is called before the store is used.
func (s *Store) ExpandOnce() {
	if !s.plain || len(s.root.tabulatedGroups)+len(s.root.directGroups) > 0 {
		return
	}
	for n, other := range map[*node]*node{s.root.left: s.root.right, s.root.right: s.root.left} {
		if n.hasMemos() && !other.hasMemos() && n.members == nil {
			n.transient, n.recordLimit = true, 0
		}
	}
}

// Economize makes the store take less memory, and more time: the first time nodes with many numbers compact them, and
// make no more records; the second time the records of the halves go. Dropped data are computed again, as beyond the
// limit of Bound, which was called before. It reports whether it has done anything. The store must not be used
// concurrently.
func (s *Store) Economize() bool {
	done := s.economized
	s.economized++
	for _, n := range s.nodes {
		switch {
		case n.leaf() || done == 0 && n.numbers.Len() < fewNumbers && !n.half:
		case done == 0:
			n.numbers.Compact(n.pair)
			if n.hasMemos() {
				n.recordLimit = min(n.recordLimit, uint32(n.numbers.Len()))
			}
		case done == 1 && n.half && n.hasMemos():
			n.forget()
		}
	}
	return done < 2
}

// fewNumbers take little memory: a node with fewer, unless it is a half, is not compacted.
const fewNumbers = 1 << 12

// forget drops the records of n except the pairs.
func (n *node) forget() {
	for i := range n.recordLimit {
		*n.pairs.At(i) = n.pair(i)
	}
	n.recordLimit = 0
	n.records.Release()
	n.longRecords.Release()
}
