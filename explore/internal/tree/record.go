package tree

import (
	"runtime"
	"sync/atomic"

	"ringcheck/explore/reduction"
)

// A record stores the memo of one number of a node. Expanding a state reads the records of its two halves and little
// else, so two of them fit a cache line: most parts have few moves, and projections are small numbers.
type record struct {
	pair uint64 // of the children's numbers
	// The last byte of head describes inline: 0 if it is empty, busyHead while it is written, longHead if it is the
	// Ref of an encoding in node.longRecords, otherwise the number of moves plus one. The other bytes are the tags of
	// these moves; wide tags continue in the last word.
	head atomic.Uint32
	// inline holds the projections, two to a word, and after them the moves.
	inline [inlineWords]uint32
}

const (
	inlineWords  = 5
	inlineMoves  = 3 // the number of moves whose tags fit into the head
	inlineValues = 4

	narrow = 8                      // bits of a tag
	wide   = reduction.SleepTagBits // bits of a tag that is a label

	busyHead = 0xff
	longHead = 0xfe
)

// publish writes the record of a number of n, and returns its head. If another worker is writing the same record, it
// waits.
func (w *Worker) publish(n *node, number uint32, r *record, encoding []uint32) uint32 {
	var packed record
	head, ok := packed.pack(encoding, len(n.projections), w.source.tagBits)
	if !ok {
		// Do this before the record is busy: a panic must not leave other workers waiting.
		head = longHead
		packed.inline[0] = w.addLong(n, encoding)
	}
	if r.head.CompareAndSwap(0, busyHead) {
		if !n.leaf() && !n.pairInRecord(number) {
			r.pair = n.pair(number)
		}
		r.inline = packed.inline
		r.head.Store(head)
	}
	for r.head.Load() == busyHead {
		runtime.Gosched()
	}
	return r.head.Load()
}

// pack fills r.inline, if that is possible.
func (r *record) pack(encoding []uint32, projections int, tagBits uint) (head uint32, ok bool) {
	moves := (len(encoding) - projections) / 2
	first := (projections + 1) / 2
	words := inlineWords
	if tagBits == wide {
		words--
	}
	if projections > inlineValues || moves > inlineMoves || first+moves > words {
		return 0, false
	}
	head = uint32(moves + 1)
	for i, v := range encoding[:projections] {
		if v == barred {
			v = packedBarred
		} else if v >= packedBarred {
			return 0, false
		}
		r.inline[i/2] |= v << (i % 2 * 16)
	}
	copy(r.inline[first:], encoding[projections:projections+moves])
	tags := uint64(0)
	for i, tag := range encoding[projections+moves:] {
		if tag>>tagBits != 0 {
			return 0, false
		}
		tags |= uint64(tag) << (uint(i) * tagBits)
	}
	if tagBits == wide {
		r.inline[inlineWords-1] = uint32(tags >> 24)
	}
	return head | uint32(tags)<<8, true
}
