package explore

import "time"

// report calls Options.Progress from time to time until the function that it returns is called.
func (s *search) report() (quiet func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	every := s.opt.ProgressEvery
	if every <= 0 {
		every = time.Second
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
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
	}()
	return func() { close(done); <-gone }
}

func (s *search) progress() Progress {
	return Progress{
		Level:       int(s.level.Load()),
		Frontier:    s.size.Load(),
		Expanded:    s.total.expanded.Load(),
		States:      s.total.stored.Load(),
		Transitions: s.total.transitions.Load(),
		Bytes:       uint64(s.bytes()),
		Elapsed:     time.Since(s.begin),
	}
}
