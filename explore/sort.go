package explore

import (
	"math/bits"
	"slices"
)

const (
	veryFew   = 40 // are sorted by insertion
	digitBits = 8
)

// radixSort sorts state IDs, or other numbers, in place (American flag sort: McIlroy, Bostic, McIlroy 1993), from the
// first digit in which some differ.
func radixSort(ids []uint64) {
	if len(ids) <= veryFew {
		insertionSort(ids)
		return
	}
	shift := digit(ids)
	ends := distribute(ids, shift)
	if shift == 0 {
		return
	}
	for i := range ends {
		radixSort(part(ids, ends, i))
	}
}

// part returns the state IDs with digit i.
func part(ids []uint64, ends [1 << digitBits]int, i int) []uint64 {
	if i == 0 {
		return ids[:ends[0]]
	}
	return ids[ends[i-1]:ends[i]]
}

// digit returns by how much a state ID is shifted to the right so that its last bits are the first digit in which some
// differ.
func digit(ids []uint64) uint {
	differ := uint64(0)
	for _, id := range ids {
		differ |= id ^ ids[0]
	}
	return uint(max(0, bits.Len64(differ)-digitBits))
}

// distribute groups state IDs by a digit, and returns where the state IDs with each end.
func distribute(ids []uint64, shift uint) (ends [1 << digitBits]int) {
	for _, id := range ids {
		ends[uint8(id>>shift)]++
	}
	var next [1 << digitBits]int
	n := 0
	for i := range ends {
		next[i] = n
		n += ends[i]
		ends[i] = n
	}
	for i := range ends {
		for next[i] < ends[i] {
			at := next[i]
			to := &next[uint8(ids[at]>>shift)]
			ids[at], ids[*to] = ids[*to], ids[at]
			*to++
		}
	}
	return ends
}

func insertionSort(ids []uint64) {
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && ids[j] < ids[j-1]; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}

// sortSome sorts numbers that fit a second-level cache, with room for as many: it returns them sorted in one of the
// two. It is a radix sort from the last digit in which some differ, which is a third of the work of one in place.
func sortSome(numbers, room []uint64) (sorted, other []uint64) {
	if len(numbers) < 1<<shortBits {
		slices.Sort(numbers)
		return numbers, room
	}
	differ := uint64(0)
	for _, x := range numbers {
		differ |= x ^ numbers[0]
	}
	room = slices.Grow(room[:0], len(numbers))[:len(numbers)]
	for shift := bits.TrailingZeros64(differ); differ>>shift != 0; shift += shortBits {
		var next [1 << shortBits]int32
		for _, x := range numbers {
			next[x>>shift%(1<<shortBits)]++
		}
		at := int32(0)
		for i, n := range next {
			next[i] = at
			at += n
		}
		for _, x := range numbers {
			to := &next[x>>shift%(1<<shortBits)]
			room[*to] = x
			*to++
		}
		numbers, room = room, numbers
	}
	return numbers, room
}

// shortBits is the width of a digit of sortSome: the counters of all digits fit a first-level cache.
const shortBits = 11
