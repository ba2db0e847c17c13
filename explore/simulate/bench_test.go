package simulate

import (
	"fmt"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/step"
)

// system prepares runs of a protocol of the catalogue.
func system(tb testing.TB, name, settings string, scheduler Scheduler) *System {
	tb.Helper()
	sys, err := New(tb.Context(), spectest.Open(tb, name, settings), step.Options{}, scheduler)
	if err != nil {
		tb.Fatal(err)
	}
	return sys
}

// BenchmarkFranklin takes steps of rings under the uniform scheduler.
func BenchmarkFranklin(b *testing.B) {
	for _, n := range []int{3, 10, 100, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			benchmark(b, system(b, "franklin", fmt.Sprintf("n=%d k=2", n), Scheduler{}))
		})
	}
}

// BenchmarkRandomized takes steps of the randomized election among 50,000 processes: with both phases, and with the
// second alone.
func BenchmarkRandomized(b *testing.B) {
	for name, rounds := range map[string]int{"both": 14, "quorum": 0} {
		b.Run(name, func(b *testing.B) {
			settings := fmt.Sprintf("n=50000 c=500 rounds=%d quorum=736 tau=10", rounds)
			benchmark(b, system(b, "randomized", settings, Scheduler{Schedule: Timed}))
		})
	}
}

func benchmark(b *testing.B, sys *System) {
	r, runs := sys.NewRun(), newStream()
	run, ok := uint64(0), false
	var err error
	for b.Loop() {
		if !ok {
			if err = r.Reset(runs.of(1, run)); err != nil {
				b.Fatal(err)
			}
			run++
		}
		if ok, err = r.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(run), "runs")
}
