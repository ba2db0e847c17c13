package tree

import (
	"math"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A node is a subtree: the slots from first up to end. Their values together have a number: at a leaf the value of its
// slot, 0 if it is empty; an inner node numbers the pairs of its children's numbers from 0.
type node struct {
	id          int // in Store.nodes
	first, end  int
	left, right *node // nil for a leaf

	numberedBy  *node                // the node that numbers the pairs of this node; nil for itself
	members     *members             // of a half of an overlay
	numbers     intern.Numbering     // of pairs; inner nodes only
	half        bool                 // left or right half of the states
	transient   bool                 // whether memos of numbers are not kept: see ExpandOnce
	recordLimit uint32               // the numbers below have records
	records     intern.Array[record] // below recordLimit; only where they have data, except in halves
	pairs       intern.Array[uint64] // the pairs of the numbers whose pairs are not in records
	longRecords *intern.Arena        // the data of records that are too long

	writtenValues   *intern.Values[model.Value] // of a leaf: its values in pairs that have been written
	groups          []int                       // the groups of a leaf
	tabulatedGroups []*spanningGroup            // of the groups that span both children
	directGroups    []*spanningGroup            // the other groups that span both children
	expansions      atomic.Int64                // how often the transitions of a number were computed
	projections     []projection                // of the parent's tabulated groups on this node, in their order
	projectionSlots []int                       // of each projection: its slot, -1 if it has several
	guards          []guard                     // of each projection
	hasGroups       bool                        // whether some group lies within this subtree
}

func (n *node) leaf() bool { return n.left == nil }

// empty reports whether n is a leaf without a slot, which exists because an inner node has two children.
func (n *node) empty() bool { return n.first == n.end }

// hasMemos reports whether numbers of n have memos.
func (n *node) hasMemos() bool { return n.hasGroups || len(n.projections) > 0 }

// all is the value of node.recordLimit for all numbers; it is not a number itself.
const all = math.MaxUint32

// number returns the number of a pair of an inner node.
func (n *node) number(pair uint64) uint32 {
	if n.numberedBy != nil {
		return n.numberedBy.number(pair)
	}
	if k, ok := n.numbers.Load(pair); ok {
		return k
	}
	return n.numbers.LoadOrCreate(pair, func(k uint32) {
		if n.pairInRecord(k) {
			n.records.At(k).pair = pair
		} else {
			*n.pairs.At(k) = pair
		}
	})
}

// pairInRecord reports whether the pair of a number is in its record. Nearly every half is expanded, and then its pair
// and its other data are read together. Many numbers of other nodes are never read again, so they get no records.
func (n *node) pairInRecord(number uint32) bool {
	return n.half && number < n.recordLimit && n.numberedBy == nil
}

func (n *node) pair(number uint32) uint64 {
	if n.numberedBy != nil {
		return n.numberedBy.pair(number)
	}
	if n.pairInRecord(number) {
		return n.records.At(number).pair
	}
	return *n.pairs.At(number)
}

// record returns the record of a number, or nil if it has none.
func (n *node) record(number uint32) *record {
	if number < n.recordLimit {
		return n.records.At(number)
	}
	return nil
}

// touch reads from the record of a number, or from its pair if it has none: see intern.NumberingView.Touch.
func (n *node) touch(number uint32, r *record) uint32 {
	switch {
	case r != nil:
		return r.head.Load()
	case n.leaf():
		return 0
	case n.members != nil:
		return n.members.touch(n, number)
	}
	return uint32(n.pair(number))
}

// touchPair reads from the pair of a number.
func (n *node) touchPair(number uint32) uint32 {
	if n.leaf() {
		return 0
	}
	return uint32(n.pair(number))
}

func (n *node) children(number uint32) (left, right uint32) { return intern.Split(n.pair(number)) }

// encode numbers the part of a state that belongs to n.
func (n *node) encode(state []model.Value) uint32 {
	if n.leaf() {
		if n.empty() {
			return 0
		}
		return state[n.first]
	}
	return n.number(intern.Pair(n.left.encode(state), n.right.encode(state)))
}

// decode writes the part of a state with the given number.
func (n *node) decode(number uint32, state []model.Value) {
	if n.leaf() {
		if !n.empty() {
			state[n.first] = number
		}
		return
	}
	l, r := n.children(number)
	n.left.decode(l, state)
	n.right.decode(r, state)
}

func (n *node) bytes() int64 {
	b := n.numbers.Bytes() + n.records.Bytes() + n.pairs.Bytes()
	if n.members != nil {
		b += n.members.entries.Bytes()
	}
	for _, c := range n.tabulatedGroups {
		b += c.bytes()
	}
	if !n.leaf() {
		b += n.left.bytes() + n.right.bytes()
	} else if n.writtenValues != nil {
		b += n.writtenValues.Bytes()
	}
	return b
}
