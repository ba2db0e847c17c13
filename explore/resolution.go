package explore

import (
	"context"
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
)

// A resolution takes states out of a residue that fits in memory.
type resolution struct {
	*residue
	levels [][]tree.Root // by level, ascending
	all    []tree.Root   // ascending
	order  []uint32      // places in all, those of the last level first
	gone   []atomic.Uint64
}

// join puts the levels together.
func (r *resolution) join() {
	r.all = slices.Concat(r.levels...)
	sortRoots(r.all, len(r.workers))
	for i := len(r.levels) - 1; i >= 0; i-- {
		for _, root := range r.levels[i] {
			at, _ := slices.BinarySearch(r.all, root)
			r.order = append(r.order, uint32(at))
		}
	}
	r.gone = make([]atomic.Uint64, len(r.all)/64+1)
}

// left reports whether a state is in the residue.
func (r *resolution) left(root tree.Root) bool {
	at, ok := slices.BinarySearch(r.all, root)
	return ok && r.gone[at/64].Load()>>(at%64)&1 == 0
}

// sweep takes out the states that have a successor outside, and reports whether there were any.
func (r *resolution) sweep(ctx context.Context) bool {
	before := len(r.order)
	var next atomic.Int64
	var group crew.Crew
	for _, w := range r.workers {
		group.Go(func() {
			for i := int(next.Add(stride)) - stride; i < before && ctx.Err() == nil; i = int(next.Add(stride)) - stride {
				r.take(w, r.order[i:min(i+stride, before)])
			}
		})
	}
	group.Wait()
	r.order = slices.DeleteFunc(r.order, func(at uint32) bool { return r.gone[at/64].Load()>>(at%64)&1 != 0 })
	return len(r.order) < before && ctx.Err() == nil
}

// take takes those of some states out that have a successor outside.
func (r *resolution) take(w *worker, places []uint32) {
	w.fresh = w.fresh[:0]
	for _, at := range places {
		w.fresh = append(w.fresh, r.all[at])
	}
	w.successors(w.fresh, func(i int, to []tree.Root) {
		if slices.ContainsFunc(to, func(to tree.Root) bool { return !r.left(to) }) {
			r.gone[places[i]/64].Or(1 << (places[i] % 64))
		}
	})
}
