package intern_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"ringcheck/internal/intern"
)

// TestNumberingAgainstPlain checks that numbers are given out from 0 on and do not change, also with wide pairs and
// after becoming compact, which takes less memory.
func TestNumberingAgainstPlain(t *testing.T) {
	tests := []struct {
		name     string
		universe func(r *rand.Rand) uint64
	}{
		{"small", func(r *rand.Rand) uint64 { return intern.Pair(r.Uint32N(300), r.Uint32N(300)) }},
		{"one half", func(r *rand.Rand) uint64 { return intern.Pair(7, r.Uint32N(30_000)) }},
		{"26 bits", func(r *rand.Rand) uint64 { return intern.Pair(r.Uint32()>>6, r.Uint32N(3)) }},
		{"wide from the start", func(r *rand.Rand) uint64 { return r.Uint64() }},
		{"wide at times", func(r *rand.Rand) uint64 {
			if r.IntN(5000) == 0 {
				return intern.Pair(r.Uint32N(3), 1<<26|r.Uint32N(3))
			}
			return intern.Pair(r.Uint32N(1000), r.Uint32N(100))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var n intern.Numbering
			plain := map[uint64]uint32{}
			var pairs intern.Array[uint64]
			r := rand.New(rand.NewPCG(1, 0))
			for i := range 200_000 {
				if i == 100_000 {
					before := n.Bytes()
					n.Compact(func(number uint32) uint64 { return *pairs.At(number) })
					if len(plain) > 1<<13 && n.Bytes() > before*3/4 {
						t.Errorf("%d pairs in %d bytes, compact in %d", n.Len(), before, n.Bytes())
					}
				}
				pair := test.universe(r)
				want, known := plain[pair]
				if got, ok := n.Load(pair); ok != known || got != want && ok {
					t.Fatalf("Load(%#x) = %d, %v; want %d, %v", pair, got, ok, want, known)
				}
				if !known {
					want = uint32(len(plain))
				}
				created := false
				got := n.LoadOrCreate(pair, func(number uint32) {
					created = number == want
					*pairs.At(number) = pair
				})
				if got != want || created == known {
					t.Fatalf("LoadOrCreate(%#x) = %d, created: %v; want %d, %v", pair, got, created, want, !known)
				}
				plain[pair] = want
			}
			if n.Len() != len(plain) || n.Bytes() < 4*int64(len(plain)) {
				t.Errorf("%d pairs in %d bytes, want %d", n.Len(), n.Bytes(), len(plain))
			}
			for pair, want := range plain {
				if got, ok := n.Load(pair); !ok || got != want {
					t.Errorf("Load(%#x) = %d, %v; want %d", pair, got, ok, want)
				}
			}
		})
	}
}

// TestNumberingCopies: without copies a numbering holds one table; with them, also the next table before it is made.
func TestNumberingCopies(t *testing.T) {
	var n intern.Numbering
	grown := 0
	for i := range uint32(100_000) {
		all, held := n.Bytes(), n.Bytes()-n.Copies()
		n.LoadOrCreate(intern.Pair(i, i), func(uint32) {})
		now := n.Bytes() - n.Copies()
		if least := 8 * int64(i+1); now < least || i > 100 && now > 3*least {
			t.Fatalf("%d pairs take %d bytes", i+1, now)
		}
		if i > 100 && now > held {
			if grown++; all < held+now {
				t.Errorf("%d pairs: %d bytes before the table grows from %d to %d", i, all, held, now)
			}
		}
	}
	if grown < 8 {
		t.Errorf("the table grew %d times", grown)
	}
}

// TestLookup checks that looking up many pairs at a time gives the number of each, in a compact numbering too, while
// other goroutines add pairs.
func TestLookup(t *testing.T) {
	rounds := 5000
	if testing.Short() {
		rounds = 500
	}
	for _, compact := range []bool{false, true} {
		var n intern.Numbering
		var pairs intern.Array[uint64]
		add := func(pair uint64) uint32 {
			return n.LoadOrCreate(pair, func(number uint32) { *pairs.At(number) = pair })
		}
		universe := keys(60_000)
		for _, pair := range universe[:1000] {
			add(pair)
		}
		if compact {
			n.Compact(func(number uint32) uint64 { return *pairs.At(number) })
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				var l intern.Lookup
				r := rand.New(rand.NewPCG(8, uint64(g)))
				some, out := make([]uint64, 100), make([]uint32, 100)
				for range rounds {
					for i := range some {
						some[i] = universe[r.IntN(len(universe))]
					}
					l.Find(&n, some, out, add)
					for i, number := range out {
						if *pairs.At(number) != some[i] {
							t.Errorf("compact: %t: %#x has number %d, which is that of %#x", compact, some[i], number,
								*pairs.At(number))
						}
					}
				}
			})
		}
		wg.Wait()
		if n.Len() > len(universe) {
			t.Errorf("compact: %t: %d pairs have %d numbers", compact, len(universe), n.Len())
		}
	}
}

// TestNumberingView checks that a view finds all pairs that were there when it was made.
func TestNumberingView(t *testing.T) {
	var n intern.Numbering
	if _, ok := n.View().Find(n.View().Probe(1)); ok {
		t.Error("an empty view is not empty")
	}
	note := func(uint32) {}
	for i := range uint32(1000) {
		n.LoadOrCreate(intern.Pair(i, 1000-i), note)
	}
	view := n.View()
	for i := range uint32(10_000) {
		n.LoadOrCreate(intern.Pair(2*i, 5), note)
	}
	for i := range uint32(1000) {
		if got, ok := view.Find(view.Probe(intern.Pair(i, 1000-i))); !ok || got != i {
			t.Fatalf("pair %d is found as %d, %v", i, got, ok)
		}
	}
	if _, ok := view.Find(view.Probe(intern.Pair(1<<30, 1))); ok {
		t.Error("found a wide pair that was never added")
	}
}

// TestNumberingConcurrent checks that all goroutines see the same numbers, and the data stored with them.
func TestNumberingConcurrent(t *testing.T) {
	var n intern.Numbering
	var notes intern.Array[uint64]
	const size = 5000
	views := make([]map[uint64]uint32, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		views[g] = make(map[uint64]uint32)
		wg.Go(func() {
			for _, i := range rand.New(rand.NewPCG(2, uint64(g))).Perm(size) {
				pair := intern.Pair(uint32(i%70), uint32(i/70))
				if i%1000 == 999 {
					pair |= 1 << 63
				}
				number, ok := n.Load(pair)
				if !ok {
					number = n.LoadOrCreate(pair, func(k uint32) { *notes.At(k) = pair })
				}
				if *notes.At(number) != pair {
					t.Errorf("%#x has number %d, which is that of %#x", pair, number, *notes.At(number))
				}
				views[g][pair] = number
			}
		})
	}
	wg.Wait()
	if n.Len() != size {
		t.Errorf("%d numbers, want %d", n.Len(), size)
	}
	for g := range views {
		for pair, number := range views[g] {
			if views[0][pair] != number {
				t.Errorf("%#x is %d and %d", pair, views[0][pair], number)
			}
		}
	}
}
