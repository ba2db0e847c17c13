package explore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/tree"
	"ringcheck/internal/crew"
	"ringcheck/model"
)

// A residue is the states from which no way to a goal is known, of a search whose states are on disk. It is found level by
// level, from the last to the first: in it is what is no goal and has no successor, in the next level, that is not in it.
// Most states have one, so that what is left fits in memory. As all others have a way to a goal, sweeps over the
// residue alone then take out the states with a successor outside, until nothing changes.
type residue struct {
	*spilled
	goal   func(class uint32) bool
	levels [][]tree.Root // by level, ascending
	size   int

	all   []tree.Root // ascending
	order []uint32    // places in all, those of the last level first
	gone  []atomic.Uint64
}

// inevitable is Space.Inevitable for a search that has spilled.
func (d *spilled) inevitable(ctx context.Context, goal func(class uint32) bool) (*Trap, error) {
	b := &residue{spilled: d, goal: goal, levels: make([][]tree.Root, len(d.sizes))}
	for i := len(d.sizes) - 1; i >= 0; i-- {
		if err := b.collect(ctx, i); err != nil {
			return nil, err
		}
	}
	b.join()
	for b.sweep(ctx) {
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b.trap(), nil
}

// collect finds the states of a level that are left.
func (b *residue) collect(ctx context.Context, level int) error {
	if err := b.recall(level + 1); err != nil {
		return err
	}
	var mu sync.Mutex
	left := &b.levels[level]
	b.each(ctx, b.source(b.search, level), func(w *worker, states []tree.Root) {
		rest := b.without(w, states)
		mu.Lock()
		defer mu.Unlock()
		*left = append(*left, rest...)
	})
	b.size += len(*left)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case b.failure != nil:
		return b.failure
	case b.opt.Memory != 0 && int64(b.size)*residueBytes > b.share():
		return ErrMemory
	}
	sortRoots(*left, len(b.workers))
	return nil
}

// residueBytes is what a state of the residue takes: its root twice, and its place.
const residueBytes = 8 + 8 + 4

// recall puts the states of a level that are not left into the cache, as long as there is room: a state that is not
// there only stays longer in the residue.
func (b *residue) recall(level int) error {
	b.cache.Clear()
	if level >= len(b.levels) {
		return nil
	}
	room := b.cache.Room()
	reader := b.db.Reader()
	defer reader.Close()
	var block []tree.Root
	for _, r := range b.disk.levels[level] {
		for i := range r.Blocks() {
			var err error
			if block, err = reader.Block(r.Run, i, block[:0]); err != nil {
				return err
			}
			block = subtract(block, b.levels[level])
			if room -= int64(len(block)); room < 0 || !b.cache.Add(block) {
				return nil
			}
		}
	}
	return nil
}

// subtract removes from roots those in rest; both ascend.
func subtract(roots, rest []tree.Root) []tree.Root {
	if len(roots) > 0 {
		first, _ := slices.BinarySearch(rest, roots[0])
		rest = rest[first:]
	}
	return slices.DeleteFunc(roots, func(r tree.Root) bool {
		for len(rest) > 0 && rest[0] < r {
			rest = rest[1:]
		}
		return len(rest) > 0 && rest[0] == r
	})
}

// without returns the states that are no goals and of whose successors none is in the cache. It is valid until the worker
// expands the next ones.
func (b *residue) without(w *worker, states []tree.Root) []tree.Root {
	w.fresh = w.fresh[:0]
	for _, r := range states {
		if b.goal(w.classes.Of(r)) {
			continue
		}
		if to, ok := w.tree.Hint(r); ok && b.cache.Contains(to) {
			continue
		}
		w.fresh = append(w.fresh, r)
	}
	rest := w.fresh[:0]
	for some := range slices.Chunk(w.fresh, stride) {
		w.successors(some, func(i int, to []tree.Root) {
			if !slices.ContainsFunc(to, b.cache.Contains) {
				rest = append(rest, some[i])
			}
		})
	}
	return rest
}

// successors calls do with the successors of each of some states, which were expanded without an error before.
func (w *worker) successors(states []tree.Root, do func(i int, to []tree.Root)) {
	w.found, w.ends, _ = w.tree.Successors(states, w.found[:0], w.ends[:0])
	begin := 0
	for i, end := range w.ends {
		do(i, w.found[begin:end])
		begin = end
	}
}

// join puts the levels together.
func (b *residue) join() {
	b.all = slices.Concat(b.levels...)
	sortRoots(b.all, len(b.workers))
	for i := len(b.levels) - 1; i >= 0; i-- {
		for _, r := range b.levels[i] {
			at, _ := slices.BinarySearch(b.all, r)
			b.order = append(b.order, uint32(at))
		}
	}
	b.gone = make([]atomic.Uint64, len(b.all)/64+1)
}

// left reports whether a state is in the residue.
func (b *residue) left(r tree.Root) bool {
	at, ok := slices.BinarySearch(b.all, r)
	return ok && b.gone[at/64].Load()>>(at%64)&1 == 0
}

// sweep takes out the states that have a successor outside, and reports whether there were any.
func (b *residue) sweep(ctx context.Context) bool {
	before := len(b.order)
	var next atomic.Int64
	var group crew.Crew
	for _, w := range b.workers {
		group.Go(func() {
			for i := int(next.Add(stride)) - stride; i < before && ctx.Err() == nil; i = int(next.Add(stride)) - stride {
				b.take(w, b.order[i:min(i+stride, before)])
			}
		})
	}
	group.Wait()
	b.order = slices.DeleteFunc(b.order, func(at uint32) bool { return b.gone[at/64].Load()>>(at%64)&1 != 0 })
	return len(b.order) < before && ctx.Err() == nil
}

// take takes those of some states out that have a successor outside.
func (b *residue) take(w *worker, places []uint32) {
	w.fresh = w.fresh[:0]
	for _, at := range places {
		w.fresh = append(w.fresh, b.all[at])
	}
	w.successors(w.fresh, func(i int, to []tree.Root) {
		if slices.ContainsFunc(to, func(r tree.Root) bool { return !b.left(r) }) {
			b.gone[places[i]/64].Or(1 << (places[i] % 64))
		}
	})
}

// trap collects what is left.
func (b *residue) trap() *Trap {
	t := &Trap{}
	w := b.workers[0]
	state := make([]model.Value, len(w.state))
	for level, roots := range b.levels {
		for _, r := range roots {
			if b.left(r) {
				t.add(w, r, level, state)
			}
		}
	}
	return t
}
