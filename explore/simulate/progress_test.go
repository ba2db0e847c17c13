package simulate_test

import (
	"testing"
	"time"

	"ringcheck/explore/simulate"
)

// TestProgressLine: while no run has ended, there is no estimate of the remaining time.
func TestProgressLine(t *testing.T) {
	for want, p := range map[string]simulate.Progress{
		"0 of 1,000 runs  events 6,000  rate 3,000/s  no run has ended yet": {Of: 1000, Steps: 6000,
			Time: 2 * time.Second},
		"10 of 1,000 runs  events 6,000  rate 3,000/s  about 198 s left": {Runs: 10, Of: 1000, Steps: 6000,
			Time: 2 * time.Second},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
