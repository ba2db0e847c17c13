package bisim

import (
	"context"

	"ringcheck/lts"
)

// An effort is what a computation may still take: it ends when its context does, or when it would hold more
// memory than it may. Loops of unknown length call tick, and whoever makes something large calls hold. Both stop
// the computation with a panic, which the exported functions turn into an error by catch; so the algorithms read
// as they do in the papers. An effort belongs to one goroutine.
type effort struct {
	ctx   context.Context
	ticks uint
	held  uint64 // bytes
	limit uint64 // of held; 0: none
}

// A stop is the panic that ends a computation.
type stop struct{ error }

// tick counts a step of a nanosecond to a microsecond.
func (f *effort) tick() {
	if f.ticks++; f.ticks%(1<<14) == 0 {
		f.check()
	}
}

func (f *effort) check() {
	if err := f.ctx.Err(); err != nil {
		panic(stop{err})
	}
}

// hold counts memory before it is allocated, and release once it can be collected.
func (f *effort) hold(bytes uint64) {
	f.check()
	if f.held += bytes; f.limit != 0 && f.held > f.limit {
		panic(stop{lts.ErrMemory})
	}
}

func (f *effort) release(bytes uint64) { f.held -= bytes }

// catch gives *err the reason why the computation that defers it was stopped, if it was.
func catch(err *error) {
	switch reason := recover().(type) {
	case nil:
	case stop:
		*err = reason.error
	default:
		panic(reason)
	}
}
