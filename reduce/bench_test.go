package reduce_test

import (
	"context"
	"testing"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
	"ringcheck/specs"
)

// BenchmarkExplore reports what a state costs, of the full system and of the reduced ones.
func BenchmarkExplore(b *testing.B) {
	for _, bb := range []struct {
		name  string
		level reduce.Level
	}{{"none", reduce.None}, {"confelm", reduce.Confelm}, {"onthefly", reduce.OnTheFly}} {
		b.Run(bb.name, func(b *testing.B) {
			spec, err := specs.Open("franklin")
			if err != nil {
				b.Fatal(err)
			}
			p, err := spec.Instantiate(map[string]string{"n": "5", "k": "2", "order": "left"})
			if err != nil {
				b.Fatal(err)
			}
			states := uint64(0)
			for b.Loop() {
				sys, err := reduce.Apply(b.Context(), compiled(b, p, compile.Options{}), reduce.Options{Level: bb.level})
				if err != nil {
					b.Fatal(err)
				}
				r, err := explore.Run(context.Background(), sys.System, explore.Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				states += r.States
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
		})
	}
}
