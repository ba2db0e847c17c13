package conform

import (
	"context"
	"sync"
)

// A clock is the vector clock of a process (Mattern 1989).
type clock struct {
	mu      sync.Mutex
	process int
	counts  []int
}

type clockKey struct{}

// WithClock returns a context with a vector clock for a process, one of n. All that the process does has the context,
// or one that is derived from it: see Stamp and Merge.
func WithClock(ctx context.Context, process, n int) context.Context {
	return context.WithValue(ctx, clockKey{}, &clock{process: process, counts: make([]int, n)})
}

// Stamp counts an event of the process that has the context, and returns its clock: for the log, as Event.Clock, and
// with a message for whoever receives it, who gives it to Merge before it stamps the receipt. It is nil in a context
// without a clock.
func Stamp(ctx context.Context) []int { return count(ctx, nil, 1) }

// Merge notes that the process that has the context has received a message with a clock.
func Merge(ctx context.Context, stamp []int) { count(ctx, stamp, 0) }

func count(ctx context.Context, stamp []int, events int) []int {
	c, _ := ctx.Value(clockKey{}).(*clock)
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range min(len(stamp), len(c.counts)) {
		c.counts[p] = max(c.counts[p], stamp[p])
	}
	c.counts[c.process] += events
	return append([]int(nil), c.counts...)
}
