package visited

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// A batch of this many state IDs is what an explorer puts at a time.
const benchBatch = 1536

// sizes are numbers of state IDs: in the second-level cache, in the last one perhaps, and far beyond.
var sizes = []int{1 << 14, 1 << 18, 1 << 22}

// benchIDs returns n state IDs as a search numbers them, in no order.
func benchIDs(n int) []uint64 {
	ids := make([]uint64, n)
	for i, k := range rand.New(rand.NewPCG(1, 0)).Perm(n) {
		ids[i] = uint64(k>>11)<<32 | uint64(k&(1<<11-1))
	}
	return ids
}

// BenchmarkFind puts state IDs that are there, most of them not lately. It reports the time of all goroutines together
// for one state ID.
func BenchmarkFind(b *testing.B) {
	for _, n := range sizes {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("ids=%d/goroutines=%d", n, workers), func(b *testing.B) {
				s := New()
				defer s.Close()
				ids := benchIDs(n)
				fill(s, ids)
				b.ReportAllocs()
				b.ResetTimer()
				var wg sync.WaitGroup
				for g := range workers {
					wg.Go(func() { find(b, s, ids, g*n/workers, b.N/workers) })
				}
				wg.Wait()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, b.N/workers*workers)*benchBatch),
					"ns/ID")
			})
		}
	}
}

// find puts batches of state IDs from first on, round and round.
func find(b *testing.B, s *Set, ids []uint64, first, batches int) {
	in := s.Inserter()
	var fresh []uint64
	for range batches {
		if first+benchBatch > len(ids) {
			first = 0
		}
		if fresh, _ = in.Put(ids[first:first+benchBatch], fresh[:0]); len(fresh) > 0 {
			b.Error("a state ID that was put is not there")
		}
		first += benchBatch
	}
}

// BenchmarkPut fills a new set, which grows meanwhile.
func BenchmarkPut(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("ids=%d", n), func(b *testing.B) {
			ids := benchIDs(n)
			for b.Loop() {
				s := New()
				fill(s, ids)
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/ID")
		})
	}
}

func fill(s *Set, ids []uint64) {
	in := s.Inserter()
	var fresh []uint64
	for len(ids) > 0 {
		batch := ids[:min(benchBatch, len(ids))]
		ids = ids[len(batch):]
		for len(batch) > 0 || s.ShouldGrow() {
			s.Grow(1)
			fresh, batch = in.Put(batch, fresh[:0])
		}
	}
}
