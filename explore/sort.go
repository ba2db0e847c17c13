package explore

import (
	"slices"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
)

// Fewer roots are sorted by one goroutine. A pivot is the median of some roots, at equal distances.
const (
	fewRoots = 1 << 14
	samples  = 255
)

// sortRoots sorts roots with some goroutines.
func sortRoots(roots []tree.Root, workers int) {
	if workers < 2 || len(roots) < fewRoots {
		slices.Sort(roots)
		return
	}
	cut := partition(roots)
	var c crew.Crew
	c.Go(func() { sortRoots(roots[:cut], workers/2) })
	c.Go(func() { sortRoots(roots[cut:], workers-workers/2) })
	c.Wait()
}

// partition moves the roots below a pivot to the front and returns their number.
func partition(roots []tree.Root) int {
	var some [samples]tree.Root
	for i := range some {
		some[i] = roots[i*(len(roots)/samples)]
	}
	slices.Sort(some[:])
	pivot := some[samples/2]
	lo, hi := 0, len(roots)-1
	for {
		for lo <= hi && roots[lo] < pivot {
			lo++
		}
		for lo <= hi && roots[hi] >= pivot {
			hi--
		}
		if lo > hi {
			return lo
		}
		roots[lo], roots[hi] = roots[hi], roots[lo]
	}
}
