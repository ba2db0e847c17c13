package explore

import (
	"math/bits"
	"slices"
)

// digitBits is the width of a digit of sortIDs: the counters of all digits fit a first-level cache.
const digitBits = 11

// sortIDs sorts state IDs, or other numbers, with room for as many: it returns them sorted in one of the two. It is a
// radix sort from the last digit in which some differ.
func sortIDs(ids, room []uint64) (sorted, other []uint64) {
	if len(ids) < 1<<digitBits {
		slices.Sort(ids)
		return ids, room
	}
	differ := uint64(0)
	for _, x := range ids {
		differ |= x ^ ids[0]
	}
	room = slices.Grow(room[:0], len(ids))[:len(ids)]
	for shift := bits.TrailingZeros64(differ); differ>>shift != 0; shift += digitBits {
		if differ>>shift%(1<<digitBits) == 0 {
			continue
		}
		var next [1 << digitBits]int
		for _, x := range ids {
			next[x>>shift%(1<<digitBits)]++
		}
		at := 0
		for i, n := range next {
			next[i] = at
			at += n
		}
		for _, x := range ids {
			to := &next[x>>shift%(1<<digitBits)]
			room[*to] = x
			*to++
		}
		ids, room = room, ids
	}
	return ids, room
}
