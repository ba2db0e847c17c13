package explore

import (
	"slices"
	"sort"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
)

// A disk holds the states of a search that are on disk.
type disk struct {
	db        *store.Store
	temporary bool
	levels    [][]*run // the runs of known levels
	past      []*run   // the runs of earlier levels, in no order
	sample    []tree.StateID
	graphs    []*diskGraph // that were requested

	tree []uint32 // of a kept run: the number of pairs of each node on disk
}

type run struct {
	*store.Run
	asleep [][]uint16 // by block: the number of the sleep set of each state; nil if none is known
}

// addRun adds a run to a level.
func (d *disk) addRun(level int, r *run) {
	for len(d.levels) <= level {
		d.levels = append(d.levels, nil)
	}
	d.levels[level] = append(d.levels[level], r)
}

// close removes a temporary store. It ignores errors, on which the result does not depend.
func (d *disk) close() {
	for _, g := range d.graphs {
		g.close()
	}
	if d.temporary {
		_ = d.db.Close()
	}
}

// states returns the number of states of a level.
func (d *disk) states(level int) uint64 {
	n := uint64(0)
	if level < len(d.levels) {
		for _, r := range d.levels[level] {
			n += r.IDs
		}
	}
	return n
}

// runs returns all runs.
func (d *disk) runs() []*store.Run {
	var all []*store.Run
	for _, r := range append(slices.Concat(d.levels...), d.past...) {
		all = append(all, r.Run)
	}
	return all
}

// A diskLevel is the source of a level on disk.
type diskLevel struct {
	stopper *stopper
	db      *store.Store
	runs    []*run
	ends    []int // by run: the number of blocks of this and all earlier runs
	parts   int   // the number of parts in which a block is handed out
	next    atomic.Int64
	sets    *sleepSets // nil without sleep sets
}

// fewBlocks is the number of blocks per worker below which each block is handed out in as many parts.
const fewBlocks = 8

func (d *disk) source(s *search, level int) *diskLevel {
	l := &diskLevel{stopper: &s.stopper, db: d.db, parts: 1}
	if level >= len(d.levels) {
		return l
	}
	l.runs = d.levels[level]
	n := 0
	for _, r := range l.runs {
		n += r.Blocks()
		l.ends = append(l.ends, n)
	}
	if n < fewBlocks*len(s.workers) {
		l.parts = fewBlocks
	}
	return l
}

// take implements source.
func (l *diskLevel) take(w *worker) batch {
	for i := int(l.next.Add(1) - 1); ; i = int(l.next.Add(1) - 1) {
		block, part := i/l.parts, i%l.parts
		n := sort.SearchInts(l.ends, block+1)
		if n == len(l.ends) {
			return batch{}
		}
		r := l.runs[n]
		block += r.Blocks() - l.ends[n]
		states, err := w.disk.read(l.db, r.Run, block)
		if err != nil {
			l.stopper.failDisk(err)
			return batch{}
		}
		first, end := part*len(states)/l.parts, (part+1)*len(states)/l.parts
		if first < end {
			return batch{states[first:end], l.asleep(&w.disk, r, block, first, end)}
		}
	}
}

// asleep returns the sleep sets of some states of a block of a run, valid until the next call.
func (l *diskLevel) asleep(w *diskWork, r *run, block, first, end int) []tree.Sleep {
	if l.sets == nil {
		return nil
	}
	n := end - first
	w.asleep = slices.Grow(w.asleep[:0], n)[:n]
	clear(w.asleep)
	if r.asleep != nil {
		l.sets.sets(r.asleep[block][first:end], w.asleep)
	}
	return w.asleep
}

// recycle implements source.
func (l *diskLevel) recycle(batch) {}

// diskWork is the scratch data of a worker that reads states from disk and detects duplicates.
type diskWork struct {
	reader *store.Reader  // nil until it is needed
	block  []tree.StateID // the block that was read last
	asleep []tree.Sleep   // the sleep sets of some of its states

	collector   *collector
	buffers     buffers
	bufferBytes atomic.Int64 // the memory of collector and buffers in bytes, read by other workers
}

// publishBytes publishes the memory that this worker holds for duplicate detection.
func (w *diskWork) publishBytes() { w.bufferBytes.Store(w.collector.bytes() + w.buffers.bytes()) }

// read returns a block from disk, valid until the next.
func (w *diskWork) read(db *store.Store, r *store.Run, block int) ([]tree.StateID, error) {
	if w.reader == nil {
		w.reader = db.Reader()
	}
	var err error
	w.block, err = w.reader.Block(r, block, w.block[:0])
	return w.block, err
}

// close closes the reader, if there is one.
func (w *diskWork) close() {
	if w.reader != nil {
		w.reader.Close()
		w.reader = nil
	}
}
