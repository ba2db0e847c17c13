package explore

import (
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
)

// storage holds the visited states of a search and the frontier: in memory (memoryStorage), or on disk (diskStorage).
// The workers call accept and needsRoom; everything else is called while none of them runs.
type storage interface {
	// inserter returns access to the visited set for another worker.
	inserter() inserter
	// accept takes the states that an inserter has added.
	accept(w *worker, added []tree.StateID)
	// flush passes on the states that accept has buffered.
	flush(w *worker)
	// reserve makes room for some states, the largest of which is id, if there are none yet and the budget permits.
	reserve(states uint64, id tree.StateID)
	// needsRoom reports whether makeRoom should be called.
	needsRoom() bool
	// checkBudget is called when the search holds n bytes. If that exceeds the budget, it requests makeRoom or halts
	// the search.
	checkBudget(n int64)
	// makeRoom grows the visited set, decides which states are new, or spills.
	makeRoom()
	// next returns the states of the next level, and their number.
	next() (level source, states uint64)
	// level returns the states of an earlier level, if the search keeps them.
	level(i int) source
	// slots returns the memory of the visited set in bytes, bytes the memory of everything except the tree.
	slots() int64
	bytes() int64
	close()
}

// An inserter adds state IDs to a visited set: see visited.Inserter.
type inserter interface {
	Put(ids, fresh []tree.StateID) (more, rest []tree.StateID)
}

// A source distributes the states of a level to the workers.
type source interface {
	// take returns some states, none if none are left. They are valid until recycle.
	take(w *worker) batch
	recycle(b batch)
}

// memoryStorage is the storage of a search in memory.
type memoryStorage struct {
	search   *search
	set      *visited.Set
	frontier *frontier
}

func (r *memoryStorage) inserter() inserter { return r.set.Inserter() }

func (r *memoryStorage) accept(w *worker, added []tree.StateID) {
	w.discover(added)
	r.queue(w, added)
}

// queue puts new states, which are some of the candidates, into batches of the next level.
func (r *memoryStorage) queue(w *worker, states []tree.StateID) {
	w.candidates.next = 0
	for _, id := range states {
		if len(w.out.states) == cap(w.out.states) {
			r.frontier.add(w.out)
			w.out = r.frontier.newBatch()
		}
		w.out.states = append(w.out.states, id)
		if r.frontier.sleeps {
			w.out.asleep = append(w.out.asleep, 0)
			w.candidates.setSleep(id, &w.out.asleep[len(w.out.asleep)-1])
		}
	}
}

// flush gives the last, partly filled batch to the next level.
func (r *memoryStorage) flush(w *worker) {
	r.frontier.add(w.out)
	w.out = batch{}
}

func (r *memoryStorage) reserve(states uint64, id tree.StateID) {
	if !r.exceeds(r.set.ReservedBytes(states, id) + r.search.otherBytes()) {
		r.set.Reserve(states, id)
	}
}

func (r *memoryStorage) needsRoom() bool { return r.set.ShouldGrow() }

func (r *memoryStorage) checkBudget(n int64) {
	switch {
	case !r.exceeds(n):
	case r.spills():
		r.search.safepoint.wanted.Store(true)
	default:
		r.search.halt(MemoryLimit)
	}
}

// exceeds reports whether n bytes, together with the memory that spilling takes, exceed the budget.
func (r *memoryStorage) exceeds(n int64) bool {
	opt := &r.search.opt
	if r.spills() {
		n += 9*r.dumpSize() + r.search.databaseBudget()
	}
	at := opt.spilling.at
	return opt.Memory != 0 && uint64(n) > opt.Memory || at != 0 && r.search.total.stored.Load() >= at
}

// spills reports whether the search goes on beyond its budget.
func (r *memoryStorage) spills() bool { return r.search.opt.Spill || r.search.archive != nil }

func (r *memoryStorage) makeRoom() {
	n, last := r.predict()
	r.set.Expect(n, last)
	need := r.need()
	if r.exceeds(need) {
		r.set.Expect(0, last)
		need = r.need()
	}
	switch {
	case !r.exceeds(need):
		r.set.Grow(len(r.search.workers))
	case r.spills():
		r.spill()
	default:
		r.search.halt(MemoryLimit)
	}
}

// need returns the memory that the search would have after the visited set grows, in bytes.
func (r *memoryStorage) need() int64 {
	return max(r.set.Need()+r.frontier.bytes()+r.search.otherBytes(), r.search.bytes())
}

// predict estimates the final number of states, and reports whether levels have begun to shrink. Usually they shrink as
// they have grown: the remaining levels together have about as many states as the first levels that were smaller than
// the current one. The estimate counts three quarters of these states, since a low estimate costs some time later, a
// high one costs memory until the end.
func (r *memoryStorage) predict() (states uint64, shrinking bool) {
	sizes := r.search.sizes
	if len(sizes) == 0 {
		return 0, false
	}
	n := r.search.total.stored.Load()
	last := sizes[len(sizes)-1]
	if last == slices.Max(sizes) {
		return 2 * n, false
	}
	all, ahead := uint64(0), uint64(0)
	for _, size := range sizes {
		if size < last && ahead == all { // all earlier levels are smaller
			ahead += size
		}
		all += size
	}
	return n + uint64(float64(n)*0.75*float64(ahead)/float64(all)), true
}

func (r *memoryStorage) next() (source, uint64) {
	s, level := r.search, len(r.search.sizes)
	if s.archive != nil && s.archive.states(level) > 0 { // another process has found the level
		return s.archive.source(s, level), s.archive.states(level)
	}
	n := r.frontier.advance()
	if s.archive != nil {
		if err := r.dumpLevel(s.archive, level, r.frontier.current); err != nil {
			s.failDisk(err)
		}
	}
	return r.frontier, n
}

func (r *memoryStorage) level(i int) source {
	r.frontier.finish()
	return &frontier{current: r.frontier.batches(i)}
}

func (r *memoryStorage) slots() int64 { return r.set.Bytes() }
func (r *memoryStorage) bytes() int64 { return r.set.Bytes() + r.frontier.bytes() }

func (r *memoryStorage) close() { r.set.Close() }

// batchStates is the capacity of a batch.
const batchStates = 1 << 10

// A batch has some states of a level and, in a search with sleep sets, the sleep set of each.
type batch struct {
	states []tree.StateID
	asleep []tree.Sleep // empty, or one for each state
}

// split divides a batch after n states.
func (b batch) split(n int) (head, tail batch) {
	n = min(n, len(b.states))
	head.states, tail.states = b.states[:n], b.states[n:]
	if len(b.asleep) > 0 {
		head.asleep, tail.asleep = b.asleep[:n], b.asleep[n:]
	}
	return head, tail
}

// A frontier has the states of two successive BFS levels, in batches: the next level is written while the current one
// is read. Batches that have been read are reused.
type frontier struct {
	current    []batch
	cursor     atomic.Int64
	mu         sync.Mutex
	next       []batch
	spare      []batch
	sliceCount atomic.Int64        // slices of batches in existence
	sleeps     bool                // whether to keep sleep sets
	keep       bool                // whether to keep the levels that have been read
	pastLevels [][]compressedBatch // that have been read, if keep is set
	pastBytes  int64               // the memory of pastLevels
}

// take implements source.
func (f *frontier) take(*worker) batch {
	i := f.cursor.Add(1) - 1
	if i >= int64(len(f.current)) {
		return batch{}
	}
	return f.current[i]
}

// add appends a batch to the next level.
func (f *frontier) add(b batch) {
	if len(b.states) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, b)
}

// newBatch returns a batch to be filled.
func (f *frontier) newBatch() batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b batch
	if n := len(f.spare); n > 0 {
		b = batch{f.spare[n-1].states[:0], f.spare[n-1].asleep[:0]}
		f.spare = f.spare[:n-1]
	}
	if b.states == nil {
		f.sliceCount.Add(1)
		b.states = make([]tree.StateID, 0, batchStates)
	}
	if b.asleep == nil && f.sleeps {
		f.sliceCount.Add(1)
		b.asleep = make([]tree.Sleep, 0, batchStates)
	}
	return b
}

// recycle implements source: the batch is reused unless levels are kept.
func (f *frontier) recycle(b batch) {
	if f.keep {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spare = append(f.spare, b)
}

// advance makes the next level the current one and returns the number of its states.
func (f *frontier) advance() uint64 {
	f.finish()
	f.current, f.next = f.next, f.current[:0]
	f.cursor.Store(0)
	n := uint64(0)
	for _, b := range f.current {
		n += uint64(len(b.states))
	}
	return n
}

// finish compresses the level that was read, if levels are kept. It is incomplete if the search has ended.
func (f *frontier) finish() {
	if !f.keep || len(f.current) == 0 {
		return
	}
	level := make([]compressedBatch, len(f.current))
	var scratch []byte
	for i, b := range f.current {
		level[i], scratch = compress(b.states, scratch)
		f.pastBytes += int64(len(level[i].data))
	}
	f.pastLevels = append(f.pastLevels, level)
	f.spare, f.current = append(f.spare, f.current...), nil
}

// release frees all states except the current level; drop frees this as well.
func (f *frontier) release() {
	f.next, f.spare, f.pastLevels, f.pastBytes = nil, nil, nil, 0
	f.sliceCount.Store(2 * int64(len(f.current)))
}

func (f *frontier) drop() {
	f.current = nil
	f.release()
}

func (f *frontier) bytes() int64 { return f.sliceCount.Load()*batchStates*8 + f.pastBytes }
