package compile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model/language/ir"
)

// TestPacking packs and unpacks random values of random types.
func TestPacking(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	long := 0
	for range 2000 {
		var p packing
		var values []int64
		offset := rng.IntN(8)
		for range rng.IntN(6) {
			lo := rng.Int64() >> rng.IntN(64)
			if rng.IntN(2) == 0 {
				lo = -lo
			}
			size := rng.Int64() >> rng.IntN(64)
			if lo > 0 {
				size = min(size, math.MaxInt64-lo)
			}
			p = p.add(ir.IntType(lo, lo+size))
			value := lo
			switch rng.IntN(3) {
			case 0:
				value += size
			case 1:
				value += int64(rng.Uint64N(uint64(size) + 1))
			}
			values = append(values, value)
		}
		words := make([]uint32, p.words(offset))
		w := packer{words: words}
		w.put(1<<offset-1, offset)
		w.putAll(p, values)
		if len(words) > 2 {
			long++
		}
		r := packer{words: words}
		if got := r.get(offset); got != 1<<offset-1 {
			t.Fatalf("the first %d bits are %b", offset, got)
		}
		if got := r.appendAll(p, nil); !slices.Equal(got, values) {
			t.Fatalf("%v packed as %+v is %v", values, p, got)
		}
		for _, w := range words {
			if w>>wordBits != 0 {
				t.Fatalf("a word is %x", w)
			}
		}
	}
	if long < 100 {
		t.Errorf("only %d lists take more than two words", long)
	}
}
