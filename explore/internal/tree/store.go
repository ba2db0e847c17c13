package tree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A StateID is a stored state: the numbers of its two halves. No StateID is 2^64-1.
type StateID = uint64

// A Store is a tree database for the states of one system. It is safe for concurrent use by Workers.
type Store struct {
	sys    model.System
	groups []model.Group
	width  int // slots of the system
	root   *node
	nodes  []*node
	arena  intern.Arena    // the data of spanning groups, and of records that are too long
	lists  [2]intern.Arena // the data of such records of the halves
	sleeping
	codec   model.Codec  // for a store that is kept for another process, otherwise nil
	tagger  Tagger       // nil if the tags of moves are the classes of groups
	set     bool         // whether transitions are only counted, and repeated ones left out
	repeats atomic.Bool  // whether some tag is one of a repeated step
	tagBits uint         // the number of bits of a tag in a record
	check   func() error // see Interrupt
	ring    *ring        // nil unless the system is a quotient by rotation
	representation

	cacheSize  int          // the number of entries of a worker's cache for one node
	cacheBytes atomic.Int64 // the memory of all caches
	answers    atomic.Int64 // the memory of the answers of the system to workers
	economized int          // the number of calls of Economize
}

// A Tagger returns the tag of a step: always the same one, different ones for steps of different groups. Small numbers
// take less room. Many goroutines call it.
type Tagger func(group int, step model.Step) uint32

// NewStore returns an empty store for the states of sys. It panics when ctx ends, see package effort. With a tagger, it
// also has the tag of the step by which each successor is reached: see Expansion.Tags. With a codec of the system, it
// can be kept for another process: see AppendPairs.
func NewStore(ctx context.Context, sys model.System, tagger Tagger, codec model.Codec) *Store {
	s := &Store{sys: sys, width: len(sys.Slots()), codec: codec, set: tagger == nil, tagBits: narrow}
	if tagger != nil {
		s.tagger = s.marking(tagger)
	}
	if !s.rotate(ctx) && !s.represent(ctx) {
		s.buildTree(ctx, sys)
	}
	s.complete()
	return s
}

// complete does what remains when the tree has been planted.
func (s *Store) complete() {
	s.list(s.root)
	for i, n := range []*node{s.root.left, s.root.right} {
		n.half, n.long = true, &s.lists[i]
	}
	s.sleeping = newSleeping(s.root, s.groups)
}

// repeated is set in the tags of repeated steps, which are not counted. It is cleared before tags leave the package.
const repeated = 1 << 31

// marking returns a tagger that marks the tags of repeated steps.
func (s *Store) marking(tagger Tagger) Tagger {
	return func(group int, step model.Step) uint32 {
		tag := tagger(group, step)
		if step.Repeated {
			s.repeats.Store(true)
			tag |= repeated
		}
		return tag
	}
}

// buildTree builds the tree for the groups of sys.
func (s *Store) buildTree(ctx context.Context, sys model.System) {
	s.groups = sys.Groups()
	b := builder{groups: s.groups, effort: effort.Effort{Context: ctx}}
	s.root = b.root(s.width, s.height())
}

// height is the minimum number of levels above the leaves. It is 2 in a store that another process reads: state IDs
// must not contain values of slots, which have no meaning there.
func (s *Store) height() int {
	if s.codec != nil {
		return 2
	}
	return 1
}

// Split returns the number of slots of the left half of a state.
func (s *Store) Split() int { return s.root.left.end }

// Need returns the memory of a store without states.
func Need(sys model.System) int64 {
	nodes := 2*int64(len(sys.Slots())) - 1
	return nodes*int64(unsafe.Sizeof(node{})) + int64(len(sys.Groups()))*int64(unsafe.Sizeof(spanningGroup{}))
}

// Interrupt makes the workers call check every few milliseconds, even within one state; nil ends that. They panic with
// its error, which leaves the store consistent: the data of a number are stored completely or not at all. Interrupt
// must not be called while a worker runs.
func (s *Store) Interrupt(check func() error) { s.check = check }

// list numbers the nodes of a subtree.
func (s *Store) list(n *node) {
	n.id, n.long = len(s.nodes), &s.arena
	s.nodes = append(s.nodes, n)
	if n.recorded() {
		n.recordLimit = all
	}
	if !n.leaf() {
		s.list(n.left)
		s.list(n.right)
	} else if s.codec != nil {
		n.writtenValues = new(intern.Values[model.Value])
	}
}

// Bytes returns the memory of the stored states and all data about them. The state IDs themselves are held by the
// caller.
func (s *Store) Bytes() int64 {
	arenas := s.arena.Bytes() + s.lists[0].Bytes() + s.lists[1].Bytes()
	return s.root.bytes() + arenas + s.cacheBytes.Load() + s.answers.Load() + s.ring.bytes()
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
	if s.ring != nil {
		do(&s.ring.left)
		do(&s.ring.right)
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

// Numbers have no meaning in another Store. To keep state IDs for another process, the pairs of every inner node are
// kept in the order of their numbers; they determine everything else. The children of the root are inner nodes then.

// Sizes returns the number of pairs of each inner node except the root, in a fixed order of the nodes. The store must
// not be used concurrently.
func (s *Store) Sizes() []uint32 {
	var sizes []uint32
	for _, n := range s.inner() {
		sizes = append(sizes, uint32(n.numbers.Len()))
	}
	return sizes
}

// inner returns the inner nodes below the root in postorder.
func (s *Store) inner() []*node {
	var all []*node
	var add func(n *node)
	add = func(n *node) {
		if !n.leaf() {
			add(n.left)
			add(n.right)
			all = append(all, n)
		}
	}
	add(s.root.left)
	add(s.root.right)
	return all
}

// AppendPairs appends the pairs of an inner node with the numbers from first up to end, encoded. It must be called once
// for each number, in ascending order: the encoding of a leaf's value is written only the first time.
func (s *Store) AppendPairs(b []byte, node int, first, end uint32) []byte {
	n := s.inner()[node]
	for i := first; i < end; i++ {
		left, right := n.children(i)
		b = s.appendPart(s.appendPart(b, n.left, left), n.right, right)
	}
	return b
}

func (s *Store) appendPart(b []byte, n *node, number uint32) []byte {
	if !n.leaf() || n.empty() {
		return binary.AppendUvarint(b, uint64(number))
	}
	known := n.writtenValues.Len()
	place := n.writtenValues.Number(number)
	b = binary.AppendUvarint(b, uint64(place))
	if int(place) == known {
		b = s.codec.AppendSlot(b, n.first, number)
	}
	return b
}

// ErrPairs means that pairs do not belong to this store, or are in another order.
var ErrPairs = errors.New("the pairs of a tree do not fit")

// Restore numbers pairs of an inner node. All earlier pairs of this node and all pairs of earlier nodes must have
// numbers, and no others.
func (s *Store) Restore(node int, pairs []byte) (err error) {
	n := s.inner()[node]
	for len(pairs) > 0 {
		var left, right uint32
		if left, pairs, err = s.readPart(n.left, pairs); err != nil {
			return err
		}
		if right, pairs, err = s.readPart(n.right, pairs); err != nil {
			return err
		}
		want := uint32(n.numbers.Len())
		if got := n.number(intern.Pair(left, right)); got != want {
			return fmt.Errorf("%w: one has got number %d in place of %d", ErrPairs, got, want)
		}
	}
	return nil
}

// readPart reverses appendPart.
func (s *Store) readPart(n *node, data []byte) (number uint32, rest []byte, err error) {
	place, k := binary.Uvarint(data)
	if k <= 0 {
		return 0, nil, ErrPairs
	}
	data = data[k:]
	known := n.numbers.Len()
	if n.leaf() {
		known = n.writtenValues.Len()
	}
	switch {
	case n.empty() && place == 0, !n.leaf() && place < uint64(known):
		return uint32(place), data, nil
	case n.empty(), place > uint64(known), !n.leaf():
		return 0, nil, ErrPairs
	case place < uint64(known):
		return *n.writtenValues.At(uint32(place)), data, nil
	}
	value, rest, err := s.codec.DecodeSlot(n.first, data)
	if err == nil && n.writtenValues.Number(value) != uint32(place) {
		err = ErrPairs
	}
	return value, rest, err
}
