package explore

import (
	"encoding/binary"

	"ringcheck/explore/internal/tree"
)

// A keptBatch is some states of a level that was read, with about half the memory: of each half of a state the
// difference from that of the state before, since states that follow one another often have a half in common.
type keptBatch struct {
	states int
	data   []byte
}

// keepBatch compresses a batch; room is for its result, before that is copied.
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

// batches returns the states of a level that was kept.
func (f *frontier) batches(level int) []batch {
	list := make([]batch, len(f.kept[level]))
	for i, k := range f.kept[level] {
		list[i].states = k.appendTo(make([]tree.StateID, 0, k.states))
	}
	return list
}
