package ringcheck_test

import (
	"iter"
	"testing"

	"ringcheck"
	"ringcheck/model"
)

// BenchmarkValues explores counters that are ordinary Go values: 28^4 states, each with four transitions.
func BenchmarkValues(b *testing.B) {
	type counters [4]uint8
	next := func(s counters) iter.Seq2[model.Action, counters] {
		return func(yield func(model.Action, counters) bool) {
			for i := range s {
				t := s
				t[i] = (t[i] + 1) % 28
				if !yield(model.Action{Name: "count", Process: i}, t) {
					return
				}
			}
		}
	}
	for b.Loop() {
		sys := ringcheck.From("counters", model.Of(next, counters{}),
			ringcheck.Invariant("small", func(s counters) bool { return s[0] < 28 }))
		r, err := ringcheck.Check(b.Context(), sys, ringcheck.Checks{}, ringcheck.Search{})
		if err != nil || r.States.Uint64() != 28*28*28*28 {
			b.Fatal(err, r)
		}
		b.ReportMetric(float64(r.States.Uint64())/r.Seconds/1e6, "Mstates/s")
		b.ReportMetric(float64(r.PeakRSSBytes)/float64(r.States.Uint64()), "RSS/state")
	}
}
