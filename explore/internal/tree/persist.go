package tree

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ringcheck/internal/intern"
)

// The numbers of an inner node mean something to the Store that gave them out only. To keep roots for another process is to
// keep the pairs of every inner node in the order of their numbers. Everything else that a Store knows follows from them.

// Sizes returns how many pairs each inner node has numbered, but for the root, in a fixed order of the nodes. Nobody uses
// the store meanwhile.
func (s *Store) Sizes() []uint32 {
	var sizes []uint32
	for _, n := range s.inner() {
		sizes = append(sizes, uint32(n.numbers.Len()))
	}
	return sizes
}

// inner returns the inner nodes below the root, those of a subtree before its own.
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

// AppendPairs appends the pairs of an inner node with the numbers from first up to end, encoded.
func (s *Store) AppendPairs(b []byte, node int, first, end uint32) []byte {
	n := s.inner()[node]
	for i := first; i < end; i++ {
		left, right := n.children(i)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(left)), uint64(right))
	}
	return b
}

// ErrPairs means that pairs are not those of this store, or come in another order.
var ErrPairs = errors.New("the pairs of a tree do not fit")

// Restore numbers pairs of an inner node of a store, which has numbered all those before, and all those of the nodes
// before, and nothing else.
func (s *Store) Restore(node int, pairs []byte) error {
	n := s.inner()[node]
	for len(pairs) > 0 {
		left, k := binary.Uvarint(pairs)
		if k <= 0 {
			return ErrPairs
		}
		right, m := binary.Uvarint(pairs[k:])
		if m <= 0 || left >= 1<<32 || right >= 1<<32 || !n.left.holds(left) || !n.right.holds(right) {
			return ErrPairs
		}
		pairs = pairs[k+m:]
		want := uint32(n.numbers.Len())
		if got := n.number(intern.Pair(uint32(left), uint32(right))); got != want {
			return fmt.Errorf("%w: one has got number %d in place of %d", ErrPairs, got, want)
		}
	}
	return nil
}

// holds reports whether number can be one of n: children are restored before, or it is the value of a slot.
func (n *node) holds(number uint64) bool { return n.leaf() || number < uint64(n.numbers.Len()) }
