package tree

import (
	"context"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A StateID is a stored state: the numbers of its two halves. No StateID is 2^64-1.
type StateID = uint64

// A Store is a tree database for the states of one system. It is safe for concurrent use by Workers.
type Store struct {
	width      int // slots of the system
	root       *node
	nodes      []*node
	arena      intern.Arena    // the data of spanning groups, and of records that are too long
	halfArenas [2]intern.Arena // the data of such records of the halves
	source     source
	codec      model.Codec  // for a store that is kept for another process, otherwise nil
	check      func() error // see Interrupt

	// What depends on the case, see doc.go.
	newExpander func(w *Worker) expander
	plain       bool    // whether it is the plain case
	sleeps      bool    // see Sleeps
	tabulates   bool    // whether tables of spanning groups have all pairs that are met
	caseArrays  []array // of the case

	cacheSize  int          // the number of entries of a worker's cache for one node
	cacheBytes atomic.Int64 // the memory of all caches
	answers    atomic.Int64 // the memory of the answers of the system to workers
	economized int          // the number of calls of Economize
}

// A source is the system whose transitions the nodes store, each with a tag.
type source struct {
	model.System
	groups       []model.Group
	idler        model.Idler   // nil if the system is none
	guarder      model.Guarder // nil if the system tells by no slot
	tag          Tagger
	tagBits      uint        // the number of bits of a tag in a record: narrow or wide
	omitRepeated bool        // whether nodes omit repeated transitions
	repeats      atomic.Bool // whether some tag is marked, see mark
}

// A Tagger returns the tag of a step: always the same one, different ones for steps of different groups. Small numbers
// take less room. Many goroutines call it.
type Tagger func(group int, step model.Step) uint32

// repeated is set in the tags of repeated steps, which are not counted. It is cleared before tags leave the package.
const repeated = 1 << 31

// mark marks the tag of a step if that is repeated.
func (s *source) mark(tag uint32, step model.Step) uint32 {
	if step.Repeated {
		s.repeats.Store(true)
		tag |= repeated
	}
	return tag
}

// labelTag is the Tagger of a system whose labels are tags.
func labelTag(_ int, step model.Step) uint32 { return uint32(step.Label) }

// NewStore returns an empty store for the states of sys. It panics when ctx ends, see package effort. With a tagger, it
// also has the tag of the step by which each successor is reached: see Expansion.Tags. With a codec of the system, it
// can be kept for another process: see AppendPairs.
func NewStore(ctx context.Context, sys model.System, tagger Tagger, codec model.Codec) *Store {
	s := &Store{width: len(sys.Slots()), codec: codec}
	if !s.useRotation(ctx, sys, tagger) && !s.usePermutation(ctx, sys, tagger) &&
		!s.useRepresentatives(ctx, sys, tagger) {
		s.plant(ctx, sys, s.height(), nil)
		s.usePlain(tagger)
	}
	return s
}

// plant makes the tree for the groups of sys, in which no leaf is closer to the root than height. The splits, if there
// are any, say where to divide the slots from first up to end.
func (s *Store) plant(ctx context.Context, sys model.System, height int, splits map[[2]int]int) {
	groups := sys.Groups()
	s.source.System, s.source.groups = sys, groups
	s.source.idler, _ = model.As[model.Idler](sys)
	s.source.guarder, _ = model.As[model.Guarder](sys)
	b := newBuilder(ctx, groups, s.width, splits)
	b.guarder = s.source.guarder
	s.root, s.nodes = b.root(s.width, height), nil
	s.list(s.root)
	for i, n := range []*node{s.root.left, s.root.right} {
		n.half, n.longRecords = true, &s.halfArenas[i]
	}
}

// list numbers the nodes of a subtree.
func (s *Store) list(n *node) {
	n.id, n.longRecords = len(s.nodes), &s.arena
	s.nodes = append(s.nodes, n)
	if n.hasMemos() {
		n.recordLimit = all
	}
	if !n.leaf() {
		s.list(n.left)
		s.list(n.right)
	} else if s.codec != nil {
		n.writtenValues = new(intern.Values[model.Value])
	}
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

// Sleeps reports whether some transitions are ever asleep.
func (s *Store) Sleeps() bool { return s.sleeps }

// Interrupt makes the workers call check every few milliseconds, even within one state; nil ends that. They panic with
// its error, which leaves the store consistent: the data of a number are stored completely or not at all. Interrupt
// must not be called while a worker runs.
func (s *Store) Interrupt(check func() error) { s.check = check }
