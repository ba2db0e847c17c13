package explore

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/internal/crew"
)

// A residue is the states from which no way to a goal is known, of a search whose states are on disk. It is found level by
// level, from the last to the first: in it is what is no goal and has no successor, in the next level, that is not in it.
// All others have a way to a goal. So the states with a successor outside are taken out, until nothing changes: in passes over
// the residue on disk, until what is left fits in memory.
type residue struct {
	*spilled
	goal func(class uint32) bool
	runs [][]*run // by level
	size uint64   // in states
}

// inevitable is Space.Inevitable for a search that has spilled.
func (d *spilled) inevitable(ctx context.Context, goal func(class uint32) bool) (*Trap, error) {
	b := &residue{spilled: d, goal: goal, runs: make([][]*run, len(d.sizes))}
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

// residueBytes is what a state takes in memory: its root twice, and its place.
const residueBytes = 8 + 8 + 4

// fits reports whether the residue can be dealt with in memory.
func (b *residue) fits() bool {
	if n := b.opt.spilling.undecided; n != 0 {
		return b.size <= uint64(n)
	}
	return b.opt.Memory == 0 || int64(b.size)*residueBytes <= b.share()
}

// collect finds the states of a level that are left.
func (b *residue) collect(ctx context.Context, level int) error {
	if err := b.recall(level + 1); err != nil {
		return err
	}
	var mu sync.Mutex
	var left []tree.Root
	b.each(ctx, b.source(b.search, level), func(w *worker, states []tree.Root) {
		rest := b.without(w, states)
		mu.Lock()
		defer mu.Unlock()
		left = append(left, rest...)
	})
	if err := cmp.Or(ctx.Err(), b.failure); err != nil {
		return err
	}
	sortRoots(left, len(b.workers))
	return b.replace(level, left)
}

// replace makes some states those of a level that are left.
func (b *residue) replace(level int, states []tree.Root) error {
	for _, r := range b.runs[level] {
		b.size -= r.Roots
	}
	written, err := b.write(states)
	b.runs[level] = []*run{{Run: written}}
	b.size += uint64(len(states))
	return err
}

// states returns what is left of a level.
func (b *residue) states(level int) ([]tree.Root, error) {
	if level >= len(b.runs) {
		return nil, nil
	}
	reader := b.db.Reader()
	defer reader.Close()
	var all []tree.Root
	for _, r := range b.runs[level] {
		for i := range r.Blocks() {
			var err error
			if all, err = reader.Block(r.Run, i, all); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// recall puts the states of a level that are not left into the cache, as long as there is room: a state that is not
// there only stays longer in the residue.
func (b *residue) recall(level int) error {
	b.cache.Clear()
	if level >= len(b.runs) {
		return nil
	}
	left, err := b.states(level)
	if err != nil {
		return err
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
			block = subtract(block, left)
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

// passStates is how many states a pass deals with at a time.
const passStates = 1 << 15

// pass takes out the states that have a successor outside, level by level from the last: the successors of many states are
// compared with all that is left.
func (b *residue) pass(ctx context.Context) error {
	for level := len(b.runs) - 1; level >= 0; level-- {
		states, err := b.states(level)
		if err != nil {
			return err
		}
		kept := states[:0]
		for some := range slices.Chunk(states, passStates) {
			trapped, err := b.trapped(ctx, some)
			if err != nil {
				return err
			}
			kept = append(kept, trapped...)
		}
		if err := b.replace(level, kept); err != nil {
			return err
		}
	}
	return nil
}

// trapped returns those of some states that have no successor outside the residue, in place.
func (b *residue) trapped(ctx context.Context, states []tree.Root) ([]tree.Root, error) {
	successors := make([][]tree.Root, len(states))
	var next atomic.Int64
	var group crew.Crew
	for _, w := range b.workers {
		group.Go(func() {
			for i := int(next.Add(stride)) - stride; i < len(states); i = int(next.Add(stride)) - stride {
				w.successors(states[i:min(i+stride, len(states))], func(j int, to []tree.Root) { successors[i+j] = slices.Clone(to) })
			}
		})
	}
	group.Wait()
	all := slices.Concat(successors...)
	sortRoots(all, len(b.workers))
	outside, err := b.db.Subtract(ctx, slices.Compact(all), b.everything(), len(b.workers))
	if err != nil {
		return nil, err
	}
	kept := states[:0]
	for i, r := range states {
		if !slices.ContainsFunc(successors[i], func(to tree.Root) bool { _, ok := slices.BinarySearch(outside, to); return ok }) {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// everything returns the runs of all levels.
func (b *residue) everything() []*store.Run {
	var all []*store.Run
	for _, level := range b.runs {
		for _, r := range level {
			all = append(all, r.Run)
		}
	}
	return all
}

// trap tells what is left.
func (b *residue) trap() (*Trap, error) {
	t := &Trap{}
	for level := range b.runs {
		states, err := b.states(level)
		if err != nil {
			return nil, err
		}
		t.addAll(b.workers[0], states, level)
	}
	return t, nil
}

// finish does the rest in memory.
func (b *residue) finish(ctx context.Context) (*Trap, error) {
	r := &resolution{residue: b}
	for level := range b.runs {
		states, err := b.states(level)
		if err != nil {
			return nil, err
		}
		r.levels = append(r.levels, states)
	}
	r.join()
	for r.sweep(ctx) {
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t := &Trap{}
	for level, states := range r.levels {
		t.addAll(b.workers[0], slices.DeleteFunc(states, func(root tree.Root) bool { return !r.left(root) }), level)
	}
	return t, nil
}
