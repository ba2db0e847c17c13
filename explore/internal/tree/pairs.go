package tree

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ringcheck/internal/intern"
)

// Numbers have no meaning in another Store. To keep state IDs for another process, the caller keeps the pairs of every
// inner node in the order of their numbers; they determine everything else. The children of the root are inner nodes
// then.

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
