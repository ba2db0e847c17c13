package explore

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/internal/intern"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// ErrUnnamed means that a run cannot be kept in Options.Store, because another process cannot interpret the values of
// the system.
var ErrUnnamed = errors.New("the system does not name its values, so its states cannot be kept")

// Run generates the states of sys breadth first and counts. The counts of a complete run are the same for any number of
// workers. A run that is stopped early is no error: Result.Stop says why, and the counts are lower bounds. A panic of
// sys, or of a function in opt, reaches the caller as a *workers.Panic.
func Run(ctx context.Context, sys model.System, opt Options) (*Result, error) {
	s, err := start(ctx, sys, opt, false)
	if err != nil {
		return startFailure(ctx, err)
	}
	defer s.close()
	return s.result(), nil
}

// startFailure returns the outcome of a search that could not begin because of err: a Result if err comes from ctx,
// else err.
func startFailure(ctx context.Context, err error) (*Result, error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &Result{Stop: StopFor(ctx)}, nil
	}
	return nil, err
}

// start runs a search, which keeps its levels if keep is set. The caller closes it. It returns the error of ctx if ctx
// ends before the search begins.
func start(ctx context.Context, sys model.System, opt Options, keep bool) (*search, error) {
	if opt.Store != nil && (keep || opt.Match != nil || opt.Observer != nil || opt.Until != nil) {
		return nil, errors.New("a run that is kept in a store cannot be observed")
	}
	of, err := newSubject(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	s := newSearch(ctx, of, keep)
	defer s.interruptible(func() error { return s.poll(s.checkMemory) })()
	stop := context.AfterFunc(ctx, func() { s.halt(StopFor(ctx)) })
	defer stop()
	done := false
	defer func() {
		if !done { // an error, or a panic of the system
			s.close()
		}
	}()
	err = s.withinCapacity(s.explore)
	if err = cmp.Or(err, s.invalid); err != nil {
		return nil, err
	}
	done = true
	return s, nil
}

// close frees the memory.
func (s *search) close() {
	s.storage.close()
	s.store.Close()
}

// explore makes all levels, and reports progress while it does.
func (s *search) explore() error {
	if err := s.open(); err != nil {
		return err
	}
	defer s.report()()
	if !s.finished {
		s.expandLevels()
	}
	return nil
}

// open creates level 0, or continues the run in Options.Store.
func (s *search) open() error {
	if s.opt.Store == nil {
		return s.addInitial()
	}
	s.archive = &disk{db: s.opt.Store}
	c, err := readRecord(s.opt.Store.Dir())
	if err != nil {
		return err
	}
	if c == nil {
		return s.addInitial()
	}
	return s.resume(c)
}

// A search is one breadth-first search.
type search struct {
	*subject
	stopper
	tally

	storage storage
	archive *disk  // Options.Store, or nil
	current source // the level that is being expanded
	workers []*worker
	// All workers pause in it when the storage needs room.
	safepoint *safepoint

	matches   [][]model.Value
	finished  bool // the stored run was complete before this process began
	compacted bool // the tree is compacted
}

// newSearch makes a search in memory, which keeps the levels if keep is set.
func newSearch(ctx context.Context, of *subject, keep bool) *search {
	s := &search{subject: of, stopper: stopper{ctx: ctx}, tally: tally{begin: time.Now()}}
	if s.opt.Memory != 0 {
		s.store.Bound(int64(s.opt.Memory), s.opt.Workers)
	}
	if !keep {
		s.store.ExpandOnce()
	}
	s.storage = &memoryStorage{search: s, set: visited.New(), frontier: &frontier{sleeps: s.sleeps, keep: keep}}
	s.safepoint = newSafepoint(s.makeRoom)
	for i := range s.opt.Workers {
		s.workers = append(s.workers, newWorker(s, i))
	}
	return s
}

// addInitial stores the initial states as level 0.
func (s *search) addInitial() error {
	w := s.workers[0]
	s.safepoint.enter()
	defer s.safepoint.leave()
	add := func(id tree.StateID) bool {
		w.next.To = append(w.next.To, id)
		if len(w.next.To) == statesPerExpansion {
			w.lookUpSuccessors()
			w.next.To = w.next.To[:0]
		}
		return !s.halted()
	}
	var err error
	if left, right := s.initialHalves(); len(left) > 0 && len(right) > 0 {
		s.reserve(uint64(len(left))*uint64(len(right)), intern.Pair(slices.Max(left), slices.Max(right)))
		eachPair(left, right, add)
	} else {
		err = s.subject.eachInitial(func(state []model.Value) bool { return add(w.tree.ID(state)) })
	}
	w.lookUpSuccessors()
	s.storage.flush(w)
	return err
}

// initialHalves returns the halves of the initial states if these are all pairs of them, else nothing.
func (s *search) initialHalves() (left, right []uint32) {
	if values := model.InitialValues(s.sys); values != nil {
		return s.workers[0].tree.Halves(values)
	}
	return nil, nil
}

// maxReserved is the maximum number of states for which reserve makes room: some ten MiB.
const maxReserved = 1 << 24

// reserve makes room for the first states of the search, the largest of which is id.
func (s *search) reserve(states uint64, id tree.StateID) {
	if s.opt.MaxStates != 0 {
		states = min(states, s.opt.MaxStates)
	}
	s.storage.reserve(min(states, maxReserved), id)
}

// eachPair calls do with the state for each pair of halves until it returns false.
func eachPair(left, right []uint32, do func(id tree.StateID) bool) {
	for _, l := range left {
		for _, r := range right {
			if !do(intern.Pair(l, r)) {
				return
			}
		}
	}
}

// expandLevels expands level after level until one is empty or the search is halted.
func (s *search) expandLevels() {
	for !s.halted() {
		var n uint64
		s.current, n = s.storage.next()
		s.checkpoint(n == 0)
		if n == 0 || s.failure != nil {
			return
		}
		s.endLevel(n)
		if s.matches != nil || s.untilFlag.Load() {
			s.halt(Matched)
			return
		}
		s.expandLevel(n)
	}
}

// fewStates is the number of states of a level below which one worker expands it: the others would start for nothing.
const fewStates = 16

// expandLevel expands the current level, which has n states.
func (s *search) expandLevel(n uint64) {
	group := workers.Group{OnPanic: s.abort}
	if n < fewStates {
		s.safepoint.enter()
		group.Do(s.workers[0].expandLevel)
		group.Wait()
		return
	}
	for range s.workers {
		s.safepoint.enter()
	}
	for _, w := range s.workers {
		group.Go(w.expandLevel)
	}
	group.Wait()
}

// makeRoom makes room in the storage. All other workers pause.
func (s *search) makeRoom() {
	if !s.halted() {
		s.storage.makeRoom()
	}
}

// otherBytes returns the memory of everything except the visited set and the frontier, with an allowance for garbage.
func (s *search) otherBytes() int64 {
	n := s.subject.bytes()
	for _, w := range s.workers {
		n += w.successorBytes.Load()
	}
	mapped := s.store.MappedBytes()
	return withGarbage(n-mapped) + mapped
}

// treeTooLarge reports whether the tree, which cannot be spilled, takes five eighths of the budget and can be
// compacted.
func (s *search) treeTooLarge() bool {
	budget := int64(s.opt.Memory)
	return budget != 0 && !s.compacted && s.otherBytes() > budget/8*5
}

// compactTree compacts the tree where memory is scarce. No worker runs, and nothing is collected.
func (s *search) compactTree() {
	for s.treeTooLarge() {
		s.compacted = !s.store.Economize()
	}
	debug.FreeOSMemory() // so that the old and the new memory are not held at the same time
}

// withGarbage adds a fifth to the memory in use: a tenth may wait for the collector (GOGC=10), and the runtime keeps
// another tenth.
func withGarbage(n int64) int64 { return n + n/5 }

// bytes returns the memory that the search holds now.
func (s *search) bytes() int64 {
	n := s.storage.bytes() + s.otherBytes()
	s.recordBytes(n)
	return n
}

// checkMemory halts the search where it holds more than its options allow, or lets it spill.
func (s *search) checkMemory() {
	s.storage.checkBudget(s.bytes())
	if s.opt.Ceiling != 0 && uint64(s.otherBytes()) > s.opt.Ceiling {
		s.halt(MemoryLimit)
	}
}

// needs returns the minimum memory with which a search that spills can continue.
func (s *search) needs() int64 {
	return s.otherBytes() + s.databaseBudget() + int64(s.opt.Memory/collectionShare)
}

// collectionShare is the divisor of the budget for collected states. With less memory for them, everything on disk
// would be read for a few states.
const collectionShare = 8

// databaseBudget returns the part of the budget for the database and its readers.
func (s *search) databaseBudget() int64 {
	return min(32<<20+int64(len(s.workers))*(8<<20), int64(s.opt.Memory/6))
}

func (s *search) result() *Result {
	s.bytes()
	var seen []*sightings
	for _, w := range s.workers {
		seen = append(seen, w.sightings)
	}
	r := s.tally.result(&s.stopper)
	r.Bytes = uint64(s.storage.slots() + s.store.Bytes() - s.store.Copies())
	r.Workers, r.Matches, r.Classes = len(s.workers), s.matches, observations(seen...)
	r.Spilled, r.DiskBytes = s.spilledStates(), s.diskBytes()
	if r.Stop == MemoryLimit && r.Spilled > 0 {
		r.Parts = uint64(s.otherBytes())
		r.Needs = (uint64(s.otherBytes()+s.databaseBudget())/(collectionShare-1)*collectionShare>>20 + 1) << 20
	}
	return r
}
