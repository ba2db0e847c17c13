package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// A stopper records the first reason why a search ends early. It is safe for concurrent use.
type stopper struct {
	ctx   context.Context // of the search
	stop  atomic.Int32    // a Stop; Exhausted while the search runs
	polls atomic.Uint64   // calls of poll
	// untilFlag is set when Options.Until has returned true.
	untilFlag atomic.Bool

	mu         sync.Mutex
	modelError *model.Error
	errorState []model.Value
	failure    error // an error of the disk
	invalid    error // an error of the system that wraps model.ErrInvalid
}

// halt stops the search. Only the first reason counts.
func (e *stopper) halt(why Stop) { e.stop.CompareAndSwap(int32(Exhausted), int32(why)) }

func (e *stopper) halted() bool { return e.stop.Load() != int32(Exhausted) }

// pollsPerCheck is the number of calls of poll between two checks of the limits.
const pollsPerCheck = 4

// poll returns an error if the search has to end within the expansion of a state. At times it calls check, which may
// halt the search.
func (e *stopper) poll(check func()) error {
	if e.polls.Add(1)%pollsPerCheck == 0 && !e.halted() {
		check()
	}
	if e.ctx.Err() != nil {
		e.halt(StopFor(e.ctx))
	}
	if e.halted() {
		return errHalted
	}
	return nil
}

// abort halts a search after a panic, which leaves no result.
func (e *stopper) abort() { e.halt(Interrupted) }

// failDisk halts the search because of an error of the disk, or because the context has ended.
func (e *stopper) failDisk(err error) {
	if e.ctx.Err() != nil && errors.Is(err, e.ctx.Err()) {
		e.halt(StopFor(e.ctx))
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure == nil {
		e.failure = err
	}
	e.halt(DiskFailure)
}

// failSystem ends the search because the system reported an error for a state, which state returns.
func (e *stopper) failSystem(err error, state func() []model.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.modelError != nil || e.invalid != nil || errors.Is(err, errHalted) {
		return
	}
	if errors.Is(err, model.ErrInvalid) {
		e.invalid = fmt.Errorf("expand a state: %w", err)
		e.abort()
		return
	}
	e.modelError, e.errorState = model.AsError(err), state()
	e.halt(ModelFailure)
}

// StopFor returns the reason for which a search ends when ctx is done.
func StopFor(ctx context.Context) Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Deadline
	}
	return Interrupted
}

// withinCapacity calls do, and stops the search if that panics because a table is full or the context has ended. A
// halted search is not an error. Other panics are passed on.
func (e *stopper) withinCapacity(do func() error) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		switch err, _ := v.(error); {
		case errors.Is(err, intern.ErrFull):
			e.stop.Store(int32(CapacityLimit))
		case e.ctx.Err() != nil && errors.Is(err, e.ctx.Err()):
			e.stop.Store(int32(StopFor(e.ctx)))
		case !errors.Is(err, errHalted):
			panic(v)
		}
	}()
	return do()
}

// errHalted ends the work on one state when the search has been halted: as an error of the system or a panic of the
// tree.
var errHalted = errors.New("the search has been halted")

// report calls Options.Progress from time to time until the function that it returns is called.
func (s *search) report() (quiet func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	meter := NewProgressMeter(s.opt.Progress, s.opt.ProgressEvery)
	done := make(chan struct{})
	group := workers.Group{OnPanic: s.abort}
	group.Go(func() {
		tick := time.NewTicker(s.opt.ProgressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				meter.ReportSearch(s.progress())
			case <-done:
				return
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// A tally has the counts of a search so far.
type tally struct {
	begin     time.Time
	sizes     []uint64 // by level: the number of states
	before    uint64   // the total of sizes
	level     atomic.Int64
	size      atomic.Uint64 // the number of stored states of the current level
	heldBytes atomic.Int64  // the memory in bytes at the last check
	peakBytes atomic.Int64  // its maximum
	total     totals
}

// endLevel is called when a level with the given number of stored states is complete, before its expansion.
func (t *tally) endLevel(stored uint64) {
	states := t.total.states.Load()
	t.sizes = append(t.sizes, states-t.before)
	t.before = states
	t.level.Store(int64(len(t.sizes) - 1))
	t.size.Store(stored)
}

func (t *tally) progress() SearchProgress {
	return SearchProgress{
		Level:       int(t.level.Load()),
		Frontier:    t.size.Load(),
		States:      t.total.stored.Load(),
		Transitions: t.total.transitions.Load(),
		Bytes:       uint64(t.heldBytes.Load()),
		Time:        time.Since(t.begin),
	}
}

// result returns the part of the result that all kinds of search have.
func (t *tally) result(e *stopper) *Result {
	return &Result{
		Stop:            Stop(e.stop.Load()),
		States:          t.total.states.Load(),
		Transitions:     t.total.transitions.Load(),
		Generated:       t.total.generated.Load(),
		TerminalStates:  t.total.terminal.Load(),
		EnvironmentOnly: t.total.environmentOnly.Load(),
		Levels:          t.sizes,
		Stored:          t.total.stored.Load(),
		TotalBytes:      uint64(t.peakBytes.Load()),
		Elapsed:         time.Since(t.begin),
		ModelError:      e.modelError,
		ErrorState:      e.errorState,
		Failure:         e.failure,
	}
}

// recordBytes records how many bytes are held.
func (t *tally) recordBytes(n int64) {
	t.heldBytes.Store(n)
	for p := t.peakBytes.Load(); n > p && !t.peakBytes.CompareAndSwap(p, n); p = t.peakBytes.Load() {
	}
}

// counts are the counts of one worker since it last published them.
type counts struct {
	stored, states, generated, transitions, terminal, environmentOnly uint64
}

// expand counts state i of an expansion, which represents the given number of states, and reports whether it is
// quiescent.
func (c *counts) expand(x *tree.Expansion, i int, states uint64) (quiescent bool) {
	n := uint64(x.Counts[i])
	c.transitions += states * n
	switch quiescent = x.Quiescent(i); {
	case quiescent && n == 0:
		c.terminal += states
	case quiescent:
		c.environmentOnly += states
	}
	return quiescent
}

// totals are the sums of the counts of all workers.
type totals struct {
	stored, states, generated, transitions, terminal, environmentOnly atomic.Uint64
}

// publish adds counts to the totals.
func (t *tally) publish(c *counts) {
	t.total.stored.Add(c.stored)
	t.total.states.Add(c.states)
	t.total.generated.Add(c.generated)
	t.total.transitions.Add(c.transitions)
	t.total.terminal.Add(c.terminal)
	t.total.environmentOnly.Add(c.environmentOnly)
	*c = counts{}
}
