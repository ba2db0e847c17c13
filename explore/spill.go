package explore

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/explore/store"
	"ringcheck/internal/crew"
)

// spill goes on with the disk. Only the caller runs.
func (r resident) spill() {
	d, err := r.writeAll()
	if err != nil {
		r.broke(err)
		return
	}
	r.set.Close()
	r.frontier.release()
	s := &spilled{search: r.search, disk: d, found: len(r.sizes)}
	s.allocate()
	s.refill()
	r.storage = s
}

// writeAll writes everything to disk that is not there yet.
func (r resident) writeAll() (*disk, error) {
	for _, w := range r.workers {
		w.handIn()
	}
	if r.archive != nil {
		return r.archive, r.dumpLevel(r.archive, len(r.sizes), r.frontier.next)
	}
	db, err := store.Temporary(r.opt.SpillDir)
	if err != nil {
		return nil, err
	}
	d := &disk{db: db, temporary: true}
	if err := r.dump(d); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return d, nil
}

// dump writes all states to disk.
func (r resident) dump(d *disk) error {
	if !r.frontier.keep {
		run, err := r.dumpSet(d)
		if err != nil {
			return err
		}
		d.past = append(d.past, run)
	} else if err := r.dumpLevels(d); err != nil {
		return err
	}
	return r.dumpLevel(d, len(r.sizes), r.frontier.next)
}

// dumpLevels writes the levels that were kept.
func (r resident) dumpLevels(d *disk) error {
	for i, lists := range r.frontier.kept {
		if err := r.dumpLists(d, i, lists); err != nil {
			return err
		}
	}
	return r.dumpLevel(d, len(r.frontier.kept), r.frontier.current)
}

func (r resident) dumpLevel(d *disk, level int, batches []batch) error {
	lists := make([][]tree.StateID, len(batches))
	for i, b := range batches {
		lists[i] = b.states
	}
	return r.dumpLists(d, level, lists)
}

// dumpLists writes the states of a level.
func (r resident) dumpLists(d *disk, level int, lists [][]tree.StateID) error {
	n := 0
	var some []tree.StateID
	for _, states := range lists {
		for i := 0; i < len(states); i += sampled {
			some = append(some, states[i])
		}
		n += len(states)
	}
	if n == 0 {
		return nil
	}
	bounds := quantiles(some, min(dumpParts, n/fewDumped))
	written, err := r.dumpRanges(d, bounds, len(lists), func(i int, do func(id tree.StateID)) {
		for _, id := range lists[i] {
			do(id)
		}
	})
	if err != nil {
		return err
	}
	d.put(level, &run{Run: written, cached: true})
	return nil
}

const (
	// dumpParts is in how many parts many states are dumped at least: what one takes in memory comes on top of them.
	dumpParts = 16
	fewDumped = 1 << 16 // states in a part
	sampled   = 64      // one of so many states tells where to divide them
)

// dumpSet writes the visited set as one run.
func (r resident) dumpSet(d *disk) (*run, error) {
	var some []tree.StateID
	r.set.Each(0, func(id tree.StateID) { some = append(some, id) }) // a shard is a random sample
	written, err := r.dumpRanges(d, quantiles(some, dumpParts), visited.Shards, r.set.Each)
	return &run{Run: written}, err
}

// dumpRanges writes the states in n lists as one run: one range of state IDs after the other, each collected by a pass over all
// lists. bounds divide the ranges.
func (r resident) dumpRanges(d *disk, bounds []tree.StateID, n int, each func(list int, do func(id tree.StateID))) (*store.Run, error) {
	w := d.db.Writer()
	lo := tree.StateID(0)
	for _, hi := range append(bounds, 1<<64-1) {
		states := r.between(lo, hi, n, each)
		sortIDs(states, len(r.workers))
		if err := w.Add(states); err != nil {
			return nil, err
		}
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		lo = hi
	}
	return w.Finish()
}

// quantiles returns state IDs that divide a set, of which some are given, into about as many parts of about the same size.
func quantiles(some []tree.StateID, parts int) []tree.StateID {
	slices.Sort(some)
	var bounds []tree.StateID
	for i := 1; i < parts && len(some) >= parts; i++ {
		bounds = append(bounds, some[i*len(some)/parts])
	}
	return bounds
}

// between returns the state IDs in n lists from lo on and below hi.
func (r resident) between(lo, hi tree.StateID, n int, each func(list int, do func(id tree.StateID))) []tree.StateID {
	var all []tree.StateID
	var mu sync.Mutex
	var next atomic.Int64
	var group crew.Crew
	for range r.workers {
		group.Go(func() {
			var mine []tree.StateID
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				each(i, func(id tree.StateID) {
					if lo <= id && id < hi {
						mine = append(mine, id)
					}
				})
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	group.Wait()
	return all
}

// spilled returns how many states are on disk because memory did not suffice.
func (s *search) spilled() uint64 {
	if _, ok := s.storage.(*spilled); ok {
		return s.total.stored.Load()
	}
	return 0
}

// diskBytes returns how much is on disk.
func (s *search) diskBytes() uint64 {
	d := s.archive
	if spilled, ok := s.storage.(*spilled); ok {
		d = spilled.disk
	}
	if d == nil {
		return 0
	}
	return uint64(d.db.Bytes())
}
