package explore

import (
	"encoding/binary"

	"ringcheck/explore/internal/tree"
)

// A keptBatch is a compressed batch of a level that has been read. It takes about half the memory: it stores the
// difference of each half from the same half of the previous state, since successive states often share a half.
type keptBatch struct {
	states int
	data   []byte
}

// keepBatch compresses a batch; room is scratch space.
func keepBatch(states []tree.StateID, room []byte) (keptBatch, []byte) {
	before := tree.StateID(0)
	room = room[:0]
	for _, id := range states {
		room = binary.AppendVarint(room, int64(id>>32)-int64(before>>32))
		room = binary.AppendVarint(room, int64(uint32(id))-int64(uint32(before)))
		before = id
	}
	return keptBatch{len(states), append(make([]byte, 0, len(room)), room...)}, room
}

// appendTo appends the states.
func (k keptBatch) appendTo(states []tree.StateID) []tree.StateID {
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
	list := make([]batch, len(f.kept[level]))
	for i, k := range f.kept[level] {
		list[i].states = k.appendTo(make([]tree.StateID, 0, k.states))
	}
	return list
}
