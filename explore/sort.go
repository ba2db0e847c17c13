package explore

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
)

const (
	fewIDs    = 1 << 14 // are sorted by one goroutine
	veryFew   = 40      // are sorted by insertion
	digitBits = 8
)

// sortIDs sorts state IDs with some goroutines.
func sortIDs(ids []tree.StateID, workers int) { sortTagged(ids, nil, workers) }

// sortTagged sorts state IDs, and tags along with them; there are as many, or none. It is a radix sort in place (American flag
// sort: McIlroy, Bostic, McIlroy 1993), from the first digit in which some state IDs differ.
func sortTagged(ids, tags []uint64, workers int) {
	if workers < 2 || len(ids) < fewIDs {
		radixSort(ids, tags)
		return
	}
	ends := distribute(ids, tags, digit(ids))
	var next atomic.Int64
	var c crew.Crew
	for range workers {
		c.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(ends)); i = next.Add(1) - 1 {
				radixSort(part(ids, tags, ends, int(i)))
			}
		})
	}
	c.Wait()
}

func radixSort(ids, tags []uint64) {
	if len(ids) <= veryFew {
		insertionSort(ids, tags)
		return
	}
	shift := digit(ids)
	ends := distribute(ids, tags, shift)
	if shift == 0 {
		return
	}
	for i := range ends {
		radixSort(part(ids, tags, ends, i))
	}
}

// part returns the state IDs with digit i, and their tags.
func part(ids, tags []uint64, ends [1 << digitBits]int, i int) (r, t []uint64) {
	first := 0
	if i > 0 {
		first = ends[i-1]
	}
	if tags == nil {
		return ids[first:ends[i]], nil
	}
	return ids[first:ends[i]], tags[first:ends[i]]
}

// digit returns by how much a state ID is shifted to the right so that its last bits are the first digit in which some differ.
func digit(ids []uint64) uint {
	differ := uint64(0)
	for _, id := range ids {
		differ |= id ^ ids[0]
	}
	return uint(max(0, bits.Len64(differ)-digitBits))
}

// distribute groups state IDs by a digit, and returns where the state IDs with each end.
func distribute(ids, tags []uint64, shift uint) (ends [1 << digitBits]int) {
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
			if tags != nil {
				tags[at], tags[*to] = tags[*to], tags[at]
			}
			*to++
		}
	}
	return ends
}

func insertionSort(ids, tags []uint64) {
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && ids[j] < ids[j-1]; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
			if tags != nil {
				tags[j], tags[j-1] = tags[j-1], tags[j]
			}
		}
	}
}
