package explore

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
)

const (
	fewRoots  = 1 << 14 // are sorted by one goroutine
	veryFew   = 40      // are sorted by insertion
	digitBits = 8
)

// sortRoots sorts roots with some goroutines.
func sortRoots(roots []tree.Root, workers int) { sortTagged(roots, nil, workers) }

// sortTagged sorts roots, and tags along with them; there are as many, or none. It is a radix sort in place (American flag
// sort: McIlroy, Bostic, McIlroy 1993), from the first digit in which some roots differ.
func sortTagged(roots, tags []uint64, workers int) {
	if workers < 2 || len(roots) < fewRoots {
		radixSort(roots, tags)
		return
	}
	ends := distribute(roots, tags, digit(roots))
	var next atomic.Int64
	var c crew.Crew
	for range workers {
		c.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(ends)); i = next.Add(1) - 1 {
				radixSort(part(roots, tags, ends, int(i)))
			}
		})
	}
	c.Wait()
}

func radixSort(roots, tags []uint64) {
	if len(roots) <= veryFew {
		insertionSort(roots, tags)
		return
	}
	shift := digit(roots)
	ends := distribute(roots, tags, shift)
	if shift == 0 {
		return
	}
	for i := range ends {
		radixSort(part(roots, tags, ends, i))
	}
}

// part returns the roots with digit i, and their tags.
func part(roots, tags []uint64, ends [1 << digitBits]int, i int) (r, t []uint64) {
	first := 0
	if i > 0 {
		first = ends[i-1]
	}
	if tags == nil {
		return roots[first:ends[i]], nil
	}
	return roots[first:ends[i]], tags[first:ends[i]]
}

// digit returns by how much a root is shifted to the right so that its last bits are the first digit in which some differ.
func digit(roots []uint64) uint {
	differ := uint64(0)
	for _, r := range roots {
		differ |= r ^ roots[0]
	}
	return uint(max(0, bits.Len64(differ)-digitBits))
}

// distribute groups roots by a digit, and returns where the roots with each end.
func distribute(roots, tags []uint64, shift uint) (ends [1 << digitBits]int) {
	for _, r := range roots {
		ends[uint8(r>>shift)]++
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
			to := &next[uint8(roots[at]>>shift)]
			roots[at], roots[*to] = roots[*to], roots[at]
			if tags != nil {
				tags[at], tags[*to] = tags[*to], tags[at]
			}
			*to++
		}
	}
	return ends
}

func insertionSort(roots, tags []uint64) {
	for i := 1; i < len(roots); i++ {
		for j := i; j > 0 && roots[j] < roots[j-1]; j-- {
			roots[j], roots[j-1] = roots[j-1], roots[j]
			if tags != nil {
				tags[j], tags[j-1] = tags[j-1], tags[j]
			}
		}
	}
}
