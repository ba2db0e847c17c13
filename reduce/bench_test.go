package reduce_test

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce"
)

// BenchmarkExplore reports the cost of a state in the full system and in the reduced ones.
func BenchmarkExplore(b *testing.B) {
	for _, bb := range []struct {
		name  string
		level reduce.Reduction
	}{{"none", reduce.NoReduction}, {"confelm", reduce.Confelm}, {"onthefly", reduce.OnTheFly}} {
		b.Run(bb.name, func(b *testing.B) {
			p := spectest.Open(b, "franklin", "n=5 k=2 order=left")
			states := uint64(0)
			for b.Loop() {
				sys, err := reduce.Apply(b.Context(), spectest.Compile(b, p), reduce.Search{Reduction: bb.level}, nil)
				if err != nil {
					b.Fatal(err)
				}
				r := systemtest.Run(b, sys.System, explore.Options{Workers: 1})
				states += r.States
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
		})
	}
}
