package sparse_test

import (
	"math/rand/v2"
	"testing"

	"ringcheck/model/language/step"
	"ringcheck/simulate/sparse"
)

// BenchmarkRandomized takes steps of the randomized election among 50,000 processes: with both phases, and with the second alone.
func BenchmarkRandomized(b *testing.B) {
	for name, settings := range map[string]string{
		"both":   "n=50000 c=500 rounds=14 quorum=736 tau=10",
		"quorum": "n=50000 c=500 rounds=0 quorum=736 tau=10",
	} {
		b.Run(name, func(b *testing.B) {
			sys, err := sparse.New(load(b, "randomized", settings), step.Options{})
			if err != nil {
				b.Fatal(err)
			}
			r, err := sys.NewRun(sparse.Timed)
			if err != nil {
				b.Fatal(err)
			}
			steps := 0
			for run := 0; steps < b.N; run++ {
				if err := r.Reset(rand.New(rand.NewPCG(1, uint64(run)))); err != nil {
					b.Fatal(err)
				}
				for ok := true; ok && steps < b.N; steps++ {
					if _, ok, err = r.Step(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
