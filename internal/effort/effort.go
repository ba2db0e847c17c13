// Package effort bounds what a computation takes: time, by a context, and memory.
//
// Loops of unknown length call Tick, and large allocations call Hold. Both stop the computation with a
// panic, which the functions that others call turn into an error by Catch; so algorithms read as they do in the papers.
package effort

import (
	"context"
	"errors"
)

// ErrMemory means that a computation was given up since it would hold more memory than it was allowed to.
var ErrMemory = errors.New("memory budget reached")

// An Effort limits a computation: it ends the computation when the context ends, or when the computation would hold
// more memory than the limit. It belongs to one goroutine.
type Effort struct {
	Context context.Context
	Limit   uint64 // of Held, in bytes; 0: none
	Held    uint64 // bytes

	ticks uint
}

// A stop is the panic that ends a computation. It is an error, which wraps the reason, for those through whose hands it
// goes.
type stop struct{ error }

func (s stop) Unwrap() error { return s.error }

// Abort stops the computation with err, which Catch returns. It panics, so it does not return.
func Abort(err error) { panic(stop{err}) }

// Try stops the computation if err is not nil.
func Try(err error) {
	if err != nil {
		Abort(err)
	}
}

// Must returns the result of a call, and stops the computation if it has failed.
func Must[T any](result T, err error) T {
	Try(err)
	return result
}

// ticksPerCheck is the number of steps from one look at the context to the next.
const ticksPerCheck = 1 << 14

// Tick counts a step of a nanosecond to a microsecond.
func (f *Effort) Tick() {
	if f.ticks++; f.ticks%ticksPerCheck == 0 {
		f.Check()
	}
}

// Check stops the computation if its context is done.
func (f *Effort) Check() {
	Try(f.Context.Err())
}

// ErrSteps means that a computation took more steps than it was allowed to.
var ErrSteps = errors.New("it takes too many steps")

// Steps returns a function to call for each step. It stops the computation after more than limit steps.
func Steps(limit int) (tick func()) {
	return func() {
		if limit--; limit < 0 {
			Abort(ErrSteps)
		}
	}
}

// Hold counts memory before it is allocated, and Release once it can be collected.
func (f *Effort) Hold(bytes uint64) {
	f.Check()
	if f.Held += bytes; f.Limit != 0 && f.Held > f.Limit {
		Abort(ErrMemory)
	}
}

// Release counts memory that can be collected.
func (f *Effort) Release(bytes uint64) { f.Held -= bytes }

// Do does a part of longer work, unless ctx has ended. The error comes from the part, or says why it was stopped.
func Do(ctx context.Context, part func() error) (err error) {
	defer Catch(&err)
	if err := ctx.Err(); err != nil {
		return err
	}
	return part()
}

// Catch gives *err the reason why the computation that defers it was stopped, if it was.
func Catch(err *error) {
	reason := recover()
	if reason == nil {
		return
	}
	var s stop
	if e, ok := reason.(error); !ok || !errors.As(e, &s) {
		panic(reason)
	}
	*err = s.error
}
