// Package workers runs functions in goroutines for one caller, who waits for all of them. A panic in one of them
// becomes a panic of the caller.
//
// A panic that is not recovered in its own goroutine ends the process. That is not acceptable in a library: its caller
// may want to recover, report and exit in an orderly way.
package workers

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Group is a sync.WaitGroup that recovers panics. The zero value is ready.
type Group struct {
	// OnPanic, if not nil, is called once, by the first goroutine that panics. It can make the others stop.
	OnPanic func()

	goroutines sync.WaitGroup
	once       sync.Once
	firstPanic *Panic
}

// Go calls f in a new goroutine.
func (g *Group) Go(f func()) { g.goroutines.Go(func() { g.Do(f) }) }

// Do calls f in this goroutine.
func (g *Group) Do(f func()) {
	defer func() {
		if v := recover(); v != nil {
			g.once.Do(func() { g.fail(v) })
		}
	}()
	f()
}

func (g *Group) fail(v any) {
	g.firstPanic = AsPanic(v)
	if g.OnPanic != nil {
		g.OnPanic()
	}
}

// Wait blocks until all functions have returned. If one has panicked, Wait panics with the *Panic of the first.
func (g *Group) Wait() {
	g.goroutines.Wait()
	if g.firstPanic != nil {
		panic(g.firstPanic)
	}
}

// Each calls do with every number below n, in order, from several workers, which are numbered from 0. After a panic no
// worker takes another number.
func Each(workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	g := Group{OnPanic: func() { next.Store(int64(n)) }}
	for w := range min(workers, n) {
		g.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				do(w, i)
			}
		})
	}
	g.Wait()
}

// A Panic is the value of a panic with the stack of the goroutine where it began.
type Panic struct {
	Value any
	Stack []byte
}

// AsPanic returns a Panic for v, a result of recover other than nil: v itself if it is a *Panic, which comes from a
// goroutine that this one waited for, otherwise a Panic of this goroutine.
func AsPanic(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{Value: v, Stack: debug.Stack()}
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
