package explore_test

import (
	"slices"
	"testing"
	"time"

	"ringcheck/explore"
)

// TestProgressMeter: reports come at intervals, and the rate is that of the interval.
func TestProgressMeter(t *testing.T) {
	var rates []uint64
	meter := explore.NewProgressMeter(func(p explore.Progress) {
		rates = append(rates, p.(explore.SearchProgress).Rate)
	}, 0)
	transitions := uint64(0)
	for at := time.Duration(0); at <= 4*time.Second; at += time.Second / 4 {
		transitions += 25 * uint64(1+at/(2*time.Second))
		if meter.Due(at) {
			meter.ReportSearch(explore.SearchProgress{Transitions: transitions, Time: at})
		}
	}
	if want := []uint64{125, 125, 200, 225}; !slices.Equal(rates, want) {
		t.Errorf("rates %v, want %v", rates, want)
	}
	if explore.NewProgressMeter(nil, time.Second).Due(time.Hour) {
		t.Error("a meter without a receiver is due")
	}
}
