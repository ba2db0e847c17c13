package explore

import (
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/model"
)

// stride is the number of states that a worker expands together. Their records, successors and visited-set
// slots should fit the second-level cache.
const stride = 256

// atOnce is how many groups of states a worker looks at before it looks whether the search has been halted: a few milliseconds'
// worth where all are asked.
const atOnce = 1 << 20

// A worker expands states for a search.
type worker struct {
	*search
	tree    *tree.Worker
	set     inserter
	recent  recent
	next    tree.Expansion
	sift    sift
	stage   *stage         // of a search that has spilled
	buffers buffers        // of it
	tools   atomic.Int64   // bytes of both, for the other workers
	fresh   []tree.StateID // found to be new, not yet in a batch
	out     batch          // being filled for the next level
	index   int
	state   []model.Value  // for Options.Match
	disk    *store.Reader  // nil until it is needed
	block   []tree.StateID // read from disk
	asleep  []tree.Sleep   // at some of its states
	found   []tree.StateID // of successors
	ends    []int

	together int // how many states are expanded together

	settled uint   // how often the successors of a stride were looked up
	pending counts // since the last publish
	seen    *sightings
}

func newWorker(s *search, index int) *worker {
	w := &worker{search: s, tree: s.store.Worker(), set: s.storage.inserter(), index: index, together: s.together}
	w.seen = newSightings(s.sys, &s.opt, w.tree, s.classes)
	w.state = w.seen.state
	return w
}

// expandLevel takes batches of the current level until there are none. The worker is inside the safepoint.
func (w *worker) expandLevel() {
	defer w.safepoint.leave()
	defer w.endReading()
	w.forgetPlaces()
	for b := w.current.take(w); len(b.states) > 0 && !w.halted(); b = w.current.take(w) {
		w.expand(b)
		w.current.done(b)
	}
	w.handIn()
}

// expand expands states a few at a time.
func (w *worker) expand(b batch) {
	for len(b.states) > 0 && !w.halted() {
		var some batch
		some, b = b.split(w.together)
		before := cap(w.next.To)
		err := w.tree.Expand(some.states, some.asleep, &w.next)
		w.successorBytes.Add(perSuccessor * int64(cap(w.next.To)-before))
		w.count(some.states)
		if err != nil {
			w.fail(err, func() []model.Value { return w.vector(some.states[len(w.next.Ends)]) })
			return
		}
		w.settle()
		w.together = min(w.search.together, max(1, manySuccessors*len(some.states)/max(1, len(w.next.To))))
	}
}

// weighTools tells the other workers what memory this one needs to collect state IDs and decide.
func (w *worker) weighTools() { w.tools.Store(w.stage.bytes() + w.buffers.bytes()) }

// perSuccessor is what a successor takes until it has been looked up: in the expansion, in that of the tree, and in the sift.
const perSuccessor = 12 + 12 + 28

// manySuccessors is about how many successors a worker looks up before it looks whether the search has been halted.
const manySuccessors = 1 << 16

// vector returns a state.
func (w *worker) vector(id tree.StateID) []model.Value {
	state := make([]model.Value, len(w.state))
	w.tree.Vector(id, state)
	return state
}

// successors calls do with the successors of each of some states, which were expanded without an error before.
func (w *worker) successors(states []tree.StateID, do func(i int, to []tree.StateID)) {
	w.found, w.ends, _ = w.tree.Successors(states, w.found[:0], w.ends[:0])
	begin := 0
	for i, end := range w.ends {
		do(i, w.found[begin:end])
		begin = end
	}
}

// count counts what was just expanded.
func (w *worker) count(states []tree.StateID) {
	for i, n := range w.next.Counts {
		size := w.orbit(states[i])
		if n == 0 {
			w.pending.deadlocks += size
			w.note(states[i], size, len(w.sizes)-1, true)
		}
		w.pending.transitions += size * uint64(n)
	}
	w.pending.expanded += uint64(len(w.next.Counts))
	w.pending.generated += uint64(len(w.next.To))
}

// orbit returns how many states of the system asked for a stored state stands for.
func (w *worker) orbit(id tree.StateID) uint64 {
	if w.quotient == nil {
		return 1
	}
	return w.seen.orbit(w.quotient, id)
}

// note tells the observer of a state.
func (w *worker) note(id tree.StateID, n uint64, level int, terminal bool) {
	if w.seen.note(id, n, level, terminal) {
		w.caught.Store(true)
	}
}

// settledPerCheck is how often a worker looks successors up before it adds up again what memory is held.
const settledPerCheck = 8

// settle looks up the successors found.
func (w *worker) settle() {
	s := &w.sift
	s.fill(w)
	for rest := s.ids; ; {
		w.fresh, rest = w.set.Put(rest, w.fresh[:0])
		w.storage.accept(w, w.fresh)
		if len(rest) == 0 || w.halted() {
			break
		}
		w.safepoint.pause()
	}
	w.recent.settle(s)
	w.publish()
	w.checkStates()
	if w.settled++; w.settled%settledPerCheck == 1 {
		w.checkMemory()
	}
	if w.safepoint.wanted.Load() || w.storage.crowded() {
		w.safepoint.pause()
	}
}

// discover counts new states, and shows them to those who want to see them.
func (w *worker) discover(states []tree.StateID) {
	w.pending.stored += uint64(len(states))
	for _, id := range states {
		size := w.orbit(id)
		w.pending.states += size
		w.note(id, size, len(w.sizes), false)
	}
	if w.opt.Match != nil {
		w.match(states)
	}
}

// queue puts new states, which are some of those in the sift, into batches of the next level.
func (w *worker) queue(states []tree.StateID) {
	w.sift.next = 0
	for _, id := range states {
		if len(w.out.states) == cap(w.out.states) {
			w.frontier.add(w.out)
			w.out = w.frontier.empty()
		}
		w.out.states = append(w.out.states, id)
		if w.frontier.sleeps {
			w.out.asleep = append(w.out.asleep, 0)
			w.sift.queued(id, &w.out.asleep[len(w.out.asleep)-1])
		}
	}
}

// match asks Options.Match about new states.
func (w *worker) match(states []tree.StateID) {
	for _, id := range states {
		w.tree.Vector(id, w.state)
		if w.opt.Match(w.index, w.state) {
			w.mu.Lock()
			w.matches = append(w.matches, slices.Clone(w.state))
			w.mu.Unlock()
		}
	}
}

// handIn gives the last, partly filled batch to the next level.
func (w *worker) handIn() {
	w.frontier.add(w.out)
	w.out = batch{}
}

// publish adds what was counted to the search's totals.
func (w *worker) publish() {
	w.total.add(&w.pending)
	w.pending = counts{}
}
