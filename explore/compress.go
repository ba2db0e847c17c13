package explore

import (
	"encoding/binary"

	"ringcheck/explore/internal/tree"
)

// A compressedBatch is a batch of a level that has been read. It takes about half the memory: it stores the difference
// of each half from the same half of the previous state, since successive states often share a half.
type compressedBatch struct {
	states int
	data   []byte
}

// compress compresses a batch. It also returns scratch, which it may have enlarged.
func compress(states []tree.StateID, scratch []byte) (compressedBatch, []byte) {
	before := tree.StateID(0)
	scratch = scratch[:0]
	for _, id := range states {
		scratch = binary.AppendVarint(scratch, int64(id>>32)-int64(before>>32))
		scratch = binary.AppendVarint(scratch, int64(uint32(id))-int64(uint32(before)))
		before = id
	}
	return compressedBatch{len(states), append(make([]byte, 0, len(scratch)), scratch...)}, scratch
}

// appendTo appends the states.
func (k compressedBatch) appendTo(states []tree.StateID) []tree.StateID {
	left, right := int64(0), int64(0)
	for data := k.data; len(data) > 0; {
		x, n := binary.Varint(data)
		y, m := binary.Varint(data[n:])
		left, right, data = left+x, right+y, data[n+m:]
		states = append(states, tree.StateID(left)<<32|tree.StateID(right))
	}
	return states
}

// batches returns the batches of a kept level.
func (f *frontier) batches(level int) []batch {
	list := make([]batch, len(f.pastLevels[level]))
	for i, k := range f.pastLevels[level] {
		list[i].states = k.appendTo(make([]tree.StateID, 0, k.states))
	}
	return list
}
