package explore

import (
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
