package explore

import (
	"math"
	"runtime/debug"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
)

// diskStorage is the storage of a search that has outgrown memory. All known states are on disk, in sorted runs.
//
// A state that is found may be in a run. The search collects such states. At the end of a level, and when there is no
// more room, a detection compares them with all runs. States in no run are new: they are counted, and written as
// another run of the next level. A cache of known states would not pay: with sleep sets, nine of ten found states are
// new.
type diskStorage struct {
	search     *search
	disk       *disk
	frontier   *frontier // the rest of a level that was found in memory and is still being expanded
	collection *collection
	nextLevel  int        // the level whose states are being found
	sets       *sleepSets // nil if all sleep sets are empty
}

// deferredInserter is the inserter of a search that decides later which states are new.
type deferredInserter struct{}

// Put implements inserter.
func (deferredInserter) Put(ids, fresh []tree.StateID) (more, rest []tree.StateID) {
	return append(fresh, ids...), nil
}

func (d *diskStorage) inserter() inserter { return deferredInserter{} }

func (d *diskStorage) accept(w *worker, added []tree.StateID) {
	c := w.disk.collector
	if !c.fits(len(added)) {
		w.forgetSleepAddresses()
		c.collect()
	}
	places := c.add(added)
	w.disk.publishBytes()
	if d.sets == nil {
		return
	}
	w.candidates.next = 0
	for i, id := range added {
		w.candidates.setSleep(id, &places[i])
	}
}

func (d *diskStorage) flush(*worker) {}

func (d *diskStorage) reserve(uint64, tree.StateID) {}

func (d *diskStorage) needsRoom() bool { return d.collection.full() }

// checkBudget requests makeRoom if the tree has grown so much that the collection must shrink or the tree must be
// compacted. It halts the search if neither helps.
func (d *diskStorage) checkBudget(int64) {
	s := d.search
	switch {
	case d.oversized() || d.search.treeTooLarge():
		s.safepoint.wanted.Store(true)
	case s.compacted && s.opt.Ceiling != 0 && uint64(s.needs()) > s.opt.Ceiling:
		s.halt(MemoryLimit)
	}
}

// oversized reports whether the collection exceeds its share of the memory.
func (d *diskStorage) oversized() bool {
	return d.search.opt.Memory != 0 && 8*d.collection.chunks.size.Load() > max(d.collectionBudget(), 2*smallest)
}

// makeRoom runs a detection, and frees memory if the collection or the tree take too much.
func (d *diskStorage) makeRoom() {
	if d.detect() && (d.oversized() || d.search.treeTooLarge()) {
		d.release()
		d.search.compactTree()
		d.collection.capacity = d.capacity()
	}
}

// next ends a level.
func (d *diskStorage) next() (source, uint64) {
	d.frontier.drop()
	d.forgetAsleep(d.nextLevel - 1)
	if d.search.halted() || !d.detect() {
		return d.level(d.nextLevel), 0
	}
	if d.search.opt.Memory != 0 {
		debug.FreeOSMemory() // free the garbage of a level before the next one needs memory
	}
	level := d.disk.source(d.search, d.nextLevel)
	level.sets = d.sets
	d.nextLevel++
	return level, d.disk.states(d.nextLevel - 1)
}

func (d *diskStorage) level(i int) source { return d.disk.source(d.search, i) }

func (d *diskStorage) slots() int64 { return d.collectionBytes() }
func (d *diskStorage) bytes() int64 { return d.collectionBytes() + d.frontier.bytes() + d.sets.bytes() }

// collectionBytes returns the memory of the collection and of the workers' buffers.
func (d *diskStorage) collectionBytes() int64 {
	return 8*d.collection.chunks.size.Load() + d.bufferBytes()
}

// bufferBytes returns the memory of the workers' buffers for duplicate detection.
func (d *diskStorage) bufferBytes() int64 {
	n := int64(0)
	for _, w := range d.search.workers {
		n += w.disk.bufferBytes.Load()
	}
	return n
}

// collectionBudget returns the maximum memory of the collection in bytes: the rest of the budget, but at least its
// collectionShare.
func (d *diskStorage) collectionBudget() int64 {
	budget := int64(d.search.opt.Memory)
	left := budget - d.search.otherBytes() - max(d.search.databaseBudget(), d.bufferBytes()) -
		d.frontier.bytes() - d.sets.bytes()
	return max(left, budget/collectionShare)
}

// capacity returns the maximum number of collected state IDs. An eighth of the memory is for chunks that are not full,
// and a fifth for the growth of the tree, since a smaller budget requires a detection.
func (d *diskStorage) capacity() int64 {
	if n := d.search.opt.spilling.collection; n != 0 {
		return int64(n)
	}
	return max(1, d.collectionBudget()/11)
}

func (d *diskStorage) close() {
	d.release()
	d.disk.close()
}

// detect finds the new states in the collection. It reports whether it could.
func (d *diskStorage) detect() bool {
	err := d.search.detectAll(d.collection, func() error {
		x := detection{
			ctx: d.search.ctx, workers: d.search.workers, db: d.disk.db,
			from: d.collection, sets: d.sets, share: d.collectionBudget() / asleepShare,
			runs: d.disk.runs(), discover: true,
		}
		r, err := x.run()
		if r != nil {
			d.disk.addRun(d.nextLevel, r)
		}
		return err
	})
	if err != nil {
		d.search.failDisk(err)
	}
	return err == nil
}

// detectAll calls detect until the collection and all collectors are empty.
func (s *search) detectAll(u *collection, detect func() error) error {
	for done := false; !done; {
		done = true
		for _, w := range s.workers {
			w.forgetSleepAddresses()
			done = w.disk.collector.collect() && done
			w.disk.publishBytes()
		}
		if u.used.Load() > 0 {
			if err := detect(); err != nil {
				return err
			}
		}
		if id := u.beyond.Swap(0); id != 0 {
			u.packing = u.holding(id - 1)
			u.divide(u.sample)
		}
	}
	return nil
}

// allocate makes a collection, whose ranges fit a sample.
func (d *diskStorage) allocate(as []tree.StateID) {
	d.search.compactTree()
	d.collection = newCollection(d.capacity(), as)
	for _, w := range d.search.workers {
		w.disk.collector = newCollector(d.collection, d.sets, len(d.search.workers))
		w.disk.publishBytes()
		w.set = d.inserter()
	}
}

// release frees the memory.
func (d *diskStorage) release() { d.collection.chunks.release() }

// forgetAsleep discards the sleep sets of a level after its expansion.
func (d *diskStorage) forgetAsleep(level int) {
	if level < 0 || level >= len(d.disk.levels) {
		return
	}
	for _, r := range d.disk.levels[level] {
		if r.asleep != nil {
			d.sets.bytesInUse.Add(-2 * int64(r.IDs))
			r.asleep = nil
		}
	}
}

// sleepSets numbers sleep sets, so that one takes two bytes. The empty set has number 0, which replaces other sets when
// no numbers are left: a smaller set is always sound. A nil sleepSets has only the empty set.
type sleepSets struct {
	table      intern.Pairs
	bytesInUse atomic.Int64 // of all numbers
}

// asleepShare is the divisor of the collectionBudget that gives the maximum memory of the numbers of known states.
const asleepShare = 8

// reserve accounts for the numbers of n states, unless all numbers would exceed their share.
func (s *sleepSets) reserve(n int, share int64) bool {
	if s.bytesInUse.Add(2*int64(n)) <= share {
		return true
	}
	s.bytesInUse.Add(-2 * int64(n))
	return false
}

func (s *sleepSets) number(set tree.Sleep) uint16 {
	if set == 0 || s == nil {
		return 0
	}
	n, ok := s.table.Load(set)
	if !ok && s.table.Len() <= math.MaxUint16 {
		n = s.table.Number(set)
	}
	if n > math.MaxUint16 { // other goroutines have used the last numbers meanwhile
		return 0
	}
	return uint16(n)
}

// union returns the number of the union of two sets.
func (s *sleepSets) union(a, b uint16) uint16 {
	if a == b || b == 0 {
		return a
	}
	return s.number(s.table.At(uint32(a)) | s.table.At(uint32(b)))
}

// sets writes the sets with the given numbers to out.
func (s *sleepSets) sets(numbers []uint16, out []tree.Sleep) {
	for i, n := range numbers {
		out[i] = s.table.At(uint32(n))
	}
}

func (s *sleepSets) bytes() int64 {
	if s == nil {
		return 0
	}
	return withGarbage(s.bytesInUse.Load() + s.table.Bytes())
}
