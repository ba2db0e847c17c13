package explore

import (
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// statesPerExpansion is the number of states that a worker expands together. Their records, successors and slots in the
// visited set should fit the second-level cache.
const statesPerExpansion = 256

// workPerExpansion is the number of states times groups that a worker expands between two checks whether the search has
// been halted: a few milliseconds of work.
const workPerExpansion = 1 << 20

// A worker expands states for a search.
type worker struct {
	search *search
	index  int
	tree   *tree.Worker
	set    inserter

	next          tree.Expansion
	expansionSize int // the number of states that are expanded together
	recent        recent
	candidates    candidates
	fresh         []tree.StateID // new states that are not yet in a batch
	out           batch          // the batch for the next level that is being filled
	disk          diskWork       // for a search that has spilled

	lookUps   uint   // the number of calls of lookUpSuccessors
	pending   counts // since the last publish
	sightings *sightings
	// successorBytes is the memory of successors that have not been looked up, read by other workers.
	successorBytes atomic.Int64
}

func newWorker(s *search, index int) *worker {
	w := &worker{search: s, index: index, tree: s.store.Worker(), set: s.storage.inserter()}
	w.expansionSize = s.expansionSize
	w.sightings = newSightings(s.subject, w.tree, &s.untilFlag)
	return w
}

// expandLevel takes batches of the current level until there are none. The worker is inside the safepoint.
func (w *worker) expandLevel() {
	s := w.search
	defer s.safepoint.leave()
	defer w.disk.close()
	w.forgetSleepAddresses()
	for b := s.current.take(w); len(b.states) > 0 && !s.halted(); b = s.current.take(w) {
		w.expand(b)
		s.current.recycle(b)
	}
	s.storage.flush(w)
}

// expand expands states a few at a time.
func (w *worker) expand(b batch) {
	for len(b.states) > 0 && !w.search.halted() {
		var some batch
		some, b = b.split(w.expansionSize)
		before := cap(w.next.To)
		err := w.tree.Expand(some.states, some.asleep, &w.next)
		w.successorBytes.Add(perSuccessor * int64(cap(w.next.To)-before))
		w.count(some.states)
		if err != nil {
			w.search.failSystem(err, func() []model.Value { return w.vector(some.states[len(w.next.Ends)]) })
			return
		}
		w.lookUpSuccessors()
		w.expansionSize = min(w.search.expansionSize, max(1, manySuccessors*len(some.states)/max(1, len(w.next.To))))
	}
}

// perSuccessor is the memory in bytes of a successor that has not been looked up: in the expansion of the worker and in
// the expansion of the tree.
const perSuccessor = 12 + 12

// manySuccessors is the approximate number of successors that a worker looks up between two checks whether the search
// has been halted.
const manySuccessors = 1 << 16

// vector returns the state with an ID.
func (w *worker) vector(id tree.StateID) []model.Value {
	state := make([]model.Value, len(w.sightings.state))
	w.tree.Vector(id, state)
	return state
}

// successors calls do with the successors of each of some states, which were expanded without an error before.
func (w *worker) successors(states []tree.StateID, do func(i int, to []tree.StateID)) {
	_ = w.tree.Expand(states, nil, &w.next)
	begin := 0
	for i, end := range w.next.Ends {
		do(i, w.next.To[begin:end])
		begin = end
	}
}

// count counts the states that were just expanded.
func (w *worker) count(states []tree.StateID) {
	for i := range w.next.Counts {
		size := w.sightings.orbit(states[i])
		if w.pending.expand(&w.next, i, size) {
			w.sightings.observe(states[i], size, len(w.search.sizes)-1, true)
		}
	}
	w.pending.generated += uint64(len(w.next.To))
}

// lookUpsPerCheck is the number of calls of lookUpSuccessors between two checks of the memory.
const lookUpsPerCheck = 8

// lookUpSuccessors looks up the successors that were found.
func (w *worker) lookUpSuccessors() {
	s := w.search
	for first := 0; first < len(w.next.To); first += successorsPerLookUp {
		w.lookUp(first, min(first+successorsPerLookUp, len(w.next.To)))
	}
	s.publish(&w.pending)
	if s.opt.MaxStates != 0 && s.total.stored.Load() > s.opt.MaxStates {
		s.halt(StateLimit)
	}
	if w.lookUps++; w.lookUps%lookUpsPerCheck == 1 {
		s.checkMemory()
	}
	if s.safepoint.wanted.Load() || s.storage.needsRoom() {
		s.safepoint.pause()
	}
}

// successorsPerLookUp is the maximum number of successors that are looked up together. Only states of large systems
// have more.
const successorsPerLookUp = 1 << 13

// lookUp looks up successors first up to end.
func (w *worker) lookUp(first, end int) {
	s := w.search
	w.candidates.fill(w, first, end)
	for rest := w.candidates.ids; ; {
		w.fresh, rest = w.set.Put(rest, w.fresh[:0])
		s.storage.accept(w, w.fresh)
		if len(rest) == 0 || s.halted() {
			break
		}
		s.safepoint.pause()
	}
	w.recent.recordAddresses(&w.candidates)
}

// discover counts new states, and calls Match and the Observer for them.
func (w *worker) discover(states []tree.StateID) {
	w.pending.stored += uint64(len(states))
	for _, id := range states {
		size := w.sightings.orbit(id)
		w.pending.states += size
		w.sightings.observe(id, size, len(w.search.sizes), false)
	}
	if w.search.opt.Match != nil {
		w.match(states)
	}
}

// match calls Options.Match for new states.
func (w *worker) match(states []tree.StateID) {
	s, state := w.search, w.sightings.state
	for _, id := range states {
		w.tree.Vector(id, state)
		if s.opt.Match(w.index, state) {
			s.mu.Lock()
			s.matches = append(s.matches, slices.Clone(state))
			s.mu.Unlock()
		}
	}
}

// recent caches state IDs that a worker has found recently. In breadth-first order a state is usually found again soon:
// by two independent transitions in the other order. The entry of a state that this worker has put into the next level
// has the address of its sleep set.
type recent struct {
	entries [1 << recentBits]struct {
		id     tree.StateID // plus one; 0 if empty
		asleep *tree.Sleep
	}
	addressed []int32 // the entries with addresses; all may have some if there are more than maxAddressed
}

// maxAddressed is the number of entries beyond which it is faster to visit all.
const maxAddressed = 1 << (recentBits - 3)

// recentBits is chosen so that recent fills an eighth of a second-level cache.
const recentBits = 13

// at returns the index of a state ID in recent.
func at(id tree.StateID) int { return int(id * 0x9e3779b97f4a7c15 >> (64 - recentBits)) }

// forgetSleepAddresses drops the addresses of sleep sets: another level becomes the next one, or a detection has run.
func (w *worker) forgetSleepAddresses() {
	w.recent.forgetAddresses()
	clear(w.candidates.sleepAddresses)
}

// forgetAddresses drops all addresses of sleep sets. A level can be tiny, so it does not visit all entries.
func (r *recent) forgetAddresses() {
	if len(r.addressed) > maxAddressed {
		for i := range r.entries {
			r.entries[i].asleep = nil
		}
	}
	for _, at := range r.addressed {
		r.entries[at].asleep = nil
	}
	r.addressed = r.addressed[:0]
}

// candidates are successors that were not found recently, on their way into the visited set.
type candidates struct {
	ids            []tree.StateID
	asleep         []tree.Sleep
	at             []int32       // their indices in recent
	next           int           // index of the first of ids that may be queued next
	sleepAddresses []*tree.Sleep // the addresses of the sleep sets in the frontier; nil for states that are not new
}

// fill takes the successors first up to end that w has found. It adds to the sleep sets of states that were found
// recently.
func (s *candidates) fill(w *worker, first, end int) {
	to, sets := w.next.To[first:end], w.next.Asleep
	s.grow(len(to))
	n := 0
	for i, id := range to {
		asleep := tree.Sleep(0)
		if len(sets) > 0 {
			asleep = sets[first+i]
		}
		at := at(id)
		e := &w.recent.entries[at]
		if e.id == id+1 {
			if e.asleep != nil {
				*e.asleep |= asleep
			}
			continue
		}
		s.ids[n], s.at[n], s.asleep[n] = id, int32(at), asleep
		e.id, e.asleep = id+1, &s.asleep[n]
		n++
	}
	s.ids, s.at, s.asleep, s.sleepAddresses = s.ids[:n], s.at[:n], s.asleep[:n], s.sleepAddresses[:n]
	clear(s.sleepAddresses)
	s.next = 0
}

// grow makes room for n state IDs. Addresses of sleep sets stay valid until the next call.
func (s *candidates) grow(n int) {
	s.ids = slices.Grow(s.ids[:0], n)[:n]
	s.at = slices.Grow(s.at[:0], n)[:n]
	s.asleep = slices.Grow(s.asleep[:0], n)[:n]
	s.sleepAddresses = slices.Grow(s.sleepAddresses[:0], n)[:n]
}

// setSleep sets the sleep set of a queued state and remembers its address. States are queued in the order of s.ids.
func (s *candidates) setSleep(id tree.StateID, place *tree.Sleep) {
	for s.ids[s.next] != id {
		s.next++
	}
	*place = s.asleep[s.next]
	s.sleepAddresses[s.next] = place
	s.next++
}

// recordAddresses records the addresses of the sleep sets of queued states.
func (r *recent) recordAddresses(s *candidates) {
	for i, at := range s.at {
		e := &r.entries[at]
		if e.id != s.ids[i]+1 {
			continue
		}
		if e.asleep = s.sleepAddresses[i]; e.asleep != nil && len(r.addressed) <= maxAddressed {
			r.addressed = append(r.addressed, at)
		}
	}
}

// A safepoint makes the goroutines inside it pause while one of them runs onPause.
type safepoint struct {
	wanted  atomic.Bool // a goroutine waits for the others to pause
	mu      sync.Mutex
	again   *sync.Cond
	inside  int
	paused  int
	turn    uint64 // counts the actions
	onPause func()
}

func newSafepoint(onPause func()) *safepoint {
	g := &safepoint{onPause: onPause}
	g.again = sync.NewCond(&g.mu)
	return g
}

// enter is called by each goroutine before it may pause.
func (g *safepoint) enter() {
	g.mu.Lock()
	g.inside++
	g.mu.Unlock()
}

// leave is called by a goroutine that will not pause any more.
func (g *safepoint) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.paused > 0 && g.paused == g.inside {
		g.act()
	}
}

// pause waits until all goroutines inside have paused or left. The last to arrive runs onPause; then all continue.
func (g *safepoint) pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted.Store(true)
	g.paused++
	if g.paused == g.inside {
		g.act()
		return
	}
	for turn := g.turn; turn == g.turn; {
		g.again.Wait()
	}
}

// act runs onPause for the waiting goroutines, and wakes them even if it panics. The caller holds the mutex.
func (g *safepoint) act() {
	defer func() {
		g.paused = 0
		g.turn++
		g.wanted.Store(false)
		g.again.Broadcast()
	}()
	g.onPause()
}
