package explore

import (
	"sync/atomic"
	"time"

	"ringcheck/internal/crew"
)

// report calls Options.Progress from time to time until the function that it returns is called.
func (s *search) report() (quiet func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	every := s.opt.ProgressEvery
	if every <= 0 {
		every = time.Second
	}
	done := make(chan struct{})
	group := crew.Crew{OnPanic: s.giveUp}
	group.Go(func() {
		tick := time.NewTicker(every)
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

func (s *search) progress() Progress {
	return Progress{
		Level:       int(s.level.Load()),
		Frontier:    s.size.Load(),
		Expanded:    s.total.expanded.Load(),
		States:      s.total.stored.Load(),
		Transitions: s.total.transitions.Load(),
		Bytes:       uint64(s.held.Load()),
		Elapsed:     time.Since(s.begin),
	}
}

// A tally is what a search has found so far, in numbers.
type tally struct {
	begin time.Time
	sizes []uint64 // of the levels, in states
	level atomic.Int64
	size  atomic.Uint64 // of the level that is being expanded, as stored
	held  atomic.Int64  // bytes, at the last check
	peak  atomic.Int64  // bytes
	total totals
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

// totals is what all workers have counted. expanded is that of the current level.
type totals struct {
	stored, states, expanded, generated, transitions, deadlocks, environmentOnly atomic.Uint64
}

func (t *totals) add(c *counts) {
	t.stored.Add(c.stored)
	t.states.Add(c.states)
	t.expanded.Add(c.expanded)
	t.generated.Add(c.generated)
	t.transitions.Add(c.transitions)
	t.deadlocks.Add(c.deadlocks)
	t.environmentOnly.Add(c.environmentOnly)
}
