package tree

import (
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Root is a stored state: the numbers of its two halves. No Root is 2^64-1.
type Root = uint64

// A Store is a tree database for the states of one system. It is safe for concurrent use by Workers.
type Store struct {
	sys    model.System
	groups []model.Group
	width  int // slots of the system
	root   *node
	nodes  []*node
	arena  intern.Arena
	sleeping
	steps   *Steps        // nil unless the tags of moves are to be steps
	sleeper model.Sleeper // the system, if it has one group and sleep sets of its own

	cacheSize  int          // entries of a worker's cache for one node
	cacheBytes atomic.Int64 // of all caches
}

// NewStore returns an empty store for the states of sys.
func NewStore(sys model.System) *Store { return newStore(sys, nil) }

// NewSteppedStore returns a store that also knows by which step each successor is reached: see Expansion.Tags.
func NewSteppedStore(sys model.System) (*Store, *Steps) {
	steps := &Steps{numbers: make(map[Step]uint32)}
	return newStore(sys, steps), steps
}

func newStore(sys model.System, steps *Steps) *Store {
	s := &Store{sys: sys, groups: sys.Groups(), width: len(sys.Slots()), steps: steps}
	b := builder{groups: s.groups}
	every := make([]int, len(s.groups))
	for g := range every {
		every[g] = g
	}
	// The root needs two children; a leaf beyond the last slot always holds 0.
	s.root = b.inner(0, max(s.width, 2), every)
	s.list(s.root)
	s.sleeping = newSleeping(s.root, s.groups)
	if len(s.groups) == 1 && len(s.groups[0].Slots) == s.width && s.width > 1 && steps == nil {
		s.sleeper, _ = model.As[model.Sleeper](sys)
	}
	return s
}

// list numbers the nodes of a subtree.
func (s *Store) list(n *node) {
	n.id = len(s.nodes)
	s.nodes = append(s.nodes, n)
	if n.recorded() {
		n.kept = all
	}
	if !n.leaf() {
		s.list(n.left)
		s.list(n.right)
	}
}

// Bytes returns the memory that the stored states and everything remembered about them take. The roots
// themselves are the caller's.
func (s *Store) Bytes() int64 {
	return s.root.bytes() + s.arena.Bytes() + s.cacheBytes.Load() + s.steps.bytes()
}

// Halves returns how many different left and right halves the stored states have.
func (s *Store) Halves() (left, right int) {
	return s.root.left.numbers.Len(), s.root.right.numbers.Len()
}
