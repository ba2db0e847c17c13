package diagram

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// A Node is a set of vectors, see the package comment.
type Node uint32

// The sets without levels.
const (
	Empty  Node = 0 // no vector
	Accept Node = 1 // the vector of length 0
)

// firstUnit is the least number of a node with arcs: all but Empty and Accept.
const firstUnit = 2

// An Arc leads from a node, by a value, to the set of the vectors that can follow that value.
type Arc struct {
	Value uint32
	To    Node
}

// Sizes in bytes.
const (
	unitBytes  = int(unsafe.Sizeof(Arc{}))
	entryBytes = int(unsafe.Sizeof(entry{}))
)

// A Store holds the nodes of diagrams.
type Store struct {
	units []Arc    // nodes: {length, hash}, arcs; most of the reserved memory may be unused
	table []uint64 // unique table: hash<<32 | node, 0 if free
	cache []entry
	marks []uint64 // a bit for each unit, while garbage is collected
	free  func()   // frees all these
	shape shape

	pins  map[Node]int // by node: how often it was pinned
	stack              // what running operations protect

	heap   heap
	halted atomic.Bool // operations return subsets
	full   atomic.Bool // and that is because memory did not suffice

	made    int          // the number of nodes in the store, including garbage
	peak    int64        // the maximum number of nodes so far
	rebuilt int          // how often the unique table was rebuilt
	nodes   atomic.Int64 // made and the bytes in use, as last published
	bytes   atomic.Int64
}

// New returns a store of at most the given number of bytes, which are allocated as needed. The caller closes it.
func New(memory uint64) *Store {
	s := &Store{shape: newShape(memory), pins: make(map[Node]int)}
	var free [4]func()
	s.units, free[0] = largepage.Map[Arc](s.shape.units)
	s.marks, free[3] = largepage.Map[uint64](s.shape.units/64 + 1)
	s.table, free[1] = largepage.Map[uint64](s.shape.table)
	s.cache, free[2] = largepage.Map[entry](s.shape.cache)
	s.table, s.cache = s.table[:min(firstTable, s.shape.table)], s.cache[:min(firstCache, s.shape.cache)]
	s.free = func() {
		for _, f := range free {
			f()
		}
	}
	s.heap.next = firstUnit
	s.heap.soft = (s.shape.units - s.shape.reserve) / 4
	s.publish()
	return s
}

// Close frees the memory. Afterwards the store and its nodes must not be used.
func (s *Store) Close() { s.free() }

// A shape is the division of the memory of a store.
type shape struct {
	units   int // of nodes
	reserve int // of these, reserved for nodes that a halted store still creates
	table   int // the maximum number of slots, a power of two
	cache   int // the maximum number of entries, a power of two
}

// The initial sizes of a store.
const (
	firstTable = 1 << 16
	firstCache = 1 << 18
)

// newShape gives half of the memory to nodes, up to an eighth to the unique table (a node has four units or more on
// average), and up to a quarter to the cache.
func newShape(memory uint64) shape {
	const maxUnits = 1<<32 - 1 // the range of a Node
	memory = max(memory, 1<<16)
	s := shape{
		units: int(min(memory/2/uint64(unitBytes), maxUnits)),
		table: floorPower(memory / 8 / 8),
		cache: floorPower(memory / 4 / uint64(entryBytes)),
	}
	s.reserve = s.units / 16
	return s
}

func floorPower(n uint64) int { return 1 << (bits.Len64(max(n, 1)) - 1) }

// Arcs returns the arcs of a node, ascending by value. The caller does not change them; they stay as they are as long
// as the node is protected.
func (s *Store) Arcs(n Node) []Arc {
	if n < firstUnit {
		return nil
	}
	length := uint32(s.units[n].Value)
	return s.units[n+1 : n+1+Node(length) : n+1+Node(length)]
}

// mix is a step of a hash: both halves of a product depend on all bits of the factors.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

func hashArcs(arcs []Arc) uint32 {
	h := uint64(len(arcs)) * 0x2545f4914f6cdd1d
	for _, a := range arcs {
		h = mix(h, uint64(a.Value)<<32|uint64(a.To))
	}
	return uint32(h >> 32)
}

// slot returns the index at which the search for a hash begins, in a table of 2^k slots.
func slot(hash uint32, size int) int { return int(hash*0x9e3779b1) & (size - 1) }

// find returns the node with these arcs. If no node has them, it returns Empty and the free slot for a new node.
func (s *Store) find(hash uint32, arcs []Arc) (Node, int) {
	mask := len(s.table) - 1
	for i := slot(hash, len(s.table)); ; i = (i + 1) & mask {
		e := s.table[i]
		if e == 0 {
			return Empty, i
		}
		if uint32(e>>32) == hash && slices.Equal(s.Arcs(Node(uint32(e))), arcs) {
			return Node(uint32(e)), i
		}
	}
}

// enter inserts a node that is not in the unique table.
func (s *Store) enter(n Node) {
	hash := uint32(s.units[n].To)
	mask := len(s.table) - 1
	i := slot(hash, len(s.table))
	for s.table[i] != 0 {
		i = (i + 1) & mask
	}
	s.table[i] = uint64(hash)<<32 | uint64(n)
}

// Pin protects a node until it is unpinned as often as it was pinned.
func (s *Store) Pin(n Node) Node {
	s.pins[n]++
	return n
}

// Unpin undoes one call of Pin.
func (s *Store) Unpin(n Node) {
	if s.pins[n]--; s.pins[n] <= 0 {
		delete(s.pins, n)
	}
}

// Halt makes all operations end soon. Any goroutine may call it.
func (s *Store) Halt() { s.halted.Store(true) }

// Halted reports whether operations return subsets of the correct results.
func (s *Store) Halted() bool { return s.halted.Load() }

// Full reports whether the store was halted because its memory did not suffice.
func (s *Store) Full() bool { return s.full.Load() }

// Nodes returns a recent number of nodes, including garbage. Any goroutine may call it.
func (s *Store) Nodes() int64 { return s.nodes.Load() }

// Peak returns the maximum number of nodes so far, including garbage.
func (s *Store) Peak() int64 {
	s.publish()
	return s.peak
}

// Bytes returns the memory that was recently in use, for nodes and tables. Any goroutine may call it.
func (s *Store) Bytes() int64 { return s.bytes.Load() }
