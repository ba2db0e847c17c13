package explore

import (
	"math"
	"runtime/debug"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
)

// spilled is the storage of a search that has outgrown memory. All known states are on disk, in sorted runs.
//
// A state that is found is undecided: it may be in a run. At the end of a level, and when there is no more room, the
// undecided state IDs are sorted and compared with all runs, range by range (decision). Those in none of them are new:
// they are counted, and written as another run of the next level. A cache of known states would not pay: with sleep
// sets, nine of ten state IDs that are found are new.
type spilled struct {
	search *search
	disk   *disk
	rest   *frontier // the rest of a level that was found in memory and is still being expanded
	maybe  *undecided
	found  int        // the level whose states are being found
	sets   *sleepSets // nil if all sleep sets are empty
}

// unsifted is the inserter of a search that decides later which states are new.
type unsifted struct{}

// Put implements inserter.
func (unsifted) Put(ids, fresh []tree.StateID) (more, rest []tree.StateID) {
	return append(fresh, ids...), nil
}

func (d *spilled) inserter() inserter { return unsifted{} }

func (d *spilled) accept(w *worker, added []tree.StateID) {
	stage := w.disk.stage
	if !stage.fits(len(added)) {
		w.forgetPlaces()
		stage.flush()
	}
	places := stage.add(added)
	w.disk.weigh()
	if d.sets == nil {
		return
	}
	w.candidates.next = 0
	for i, id := range added {
		w.candidates.queued(id, &places[i])
	}
}

func (d *spilled) handIn(*worker) {}

func (d *spilled) crowded() bool { return d.maybe.full() }

// overrun requests relieve if the tree has grown so much that fewer state IDs may be undecided or the tree must be
// compacted. It halts the search if neither helps.
func (d *spilled) overrun(int64) {
	s := d.search
	switch {
	case d.oversized() || d.search.wasteful():
		s.safepoint.wanted.Store(true)
	case s.thrifty && s.opt.Ceiling != 0 && uint64(s.needs()) > s.opt.Ceiling:
		s.halt(MemoryLimit)
	}
}

// oversized reports whether the undecided state IDs exceed their share of the memory.
func (d *spilled) oversized() bool {
	return d.search.opt.Memory != 0 && 8*d.maybe.chunks.held.Load() > max(d.room(), 2*smallest)
}

// relieve decides the undecided state IDs, and frees memory if they or the tree take too much.
func (d *spilled) relieve() {
	if d.decide() && (d.oversized() || d.search.wasteful()) {
		d.release()
		d.search.economize()
		d.maybe.capacity = d.capacity()
	}
}

// next ends a level.
func (d *spilled) next() (source, uint64) {
	d.rest.drop()
	d.forgetAsleep(d.found - 1)
	if d.search.halted() || !d.decide() {
		return d.level(d.found), 0
	}
	if d.search.opt.Memory != 0 {
		debug.FreeOSMemory() // free the garbage of a level before the next one needs memory
	}
	level := d.disk.source(d.search, d.found)
	level.sets = d.sets
	d.found++
	return level, d.disk.states(d.found - 1)
}

func (d *spilled) level(i int) source { return d.disk.source(d.search, i) }

func (d *spilled) slots() int64 { return d.waiting() }
func (d *spilled) bytes() int64 { return d.waiting() + d.rest.bytes() + d.sets.bytes() }

// waiting returns the memory of the undecided state IDs and of the workers' buffers for them.
func (d *spilled) waiting() int64 { return 8*d.maybe.chunks.held.Load() + d.tools() }

// tools returns the memory of the workers' buffers to collect state IDs and decide.
func (d *spilled) tools() int64 {
	n := int64(0)
	for _, w := range d.search.workers {
		n += w.disk.tools.Load()
	}
	return n
}

// room returns the memory for undecided state IDs in bytes: the rest of the budget, but at least its leastShare.
func (d *spilled) room() int64 {
	budget := int64(d.search.opt.Memory)
	left := budget - d.search.others() - max(d.search.desk(), d.tools()) - d.rest.bytes() - d.sets.bytes()
	return max(left, budget/leastShare)
}

// capacity returns the maximum number of undecided state IDs. An eighth of the memory is for chunks that are not full,
// and a fifth for the growth of the tree, since everything must be decided whenever the room shrinks.
func (d *spilled) capacity() int64 {
	if n := d.search.opt.spilling.undecided; n != 0 {
		return int64(n)
	}
	return max(1, d.room()/11)
}

func (d *spilled) close() {
	d.release()
	d.disk.close()
}

// decide finds the new states among the undecided. It reports whether it could.
func (d *spilled) decide() bool {
	err := d.search.decideAll(d.maybe, func() error {
		x := decision{
			ctx: d.search.ctx, workers: d.search.workers, db: d.disk.db,
			from: d.maybe, sets: d.sets, share: d.room() / asleepShare,
			known: d.disk.known(), discover: true,
		}
		r, err := x.run()
		if r != nil {
			d.disk.put(d.found, r)
		}
		return err
	})
	if err != nil {
		d.search.broke(err)
	}
	return err == nil
}

// decideAll calls decide until nothing is undecided.
func (s *search) decideAll(u *undecided, decide func() error) error {
	for done := false; !done; {
		done = true
		for _, w := range s.workers {
			w.forgetPlaces()
			done = w.disk.stage.flush() && done
			w.disk.weigh()
		}
		if u.used.Load() > 0 {
			if err := decide(); err != nil {
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

// allocate makes room for undecided state IDs, whose ranges fit a sample.
func (d *spilled) allocate(as []tree.StateID) {
	d.search.economize()
	d.maybe = newUndecided(d.capacity(), as)
	for _, w := range d.search.workers {
		w.disk.stage = newStage(d.maybe, d.sets, len(d.search.workers))
		w.disk.weigh()
		w.set = d.inserter()
	}
}

// release frees the memory.
func (d *spilled) release() { d.maybe.chunks.release() }

// forgetAsleep discards the sleep sets of a level after its expansion.
func (d *spilled) forgetAsleep(level int) {
	if level < 0 || level >= len(d.disk.levels) {
		return
	}
	for _, r := range d.disk.levels[level] {
		if r.asleep != nil {
			d.sets.held.Add(-2 * int64(r.IDs))
			r.asleep = nil
		}
	}
}

// sleepSets numbers sleep sets, so that one takes two bytes. The empty set has number 0, which replaces other sets when
// no numbers are left: a smaller set is always sound. A nil sleepSets has only the empty set.
type sleepSets struct {
	known intern.Pairs
	held  atomic.Int64 // bytes of all numbers in use
}

// asleepShare is the divisor of the room for undecided state IDs that gives the maximum memory of the numbers of known
// states.
const asleepShare = 8

// reserve accounts for the numbers of n states, unless all numbers would exceed their share.
func (s *sleepSets) reserve(n int, share int64) bool {
	if s.held.Add(2*int64(n)) <= share {
		return true
	}
	s.held.Add(-2 * int64(n))
	return false
}

func (s *sleepSets) number(set tree.Sleep) uint16 {
	if set == 0 || s == nil {
		return 0
	}
	n, ok := s.known.Load(set)
	if !ok && s.known.Len() <= math.MaxUint16 {
		n = s.known.Number(set)
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
	return s.number(s.known.At(uint32(a)) | s.known.At(uint32(b)))
}

// sets writes the sets with the given numbers to out.
func (s *sleepSets) sets(numbers []uint16, out []tree.Sleep) {
	for i, n := range numbers {
		out[i] = s.known.At(uint32(n))
	}
}

func (s *sleepSets) bytes() int64 {
	if s == nil {
		return 0
	}
	return withGarbage(s.held.Load() + s.known.Bytes())
}
