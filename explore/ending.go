package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// An ending is why a search ends before it is through. The first reason counts. It is safe for concurrent use.
type ending struct {
	ctx   context.Context // of the search
	stop  atomic.Int32    // a Stop; Exhausted while the search goes on
	polls atomic.Uint64   // of goOn
	// caught is set when Options.Until was true of a state.
	caught atomic.Bool

	mu         sync.Mutex
	fault      *model.Fault
	faultState []model.Value
	failure    error // of the disk
	invalid    error // of the system: model.ErrInvalid
}

// halt stops the search for the first reason that is given.
func (e *ending) halt(why Stop) { e.stop.CompareAndSwap(int32(Exhausted), int32(why)) }

func (e *ending) halted() bool { return e.stop.Load() != int32(Exhausted) }

// pollsPerCheck is how many times goOn is asked until the limits are looked at.
const pollsPerCheck = 4

// goOn returns an error if the search is to end in the midst of a state. Now and then it calls check, which may halt
// the search.
func (e *ending) goOn(check func()) error {
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

// giveUp halts a search of which a goroutine has panicked. There will be no result to say why.
func (e *ending) giveUp() { e.halt(Interrupted) }

// broke halts the search because of an error of the disk, or because the context has ended.
func (e *ending) broke(err error) {
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

// fail ends the search because a state has a transition that the system cannot represent. state is asked for it.
func (e *ending) fail(err error, state func() []model.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault != nil || e.invalid != nil || errors.Is(err, errHalted) {
		return
	}
	if errors.Is(err, model.ErrInvalid) {
		e.invalid = fmt.Errorf("expand a state: %w", err)
		e.giveUp()
		return
	}
	e.fault, e.faultState = model.AsFault(err), state()
	e.halt(Faulted)
}

// StopFor returns why a search ends whose context is done.
func StopFor(ctx context.Context) Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Deadline
	}
	return Interrupted
}

// withinCapacity calls do, and stops the search if a table of this process has become full, or what is asked of a state
// ended with the context. It is no error that the search has been halted. Other panics are handed on.
func (e *ending) withinCapacity(do func() error) (err error) {
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

// errHalted ends what is done for one state when the search has been halted: by the system or, as a panic, by the tree.
var errHalted = errors.New("the search has been halted")
