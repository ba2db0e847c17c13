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

// WithClock returns a context that holds the vector clock of a process, one of n, for Stamp and Merge. If the process
// is not in 0..n-1, the context has no clock.
func WithClock(ctx context.Context, process, n int) context.Context {
	if process < 0 || process >= n {
		return context.WithValue(ctx, clockKey{}, nil)
	}
	return context.WithValue(ctx, clockKey{}, &clock{process: process, counts: make([]int, n)})
}

// Stamp counts an event of the context's process and returns its clock: to be logged as Event.Clock, and to be sent
// along with a message. The receiver passes it to Merge before it stamps the receipt. Stamp returns nil if the context
// has no clock.
func Stamp(ctx context.Context) []int { return advance(ctx, nil, 1) }

// Merge updates the clock of the context's process when it has received a message with a stamp.
func Merge(ctx context.Context, stamp []int) { advance(ctx, stamp, 0) }

func advance(ctx context.Context, stamp []int, events int) []int {
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
