package explore

import (
	"cmp"
	"errors"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/explore/store"
	"ringcheck/internal/workers"
)

// spill replaces the storage by one on disk. All other workers pause.
func (r *memoryStorage) spill() {
	s := r.search
	d, err := r.writeAll()
	if err != nil {
		s.failDisk(err)
		return
	}
	r.set.Close()
	r.frontier.release()
	to := &diskStorage{search: s, disk: d, frontier: r.frontier, nextLevel: len(s.sizes)}
	if s.sleeps {
		to.sets = &sleepSets{}
		to.sets.table.Number(0)
	}
	s.storage = to
	to.allocate(d.sample)
}

// writeAll writes everything to disk that is not there yet.
func (r *memoryStorage) writeAll() (*disk, error) {
	s := r.search
	for _, w := range s.workers {
		r.flush(w)
	}
	if s.archive != nil {
		return s.archive, r.dumpLevel(s.archive, len(s.sizes), r.frontier.next)
	}
	db, err := store.Temporary(s.opt.SpillDir)
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
func (r *memoryStorage) dump(d *disk) error {
	if !r.frontier.keep {
		if err := r.dumpLevel(d, len(r.search.sizes), r.frontier.next); err != nil {
			return err
		}
		return r.dumpSet(d)
	}
	for i := range r.frontier.pastLevels {
		if err := r.dumpLevel(d, i, r.frontier.batches(i)); err != nil {
			return err
		}
	}
	if err := r.dumpLevel(d, len(r.frontier.pastLevels), r.frontier.current); err != nil {
		return err
	}
	return r.dumpLevel(d, len(r.search.sizes), r.frontier.next)
}

// dumpLevel writes the states of a level.
func (r *memoryStorage) dumpLevel(d *disk, level int, batches []batch) error {
	for _, b := range batches {
		for i := 0; i < len(b.states); i += sampled {
			d.sample = append(d.sample, b.states[i])
		}
	}
	return r.dumpStates(d, len(batches),
		func(i int, do func(id tree.StateID)) {
			for _, id := range batches[i].states {
				do(id)
			}
		},
		func(written *run, _ int) { d.addRun(level, written) })
}

// dumpSet writes the visited set, and frees its memory as it goes.
func (r *memoryStorage) dumpSet(d *disk) error {
	for part := 0; part < visited.Parts && len(d.sample) < wellSampled; part++ { // parts are random samples
		r.set.EachIn(part, func(id tree.StateID) {
			if id%sampled == 0 {
				d.sample = append(d.sample, id)
			}
		})
	}
	gone := 0
	return r.dumpStates(d, visited.Parts, r.set.EachIn,
		func(written *run, end int) {
			d.past = append(d.past, written)
			for ; gone < end; gone++ {
				r.set.Drop(gone)
			}
		})
}

// wellSampled is the number of sampled state IDs that suffices to divide all into ranges.
const wellSampled = 64 * manyRanges

// dumpStates writes the states in n lists as runs, as many at a time as fit in memory. It calls done with each run and
// the number of lists that are completely written. d.sample is a sample of the states.
func (r *memoryStorage) dumpStates(
	d *disk, n int, each func(list int, do func(id tree.StateID)), done func(written *run, lists int),
) error {
	u := newCollection(r.dumpSize(), d.sample)
	defer func() {
		u.chunks.release()
		d.sample = u.sample
	}()
	s := r.search
	for _, w := range s.workers {
		w.disk.collector = newCollector(u, nil, len(s.workers))
	}
	for first := 0; first < n; {
		var next atomic.Int64
		next.Store(int64(first))
		var group workers.Group
		for _, w := range s.workers {
			group.Go(func() {
				for !u.full() {
					i := int(next.Add(1)) - 1
					if i >= n {
						return
					}
					w.collectList(i, each)
				}
			})
		}
		group.Wait()
		first = min(n, int(next.Load()))
		err := s.detectAll(u, func() error {
			x := detection{ctx: s.ctx, workers: s.workers, db: d.db, from: u}
			written, err := x.run()
			if err == nil {
				done(written, first)
			}
			return err
		})
		if err := cmp.Or(err, s.ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// collectList adds the states in a list to the collection.
func (w *worker) collectList(list int, each func(list int, do func(id tree.StateID))) {
	w.fresh = w.fresh[:0]
	put := func() {
		if !w.disk.collector.fits(len(w.fresh)) {
			w.disk.collector.collect()
		}
		w.disk.collector.add(w.fresh)
		w.fresh = w.fresh[:0]
	}
	each(list, func(id tree.StateID) {
		if w.fresh = append(w.fresh, id); len(w.fresh) == batchStates {
			put()
		}
	})
	put()
}

// dumpSize returns the number of states that dumpStates writes at a time.
func (r *memoryStorage) dumpSize() int64 {
	opt := &r.search.opt
	switch {
	case opt.spilling.collection != 0:
		return int64(opt.spilling.collection)
	case opt.Memory == 0:
		return maxDumpSize
	}
	return int64(min(max(opt.Memory/8/dumpShare, minDumpSize), maxDumpSize))
}

const (
	// dumpShare is the divisor of the budget for the states that are written at a time.
	dumpShare   = 16
	minDumpSize = 1 << 14
	maxDumpSize = 1 << 24
)

// spilledStates returns the number of states that are on disk because memory did not suffice.
func (s *search) spilledStates() uint64 {
	if _, ok := s.storage.(*diskStorage); ok {
		return s.total.stored.Load()
	}
	return 0
}

// diskBytes returns the number of bytes on disk.
func (s *search) diskBytes() uint64 {
	d := s.archive
	if storage, ok := s.storage.(*diskStorage); ok {
		d = storage.disk
	}
	if d == nil {
		return 0
	}
	return uint64(d.db.Bytes())
}
