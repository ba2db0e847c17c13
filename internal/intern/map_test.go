package intern_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"ringcheck/internal/intern"
)

// goroutines is the number of concurrent users of a table in tests.
const goroutines = 8

// keys returns n different keys that look like pairs of small numbers, and a few extreme ones.
func keys(n int) []uint64 {
	list := []uint64{0, 1, math.MaxUint32, 1 << 32, math.MaxUint64}
	for i := 0; len(list) < n; i++ {
		list = append(list, intern.Pair(uint32(i%97)+2, uint32(i/97)))
	}
	return list
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

func TestMapAgainstPlain(t *testing.T) {
	var m intern.Map
	plain := map[uint64]uint32{}
	r := rand.New(rand.NewPCG(1, 0))
	universe := keys(3000)
	for range 50_000 {
		key, value := universe[r.IntN(len(universe))], r.Uint32N(math.MaxUint32)
		old, known := plain[key]
		switch r.IntN(3) {
		case 0:
			if got, ok := m.Load(key); got != old && ok || ok != known {
				t.Fatalf("Load(%#x) = %d, %v; want %d, %v", key, got, ok, old, known)
			}
			continue
		case 1:
			if known {
				value = old
			}
			if got := m.LoadOrStore(key, value); got != value {
				t.Fatalf("LoadOrStore(%#x) = %d, want %d", key, got, value)
			}
		case 2:
			create := func() uint32 {
				if known {
					t.Fatalf("%#x is created twice", key)
				}
				return value
			}
			if known {
				value = old
			}
			if got := m.LoadOrCreate(key, create); got != value {
				t.Fatalf("LoadOrCreate(%#x) = %d, want %d", key, got, value)
			}
		}
		plain[key] = value
	}
	for key, value := range plain {
		if got, ok := m.Load(key); got != value || !ok {
			t.Errorf("Load(%#x) = %d, %v; want %d", key, got, ok, value)
		}
	}
	if want := int64(len(plain)) * 16; m.Bytes() < want || m.Bytes() > 6*want { // with the table of before
		t.Errorf("%d entries take %d bytes", len(plain), m.Bytes())
	}
}

// TestMapLimits checks that the greatest value can be stored, and that a greater one is refused rather than lost.
func TestMapLimits(t *testing.T) {
	var m intern.Map
	if _, ok := m.Load(0); ok || m.Bytes() != 0 {
		t.Error("an empty map is not empty")
	}
	m.LoadOrStore(7, math.MaxUint32-1)
	if v, ok := m.Load(7); v != math.MaxUint32-1 || !ok {
		t.Errorf("Load = %d, %v", v, ok)
	}
	mustPanic(t, "a value of 2^32-1", func() { m.LoadOrStore(8, math.MaxUint32) })
	if _, ok := m.Load(8); ok {
		t.Error("a rejected value was stored")
	}
	m.LoadOrStore(9, 9) // the lock is free
}

// TestMapConcurrent checks that all goroutines see the first value of a key.
func TestMapConcurrent(t *testing.T) {
	var m intern.Map
	universe := keys(5000)
	views := make([]map[uint64]uint32, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		views[g] = make(map[uint64]uint32)
		wg.Go(func() {
			for _, i := range rand.New(rand.NewPCG(2, uint64(g))).Perm(len(universe)) {
				key := universe[i]
				v, ok := m.Load(key)
				stored := m.LoadOrStore(key, uint32(g*len(universe)+i))
				if ok && v != stored {
					t.Errorf("%#x was %d, then %d", key, v, stored)
				}
				views[g][key] = stored
			}
		})
	}
	wg.Wait()
	for g, view := range views {
		if !maps.Equal(view, views[0]) {
			t.Errorf("goroutine %d has seen other values than goroutine 0", g)
		}
	}
}

func TestPairs(t *testing.T) {
	var p intern.Pairs
	universe := keys(5000)
	numbers := make([][]uint32, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		numbers[g] = make([]uint32, len(universe))
		wg.Go(func() {
			for _, i := range rand.New(rand.NewPCG(3, uint64(g))).Perm(len(universe)) {
				n := p.Number(universe[i])
				if p.At(n) != universe[i] {
					t.Errorf("number %d is %#x, was given to %#x", n, p.At(n), universe[i])
				}
				if int(n) >= p.Len() {
					t.Errorf("number %d of %d", n, p.Len())
				}
				numbers[g][i] = n
			}
		})
	}
	wg.Wait()
	if p.Len() != len(universe) {
		t.Errorf("%d pairs have a number, want %d", p.Len(), len(universe))
	}
	taken := make([]bool, len(universe))
	for i, n := range numbers[0] {
		if int(n) >= len(taken) || taken[n] {
			t.Fatalf("number %d is beyond the dense ones or given twice", n)
		}
		taken[n] = true
		for g := range numbers {
			if numbers[g][i] != n {
				t.Errorf("pair %d is number %d to goroutine 0, %d to goroutine %d", i, n, numbers[g][i], g)
			}
		}
	}
	if p.Bytes() < int64(len(universe))*24 {
		t.Errorf("%d pairs take %d bytes only", len(universe), p.Bytes())
	}
}

func TestSplit(t *testing.T) {
	for _, c := range [][2]uint32{{}, {0, 1}, {1, 0}, {math.MaxUint32, 0}, {math.MaxUint32, math.MaxUint32 - 1}} {
		if l, r := intern.Split(intern.Pair(c[0], c[1])); l != c[0] || r != c[1] {
			t.Errorf("%v became %d, %d", c, l, r)
		}
	}
}
