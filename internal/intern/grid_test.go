package intern_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"ringcheck/internal/intern"
)

// TestGridAgainstPlain grows grids in different ways: within an array, beyond it, and back and forth.
func TestGridAgainstPlain(t *testing.T) {
	for name, sizes := range map[string][]uint32{
		"small":       {5},
		"growing":     {3, 9, 40, 300},
		"huge first":  {math.MaxUint32, 20},
		"huge last":   {20, 2000, math.MaxUint32},
		"back":        {1 << 12, 8, 1 << 31, 100},
		"single cell": {1},
		"filled":      {200, 200, 200, 200, 200},
	} {
		t.Run(name, func(t *testing.T) {
			var g intern.Grid
			plain := map[[2]uint32]uint32{}
			r := rand.New(rand.NewPCG(4, 0))
			for _, size := range sizes {
				for range 500 {
					at := [2]uint32{r.Uint32N(size), r.Uint32N(size)}
					if r.IntN(4) == 0 {
						at[r.IntN(2)] = r.Uint32N(10) // one huge, one small
					}
					value := r.Uint32N(math.MaxUint32)
					if old, ok := plain[at]; ok {
						value = old
					}
					plain[at] = value
					if got := g.LoadOrStore(at[0], at[1], value); got != value {
						t.Fatalf("LoadOrStore%d = %d, want %d", at, got, value)
					}
				}
				for at, want := range plain {
					if got, ok := g.Load(at[0], at[1]); got != want || !ok {
						t.Fatalf("Load%d = %d, %v; want %d", at, got, ok, want)
					}
				}
			}
			for range 1000 {
				at := [2]uint32{r.Uint32N(50), r.Uint32N(50)}
				_, known := plain[at]
				if _, ok := g.Load(at[0], at[1]); ok != known {
					t.Fatalf("Load%d: %v, want %v", at, ok, known)
				}
			}
		})
	}
}

func TestGridLimits(t *testing.T) {
	var g intern.Grid
	if _, ok := g.Load(0, 0); ok || g.Bytes() != 0 {
		t.Error("an empty grid is not empty")
	}
	for _, at := range [][2]uint32{{0, 0}, {1 << 31, 0}, {0, 1 << 31}, {math.MaxUint32, math.MaxUint32}} {
		g.LoadOrStore(at[0], at[1], math.MaxUint32-1)
		if v, ok := g.Load(at[0], at[1]); v != math.MaxUint32-1 || !ok {
			t.Errorf("Load%d = %d, %v", at, v, ok)
		}
	}
	for row := uint32(1000); row < 1<<19; row += 1000 {
		if g.HasPlace(row, 500) {
			t.Errorf("the pair %d, 500 has a place", row)
		}
	}
	if !g.HasPlace(0, 0) || !g.HasPlace(100, 7) || g.HasPlace(math.MaxUint32, 0) || g.HasPlace(0, math.MaxUint32) {
		t.Error("pairs of small numbers have no place, or others have one")
	}
	mustPanic(t, "a value of 2^32-1", func() { g.LoadOrStore(1, 1, math.MaxUint32) })
	if n := g.Bytes(); n > 1<<12 {
		t.Errorf("a grid of four cells takes %d bytes", n)
	}
}

func TestGridConcurrent(t *testing.T) {
	var g intern.Grid
	const rows, columns = 70, 50
	want := func(row, column uint32) uint32 { return row*1000 + column }
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for _, n := range rand.New(rand.NewPCG(5, uint64(i))).Perm(rows * columns) {
				row, column := uint32(n/columns), uint32(n%columns)
				if row == rows-1 {
					row = 1 << 30 // beyond the array
				}
				if v, ok := g.Load(row, column); ok && v != want(row, column) {
					t.Errorf("Load(%d, %d) = %d", row, column, v)
				}
				if v := g.LoadOrStore(row, column, want(row, column)); v != want(row, column) {
					t.Errorf("LoadOrStore(%d, %d) = %d", row, column, v)
				}
				if v, ok := g.Load(row, column); !ok || v != want(row, column) {
					t.Errorf("after storing, Load(%d, %d) = %d, %v", row, column, v, ok)
				}
			}
		})
	}
	wg.Wait()
}

// TestSparseGrid stores one value in each of many rows.
func TestSparseGrid(t *testing.T) {
	var g intern.Grid
	for row := uint32(0); row < 1<<20; row += 1 << 10 {
		g.LoadOrStore(row, 1000, row)
	}
	if n := g.Bytes(); n > 1<<17 {
		t.Errorf("1024 values take %d bytes", n)
	}
}
