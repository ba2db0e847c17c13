package symbolic

import (
	"time"

	"ringcheck/explore"
	"ringcheck/symbolic/internal/diagram"
)

// watchEvery is the interval between checks of the memory outside the diagrams.
const watchEvery = 100 * time.Millisecond

// report watches the memory and periodically calls Options.Progress until the returned function is called.
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
		Nodes:   s.Nodes(),
		Bytes:   uint64(s.bytes()),
		Elapsed: time.Since(s.begin),
	}
}

// surveyShare limits counting for progress reports to about 1/surveyShare of the time.
const surveyShare = 20

// wanted reports whether a count was requested and is cheap enough.
func (s *search) wanted() bool {
	return s.sample.Load() && time.Since(s.surveyed) > surveyShare*s.surveyTime
}

// survey counts the states in n for progress reports.
func (s *search) survey(n diagram.Node) {
	begin := time.Now()
	s.sample.Store(false)
	if states := s.count(n); states.Cmp(s.states.Load()) > 0 {
		s.states.Store(states)
	}
	s.surveyed, s.surveyTime = time.Now(), time.Since(begin)
}
