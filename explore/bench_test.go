package explore_test

import (
	"fmt"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// published is the built-in spec that the published counts are about.
const published = "franklin"

// election compiles the published protocol.
func election(tb testing.TB, n, k int) *compile.System {
	tb.Helper()
	return spectest.Compile(tb, spectest.Open(tb, published, fmt.Sprintf("n=%d k=%d", n, k)))
}

// BenchmarkRun explores a spec whole, from a system that knows nothing yet.
func BenchmarkRun(b *testing.B) {
	for _, size := range [][2]int{{3, 3}, {4, 2}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/k=%d/workers=%d", size[0], size[1], workers), func(b *testing.B) {
				b.ReportAllocs()
				transitions := uint64(0)
				for b.Loop() {
					transitions += systemtest.Run(b, election(b, size[0], size[1]),
						explore.Options{Workers: workers}).Transitions
				}
				b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
			})
		}
	}
}

// BenchmarkSpill explores a spec of which only a part of the states fits in memory: in the cache, once the search has
// spilled. The whole fits where nothing is spilled.
func BenchmarkSpill(b *testing.B) {
	const n, k = 4, 3
	states := systemtest.Run(b, election(b, n, k), explore.Options{}).States
	for _, parts := range []uint64{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("fits=1/%d", parts), func(b *testing.B) {
			opt := explore.Options{}
			if parts > 1 {
				opt = explore.Spilling(opt, states/parts, int(states/parts))
			}
			transitions := uint64(0)
			for b.Loop() {
				r := systemtest.Run(b, election(b, n, k), opt)
				transitions += r.Transitions
				b.ReportMetric(float64(r.DiskBytes)/float64(r.Stored), "disk-bytes/state")
			}
			b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	transitions := uint64(0)
	for b.Loop() {
		r, err := explore.Walk(b.Context(), election(b, 3, 2), explore.Options{}, explore.Visitor{})
		if err != nil {
			b.Fatal(err)
		}
		transitions += r.Transitions
	}
	b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
}

// TestAllocations: a search allocates for tables and batches, not for transitions.
func TestAllocations(t *testing.T) {
	if testing.Short() || model.Invariants {
		t.Skip("explores 168,102 transitions twice, which says nothing about races, nor with checks that allocate")
	}
	sys := election(t, 3, 3)
	transitions := uint64(0)
	allocations := testing.AllocsPerRun(1, func() {
		transitions = systemtest.Run(t, sys, explore.Options{Workers: 1}).Transitions
	})
	if perTransition := allocations / float64(transitions); perTransition > 0.05 {
		t.Errorf("%.0f allocations for %d transitions", allocations, transitions)
	} else {
		t.Logf("%.0f allocations for %d transitions", allocations, transitions)
	}
}
