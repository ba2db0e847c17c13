package symmetry_test

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/symmetry"
)

// BenchmarkPermutation explores quotients by permutations.
func BenchmarkPermutation(b *testing.B) {
	for _, bb := range []struct{ name, file, params string }{
		{"raft", "raft-election", "n=3 ordered=false"},
		{"raft4", "raft-election", "n=4 terms=1 ordered=false"},
		{"paxos", "paxos", "ordered=false"},
		{"two-phase", "two-phase-commit", "m=5 crashes=0 ordered=false"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var transitions uint64
			for b.Loop() {
				q, err := symmetry.Permutation(b.Context(), open(b, "../../examples/"+bb.file+".ring", bb.params))
				if err != nil {
					b.Fatal(err)
				}
				transitions += systemtest.Run(b, q, explore.Options{Workers: 1}).Transitions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
		})
	}
}
