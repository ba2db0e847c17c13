package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/explore/store"
	"ringcheck/internal/crew"
)

// A candidateSet is what is left of the states in an elimination of a search whose states are on disk: those from which no way to a goal is
// known. It is found level by level, from the last to the first: in it is what does not lead to a goal by itself and has no
// successor, in the next level, that is not in it. Then the states with a successor outside are taken out, in passes over the
// candidate set on disk, until what is left fits in memory.
type candidateSet struct {
	of    *spilled
	leads func(w *worker, id tree.StateID) bool
	runs  [][]*run // by level
	size  uint64   // in states
	cache *visited.Cache
}

// trap is Space.Trap for a search that has spilled.
func (d *spilled) trap(ctx context.Context, leads func(w *worker, id tree.StateID) bool) (*Trap, error) {
	d.release()
	b := &candidateSet{of: d, leads: leads, runs: make([][]*run, len(d.search.sizes))}
	b.cache = visited.NewCache(b.cacheSlots())
	defer b.cache.Close()
	for i := len(b.runs) - 1; i >= 0; i-- {
		if err := b.collect(ctx, i); err != nil {
			return nil, err
		}
	}
	for !b.fits() {
		before := b.size
		if err := b.pass(ctx); err != nil {
			return nil, err
		}
		if b.size == before {
			return b.trap()
		}
	}
	return b.finish(ctx)
}

// candidateBytes is what a state takes in memory: its state ID twice, and a bit.
const candidateBytes = 8 + 8 + 1

// cacheSlots returns the size of the cache.
func (b *candidateSet) cacheSlots() int {
	if n := b.of.search.opt.spilling.undecided; n != 0 {
		return 2 * n
	}
	return max(1, int(b.of.share()/16))
}

// fits reports whether the candidate set can be dealt with in memory.
func (b *candidateSet) fits() bool {
	if n := b.of.search.opt.spilling.undecided; n != 0 {
		return b.size <= uint64(n)
	}
	return b.of.search.opt.Memory == 0 || int64(b.size)*candidateBytes <= b.of.share()
}

// collect finds the states of a level that are left. They are written as several runs if they are many.
func (b *candidateSet) collect(ctx context.Context, level int) error {
	if err := b.cacheOthers(ctx, level+1); err != nil {
		return err
	}
	var mu sync.Mutex
	var left []tree.StateID
	var runs []*run
	flush := func() {
		sortIDs(left, len(b.of.search.workers))
		written, err := b.of.disk.write(left)
		if err != nil {
			b.of.search.broke(err)
			return
		}
		runs, left = append(runs, &run{Run: written}), left[:0]
	}
	b.of.search.each(ctx, b.of.level(level), func(w *worker, states []tree.StateID) {
		rest := b.without(w, states)
		mu.Lock()
		defer mu.Unlock()
		if left = append(left, rest...); len(left) >= b.most() && !b.of.search.halted() {
			flush()
		}
	})
	if err := cmp.Or(ctx.Err(), b.of.search.failure); err != nil {
		return err
	}
	if flush(); b.of.search.failure != nil {
		return b.of.search.failure
	}
	b.replace(level, runs)
	return nil
}

// most returns how many states are held in memory before they are written.
func (b *candidateSet) most() int {
	if n := b.of.search.opt.spilling.undecided; n != 0 {
		return n
	}
	if b.of.search.opt.Memory == 0 {
		return passStates
	}
	return max(passStates, int(b.of.share()/candidateBytes/8))
}

// replace makes some runs the states of a level that are left.
func (b *candidateSet) replace(level int, runs []*run) {
	for _, r := range b.runs[level] {
		b.size -= r.IDs
	}
	b.runs[level] = runs
	for _, r := range runs {
		b.size += r.IDs
	}
}

// eachPart calls do with the states of a run, some at a time, which do may change.
func (b *candidateSet) eachPart(r *run, do func(states []tree.StateID) error) error {
	reader := b.of.disk.db.Reader()
	defer reader.Close()
	var some []tree.StateID
	for i := range r.Blocks() {
		var err error
		if some, err = reader.Block(r.Run, i, some); err != nil {
			return err
		}
		if len(some) < passStates && i < r.Blocks()-1 {
			continue
		}
		if err := do(some); err != nil {
			return err
		}
		some = some[:0]
	}
	return nil
}

// states returns what is left of a level.
func (b *candidateSet) states(level int) ([]tree.StateID, error) {
	var all []tree.StateID
	for _, r := range b.runs[level] {
		err := b.eachPart(r, func(states []tree.StateID) error {
			all = append(all, states...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// errNoRoom ends cacheOthers, in order.
var errNoRoom = errors.New("the cache is full")

// cacheOthers puts the states of a level that are not left into the cache, as long as there is room: a state that is not
// there only stays longer in the candidate set.
func (b *candidateSet) cacheOthers(ctx context.Context, level int) error {
	b.cache.Clear()
	if level >= len(b.runs) {
		return nil
	}
	left := stored(b.runs[level])
	room := b.cache.Room()
	for _, r := range b.of.disk.levels[level] {
		err := b.eachPart(r, func(states []tree.StateID) error {
			states, err := b.of.disk.db.Subtract(ctx, states, left, len(b.of.search.workers))
			if err != nil {
				return err
			}
			if room -= int64(len(states)); room < 0 || !b.cache.Add(states) {
				return errNoRoom
			}
			return nil
		})
		if errors.Is(err, errNoRoom) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stored returns what a store knows of some runs.
func stored(runs []*run) []*store.Run {
	var all []*store.Run
	for _, r := range runs {
		all = append(all, r.Run)
	}
	return all
}

// without returns the states that do not lead to a goal by themselves and of whose successors none is in the cache. It is valid until the worker
// expands the next ones.
func (b *candidateSet) without(w *worker, states []tree.StateID) []tree.StateID {
	w.fresh = w.fresh[:0]
	for _, id := range states {
		if !b.leads(w, id) {
			w.fresh = append(w.fresh, id)
		}
	}
	rest := w.fresh[:0]
	for some := range slices.Chunk(w.fresh, stride) {
		w.successors(some, func(i int, to []tree.StateID) {
			if !slices.ContainsFunc(to, b.cache.Contains) {
				rest = append(rest, some[i])
			}
		})
	}
	return rest
}

// passStates is how many states a pass deals with at a time.
const passStates = 1 << 15

// pass takes out the states that have a successor outside, level by level from the last: the successors of many states are
// compared with all that is left.
func (b *candidateSet) pass(ctx context.Context) error {
	for level := len(b.runs) - 1; level >= 0; level-- {
		var kept []*run
		for _, r := range b.runs[level] {
			w := b.of.disk.db.Writer()
			err := b.eachPart(r, func(states []tree.StateID) error {
				trapped, err := b.trapped(ctx, states)
				if err != nil {
					return err
				}
				return w.Add(trapped)
			})
			if err != nil {
				return err
			}
			written, err := w.Finish()
			if err != nil {
				return err
			}
			kept = append(kept, &run{Run: written})
		}
		b.replace(level, kept)
	}
	return nil
}

// trapped returns those of some states that have no successor outside the candidate set, in place.
func (b *candidateSet) trapped(ctx context.Context, states []tree.StateID) ([]tree.StateID, error) {
	successors := make([][]tree.StateID, len(states))
	var next atomic.Int64
	var group crew.Crew
	for _, w := range b.of.search.workers {
		group.Go(func() {
			for i := int(next.Add(stride)) - stride; i < len(states); i = int(next.Add(stride)) - stride {
				w.successors(states[i:min(i+stride, len(states))], func(j int, to []tree.StateID) { successors[i+j] = slices.Clone(to) })
			}
		})
	}
	group.Wait()
	all := slices.Concat(successors...)
	sortIDs(all, len(b.of.search.workers))
	outside, err := b.of.disk.db.Subtract(ctx, slices.Compact(all), b.everything(), len(b.of.search.workers))
	if err != nil {
		return nil, err
	}
	kept := states[:0]
	for i, id := range states {
		if !slices.ContainsFunc(successors[i], func(to tree.StateID) bool { _, ok := slices.BinarySearch(outside, to); return ok }) {
			kept = append(kept, id)
		}
	}
	return kept, nil
}

// everything returns the runs of all levels.
func (b *candidateSet) everything() []*store.Run {
	return stored(slices.Concat(b.runs...))
}

// trap tells what is left.
func (b *candidateSet) trap() (*Trap, error) {
	t := &Trap{}
	for level, runs := range b.runs {
		for _, r := range runs {
			err := b.eachPart(r, func(states []tree.StateID) error {
				t.addAll(b.of.search.workers[0], states, level)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// finish does the rest in memory.
func (b *candidateSet) finish(ctx context.Context) (*Trap, error) {
	e := &elimination{workers: b.of.search.workers}
	var all places
	for level := range b.runs {
		states, err := b.states(level)
		if err != nil {
			return nil, err
		}
		all = append(all, states...)
		e.left = append(e.left, slices.Collect(slices.Chunk(states, batchStates)))
	}
	sortIDs(all, len(b.of.search.workers))
	e.finder = func() finder { return all }
	e.outside = make([]atomic.Uint64, len(all)/64+1)
	e.take(uint64(len(all)))
	return e.trap(ctx)
}

// places are states in order. All others have the place behind them.
type places []tree.StateID

// Find implements finder.
func (p places) Find(ids, at []uint64) []uint64 {
	for _, id := range ids {
		i, ok := slices.BinarySearch(p, id)
		if !ok {
			i = len(p)
		}
		at = append(at, uint64(i))
	}
	return at
}
