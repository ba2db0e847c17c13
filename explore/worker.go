package explore

import (
	"slices"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/model"
)

// stride is the number of states that a worker expands together. Their records, successors and visited-set
// slots should fit the second-level cache.
const stride = 256

// A worker expands states for a search.
type worker struct {
	*search
	tree  *tree.Worker
	set   inserter
	found []tree.Root // successors to be looked up
	ends  []int       // where those of each state end
	fresh []tree.Root // found to be new, not yet in a batch
	out   []tree.Root // the batch being filled for the next level
	index int
	state []model.Value // for Options.Match
	disk  *store.Reader // nil until it is needed
	block []tree.Root   // read from disk

	pending counts        // since the last publish
	seen    []Observation // by class
}

func newWorker(s *search, index int) *worker {
	return &worker{
		search: s,
		tree:   s.store.Worker(),
		set:    s.storage.inserter(),
		index:  index,
		state:  make([]model.Value, len(s.sys.Slots())),
	}
}

// expandLevel takes batches of the current level until there are none. The worker is inside the gate.
func (w *worker) expandLevel() {
	defer w.gate.leave()
	defer w.endReading()
	for b := w.current.take(w); b != nil && !w.halted(); b = w.current.take(w) {
		w.expand(b)
		w.current.done(b)
	}
	w.handIn()
}

// expand expands states a few at a time.
func (w *worker) expand(states []tree.Root) {
	for len(states) > 0 && !w.halted() {
		some := states[:min(stride, len(states))]
		states = states[len(some):]
		var err error
		w.found, w.ends, err = w.tree.Successors(some, w.found[:0], w.ends[:0])
		w.count(some)
		if err != nil {
			w.fail(w, some[len(w.ends)], err)
			return
		}
		w.settle()
	}
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

// count counts what was just expanded.
func (w *worker) count(states []tree.Root) {
	begin := 0
	for i, end := range w.ends {
		size := w.orbit(states[i])
		if end == begin {
			w.pending.deadlocks += size
			if w.classes != nil {
				w.note(states[i], size, true)
			}
		}
		w.pending.transitions += size * uint64(end-begin)
		begin = end
	}
	w.pending.expanded += uint64(len(w.ends))
}

// orbit returns how many states of the system asked for a stored state stands for.
func (w *worker) orbit(r tree.Root) uint64 {
	if w.quotient == nil {
		return 1
	}
	w.tree.Vector(r, w.state)
	return w.quotient.OrbitSize(w.state)
}

// settle looks up the successors found.
func (w *worker) settle() {
	for rest := w.found; ; {
		w.fresh, rest = w.set.Put(rest, w.fresh[:0])
		w.storage.accept(w, w.fresh)
		if len(rest) == 0 || w.halted() {
			break
		}
		w.gate.pause()
	}
	w.publish()
	w.checkLimits()
	if w.gate.wanted.Load() || w.storage.crowded() {
		w.gate.pause()
	}
}

// discover counts new states, and shows them to those who want to see them.
func (w *worker) discover(states []tree.Root) {
	w.pending.stored += uint64(len(states))
	for _, r := range states {
		size := w.orbit(r)
		w.pending.states += size
		if w.classes != nil {
			w.note(r, size, false)
		}
	}
	if w.opt.Match != nil {
		w.match(states)
	}
}

// queue puts new states into batches of the next level.
func (w *worker) queue(states []tree.Root) {
	for len(states) > 0 {
		if len(w.out) == cap(w.out) {
			w.frontier.add(w.out)
			w.out = w.frontier.empty()
		}
		n := min(len(states), cap(w.out)-len(w.out))
		w.out = append(w.out, states[:n]...)
		states = states[n:]
	}
}

// match asks Options.Match about new states.
func (w *worker) match(states []tree.Root) {
	for _, r := range states {
		w.tree.Vector(r, w.state)
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
	w.out = nil
}

// publish adds what was counted to the search's totals.
func (w *worker) publish() {
	w.total.add(&w.pending)
	w.pending = counts{}
}
