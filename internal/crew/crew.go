// Package crew runs functions in goroutines on behalf of one caller, who waits for all of them and to whom a panic
// in one of them is handed on.
//
// A panic that is not recovered in its own goroutine ends the process. That is not acceptable in a library: its
// caller may want to recover, report and exit in an orderly way.
package crew

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Crew is a sync.WaitGroup that recovers panics. The zero value is ready.
type Crew struct {
	// OnPanic, if not nil, is called once, from the goroutine that panics first: to tell the others to stop.
	OnPanic func()

	group sync.WaitGroup
	once  sync.Once
	first *Panic
}

// Go calls f in a new goroutine.
func (c *Crew) Go(f func()) {
	c.group.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				c.once.Do(func() { c.fail(v) })
			}
		}()
		f()
	})
}

func (c *Crew) fail(v any) {
	c.first = Caught(v)
	if c.OnPanic != nil {
		c.OnPanic()
	}
}

// Wait blocks until all functions have returned. If one has panicked, Wait panics with the *Panic of the first.
func (c *Crew) Wait() {
	c.group.Wait()
	if c.first != nil {
		panic(c.first)
	}
}

// Each calls do with every number below n, in order, from several workers, which are numbered from 0. After a panic no
// more numbers are handed out.
func Each(workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	c := Crew{OnPanic: func() { next.Store(int64(n)) }}
	for w := range min(workers, n) {
		c.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				do(w, i)
			}
		})
	}
	c.Wait()
}

// A Panic is a panic and where it came from.
type Panic struct {
	Value any
	Stack []byte // of its goroutine
}

// Caught returns v, which recover has returned and which is not nil, as the panic of this goroutine or of another that
// it waited for.
func Caught(v any) *Panic {
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
