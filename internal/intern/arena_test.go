package intern_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ringcheck/internal/intern"
)

// A stored run is a reference and the words that it must hold.
type slotValue struct {
	ref intern.Ref
	run []uint32
}

// randomRun is short, mostly; now and then it fills a chunk or more.
func randomRun(r *rand.Rand) []uint32 {
	n := 1 + r.IntN(20)
	switch r.IntN(50) {
	case 0:
		n = 1<<16 - r.IntN(2)
	case 1:
		n = 1<<16 + r.IntN(3000)
	}
	run := make([]uint32, n)
	for i := range run {
		run[i] = r.Uint32()
	}
	return run
}

// TestArena checks that runs added by several goroutines, with writers of their own and without, do not change.
func TestArena(t *testing.T) {
	var a intern.Arena
	var wg sync.WaitGroup
	all := make([][]slotValue, goroutines)
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(6, uint64(g)))
			add := a.Writer().Add
			if g%2 == 0 {
				add = a.Add
			}
			for range 200 {
				run := randomRun(r)
				all[g] = append(all[g], slotValue{add(run), run})
			}
		})
	}
	wg.Wait()
	total := 0
	for _, list := range all {
		for _, s := range list {
			total += len(s.run)
			if s.ref == 0 {
				t.Fatal("a run is at address 0, which is reserved")
			}
			if got := a.At(s.ref); !slices.Equal(got[:len(s.run)], s.run) {
				t.Fatalf("the run of %d words at %#x has changed", len(s.run), s.ref)
			}
		}
	}
	if a.Bytes() < int64(total)*4 {
		t.Errorf("%d words take %d bytes", total, a.Bytes())
	}
}

// TestArray checks that elements begin as zero, belong to the caller, and do not move when the array grows.
func TestArray(t *testing.T) {
	var a intern.Array[atomic.Uint64]
	const n = 10_000
	first := a.At(0)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for _, i := range rand.New(rand.NewPCG(7, uint64(g))).Perm(n) {
				a.At(uint32(i)).Add(uint64(i) + 1)
			}
		})
	}
	wg.Wait()
	for i := range uint32(n) {
		if got, want := a.At(i).Load(), goroutines*(uint64(i)+1); got != want {
			t.Fatalf("element %d is %d, want %d", i, got, want)
		}
	}
	if a.At(0) != first {
		t.Error("element 0 has moved")
	}
	if a.Bytes() < 8*n || a.Bytes() > 4*8*n {
		t.Errorf("%d elements take %d bytes", n, a.Bytes())
	}
}

// TestArrayEnds checks the last index, and that elements without a size take no memory.
func TestArrayEnds(t *testing.T) {
	var a intern.Array[struct{}]
	for _, i := range []uint32{0, 15, 16, 1 << 31, math.MaxUint32} {
		a.At(i)
	}
	if a.Bytes() != 0 {
		t.Errorf("zero-size elements take %d bytes", a.Bytes())
	}
}
