package symbolic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/crew"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/symbolic/internal/diagram"
)

// A search is the set of reachable states of one system, on its way or complete.
type search struct {
	sys         model.System
	opt         Options
	begin       time.Time
	order       []int // by level: the slot
	relations   []*relation
	rows        intern.Arena  // of all relations
	loops       int64         // transitions of groups without slots, from every state
	acting      bool          // not all of these are the environment's
	tops        [][]*relation // by level: the relations of which it is the highest
	restricting uint32        // the first operation of restrict
	lowest      int           // level that is the highest of a relation; -1 if there is none
	store       *diagram.Store
	workers     []*worker

	stop    atomic.Int32 // an explore.Stop; Exhausted while the search goes on
	mu      sync.Mutex
	fault   *model.Fault
	invalid error // of the system: model.ErrInvalid

	initial, reached diagram.Node
	quiescent        diagram.Node   // the reachable states without transitions but the environment's
	level            atomic.Int64   // the last of levels
	levels           []diagram.Node // by distance, as far as they were worked out; pinned
	seen             diagram.Node   // their union
	sizes            []*big.Int     // by distance, with BreadthFirst
	sample           atomic.Bool    // somebody wants to know how many states there are so far
	states           atomic.Pointer[big.Int]
	surveyed         time.Time     // when they were counted
	surveyTime       time.Duration // how long that took
}

// A worker is what one goroutine works with.
type worker struct {
	*diagram.Worker
	*search
	out model.Successors
}

// like returns the worker that works with another one of the diagram's.
func (s *search) like(w *diagram.Worker) *worker { return s.workers[w.Number()] }

// smallest is the memory that a search has to have.
const smallest = 1 << 20

// newSearch returns a search that has not begun. The caller closes its store.
func newSearch(sys model.System, opt Options) (*search, error) {
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory
	}
	if opt.Memory < smallest {
		return nil, fmt.Errorf("%w: a symbolic search takes at least %d bytes", explore.ErrBudget, smallest)
	}
	s := &search{sys: sys, opt: opt, begin: time.Now(), order: opt.Order, lowest: -1}
	if s.order == nil {
		s.order = Order(sys)
	}
	s.relate()
	s.store = diagram.New(opt.Memory/8*7, opt.Workers)
	for i := range opt.Workers {
		s.workers = append(s.workers, &worker{Worker: s.store.Worker(i), search: s})
	}
	s.states.Store(new(big.Int))
	return s, nil
}

// The operations of the cache that are not about one relation.
const (
	opClosure = diagram.FirstFree + iota
	opSaturate
	opStep
	opChain
	opClosureBack
	opSaturateBack
	firstOfRelations
)

// A purpose is what an operation of the cache on one relation does.
type purpose uint32

// The purposes.
const (
	stepping purpose = iota
	saturating
	idling
	backing
	purposes
)

// relate makes the relations of the groups.
func (s *search) relate() {
	level := make([]int, len(s.order))
	for l, slot := range s.order {
		level[slot] = l
	}
	depths := 0
	s.tops = make([][]*relation, len(s.order))
	for g, group := range s.sys.Groups() {
		if len(group.Slots) == 0 {
			continue
		}
		r := newRelation(depths, g, group, level)
		depths += len(group.Slots)
		s.relations = append(s.relations, r)
		top := r.levels[0]
		s.tops[top] = append(s.tops[top], r)
		s.lowest = max(s.lowest, top)
	}
	s.restricting = firstOfRelations + uint32(purposes)*uint32(depths)
}

// run lets worker 0 do main and the others help, until main returns or ctx is done. A panic of the system is handed on.
func (s *search) run(ctx context.Context, main func(w *worker)) {
	stop := context.AfterFunc(ctx, func() { s.halt(explore.StopFor(ctx)) })
	defer stop()
	group := crew.Crew{OnPanic: func() {
		s.halt(explore.Interrupted)
		s.store.Dismiss()
	}}
	s.store.Convene()
	for _, w := range s.workers[1:] {
		group.Go(w.Help)
	}
	group.Go(func() {
		defer s.store.Dismiss()
		w := s.workers[0]
		w.Run(func() { main(w) })
	})
	group.Wait()
	if s.store.Full() {
		s.halt(explore.MemoryLimit)
	}
}

// halt ends the search for the first reason that is given.
func (s *search) halt(why explore.Stop) {
	s.stop.CompareAndSwap(int32(explore.Exhausted), int32(why))
	s.store.Halt()
}

// why returns the reason for which the search ended.
func (s *search) why() explore.Stop { return explore.Stop(s.stop.Load()) }

// fail ends the search because the system has a transition that cannot be represented. All short vectors that it is asked
// for are parts of reachable states.
func (s *search) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil || s.invalid != nil {
		return
	}
	if errors.Is(err, model.ErrInvalid) {
		s.invalid = fmt.Errorf("expand a state: %w", err)
		s.halt(explore.Interrupted)
		return
	}
	s.fault = model.AsFault(err)
	s.halt(explore.Faulted)
}

// bytes returns the memory that the search holds.
func (s *search) bytes() int64 {
	n := s.store.Bytes() + s.rows.Bytes() + model.Bytes(s.sys)
	for _, r := range s.relations {
		n += r.bytes()
	}
	return n
}

// start makes the set of initial states.
func (w *worker) start() error {
	if err := w.loop(); err != nil {
		w.fail(err)
	}
	vector := make([]model.Value, len(w.order))
	var invalid error
	err := w.sys.Initial(func(state []model.Value) bool {
		if invalid = model.CheckInitial(state, len(vector)); invalid != nil {
			return false
		}
		for level, slot := range w.order {
			vector[level] = state[slot]
		}
		n := w.Hold(w.Vector(vector))
		w.initial = w.Union(w.initial, n)
		w.Release(0)
		w.Hold(w.initial)
		return !w.store.Halted()
	})
	w.store.Pin(w.initial)
	w.Release(0)
	w.states.Store(w.count(w.initial))
	if err = cmp.Or(invalid, err); err != nil {
		return fmt.Errorf("initial states: %w", err)
	}
	return nil
}

// loop counts the transitions of the groups without slots.
func (w *worker) loop() error {
	for g, group := range w.sys.Groups() {
		if len(group.Slots) > 0 {
			continue
		}
		if err := model.Ask(w.sys, g, nil, &w.out); err != nil {
			return err
		}
		w.loops += int64(w.distinct())
		w.acting = w.acting || w.out.Len() > 0 && !group.Environment
	}
	return nil
}
