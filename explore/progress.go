package explore

import (
	"sync/atomic"
	"time"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
)

// report calls Options.Progress from time to time until the function that it returns is called.
func (s *search) report() (quiet func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	group := crew.Crew{OnPanic: s.giveUp}
	group.Go(func() {
		tick := time.NewTicker(s.opt.progressEvery())
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.opt.Progress(s.progress())
			case <-done:
				return
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// A tally is what a search has found so far, in numbers.
type tally struct {
	begin  time.Time
	sizes  []uint64 // of the levels, in states
	before uint64   // states of these
	level  atomic.Int64
	size   atomic.Uint64 // of the level that is being expanded, as stored
	held   atomic.Int64  // bytes, at the last check
	peak   atomic.Int64  // bytes
	total  totals
}

// endLevel ends a level that was found, and begins to expand it; so many of its states are stored.
func (t *tally) endLevel(stored uint64) {
	states := t.total.states.Load()
	t.sizes = append(t.sizes, states-t.before)
	t.before = states
	t.level.Store(int64(len(t.sizes) - 1))
	t.size.Store(stored)
	t.total.expanded.Store(0)
}

func (t *tally) progress() Progress {
	return Progress{
		Level:       int(t.level.Load()),
		Frontier:    t.size.Load(),
		Expanded:    t.total.expanded.Load(),
		States:      t.total.stored.Load(),
		Transitions: t.total.transitions.Load(),
		Bytes:       uint64(t.held.Load()),
		Elapsed:     time.Since(t.begin),
	}
}

// result returns what every search knows when it ends.
func (t *tally) result(e *ending) *Result {
	return &Result{
		Stop:            Stop(e.stop.Load()),
		States:          t.total.states.Load(),
		Transitions:     t.total.transitions.Load(),
		Generated:       t.total.generated.Load(),
		Deadlocks:       t.total.deadlocks.Load(),
		EnvironmentOnly: t.total.environmentOnly.Load(),
		Levels:          t.sizes,
		Stored:          t.total.stored.Load(),
		TotalBytes:      uint64(t.peak.Load()),
		Elapsed:         time.Since(t.begin),
		Fault:           e.fault,
		FaultState:      e.faultState,
		Failure:         e.failure,
	}
}

// hold notes how many bytes are held.
func (t *tally) hold(n int64) {
	t.held.Store(n)
	for p := t.peak.Load(); n > p && !t.peak.CompareAndSwap(p, n); p = t.peak.Load() {
	}
}

// counts is what one worker has counted since it last reported.
type counts struct {
	stored, states, expanded, generated, transitions, deadlocks, environmentOnly uint64
}

// expand counts state i of those that were expanded, which stands for so many, and reports whether it is quiescent.
func (c *counts) expand(x *tree.Expansion, i int, states uint64) (quiescent bool) {
	n := uint64(x.Counts[i])
	c.expanded++
	c.transitions += states * n
	switch quiescent = x.Quiescent(i); {
	case quiescent && n == 0:
		c.deadlocks += states
	case quiescent:
		c.environmentOnly += states
	}
	return quiescent
}

// totals is what all workers have counted. expanded is that of the current level.
type totals struct {
	stored, states, expanded, generated, transitions, deadlocks, environmentOnly atomic.Uint64
}

// publish adds what was counted to the totals.
func (t *tally) publish(c *counts) {
	t.total.stored.Add(c.stored)
	t.total.states.Add(c.states)
	t.total.expanded.Add(c.expanded)
	t.total.generated.Add(c.generated)
	t.total.transitions.Add(c.transitions)
	t.total.deadlocks.Add(c.deadlocks)
	t.total.environmentOnly.Add(c.environmentOnly)
	*c = counts{}
}
