package visited

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// A batch of this many roots is what an explorer puts at a time.
const benchBatch = 1536

// sizes are numbers of roots: in the second-level cache, in the last one perhaps, and far beyond.
var sizes = []int{1 << 14, 1 << 18, 1 << 22}

// benchRoots returns n roots as a search numbers them, in no order.
func benchRoots(n int) []uint64 {
	roots := make([]uint64, n)
	for i, k := range rand.New(rand.NewPCG(1, 0)).Perm(n) {
		roots[i] = uint64(k>>11)<<32 | uint64(k&(1<<11-1))
	}
	return roots
}

// BenchmarkFind puts roots that are there, most of them not lately. It reports the time of all goroutines together for
// one root.
func BenchmarkFind(b *testing.B) {
	for _, n := range sizes {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("roots=%d/goroutines=%d", n, workers), func(b *testing.B) {
				s := New()
				defer s.Close()
				roots := benchRoots(n)
				fill(s, roots)
				b.ReportAllocs()
				b.ResetTimer()
				var wg sync.WaitGroup
				for g := range workers {
					wg.Go(func() { find(b, s, roots, g*n/workers, b.N/workers) })
				}
				wg.Wait()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, b.N/workers*workers)*benchBatch), "ns/root")
			})
		}
	}
}

// find puts batches of roots from first on, round and round.
func find(b *testing.B, s *Set, roots []uint64, first, batches int) {
	in := s.Inserter()
	var fresh []uint64
	for range batches {
		if first+benchBatch > len(roots) {
			first = 0
		}
		if fresh, _ = in.Put(roots[first:first+benchBatch], fresh[:0]); len(fresh) > 0 {
			b.Error("a root that was put is not there")
		}
		first += benchBatch
	}
}

// BenchmarkPut fills a new set, which grows meanwhile.
func BenchmarkPut(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("roots=%d", n), func(b *testing.B) {
			roots := benchRoots(n)
			for b.Loop() {
				s := New()
				fill(s, roots)
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/root")
		})
	}
}

func fill(s *Set, roots []uint64) {
	in := s.Inserter()
	var fresh []uint64
	for len(roots) > 0 {
		batch := roots[:min(benchBatch, len(roots))]
		roots = roots[len(batch):]
		for len(batch) > 0 || s.Crowded() {
			s.Grow(1)
			fresh, batch = in.Put(batch, fresh[:0])
		}
	}
}
