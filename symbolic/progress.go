package symbolic

import (
	"time"

	"ringcheck/explore"
)

// watchEvery is how often the memory outside the diagrams is looked at.
const watchEvery = 100 * time.Millisecond

// report watches the memory, and calls Options.Progress now and then, until the function that it returns is called.
func (s *search) report() (quiet func()) {
	every := s.opt.ProgressEvery
	if every <= 0 {
		every = time.Second
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		watch := time.NewTicker(watchEvery)
		defer watch.Stop()
		last := s.begin
		for {
			select {
			case <-end:
				return
			case now := <-watch.C:
				if uint64(s.bytes()) > s.opt.Memory {
					s.halt(explore.MemoryLimit)
				}
				if s.opt.Progress != nil && now.Sub(last) >= every {
					last = now
					s.opt.Progress(s.progress())
				}
			}
		}
	}()
	return func() { close(end); <-ended }
}

func (s *search) progress() Progress {
	s.sample.Store(true)
	return Progress{
		States:  s.states.Load(),
		Level:   int(s.level.Load()),
		Nodes:   s.store.Nodes(),
		Bytes:   uint64(s.bytes()),
		Elapsed: time.Since(s.begin),
	}
}
