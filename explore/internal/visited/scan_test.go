package visited

import (
	"math/rand/v2"
	"testing"
)

// TestScanLines: masks say which slots hold what is wanted, and which are empty.
func TestScanLines(t *testing.T) {
	if !canScan {
		t.Skip("this processor does not scan lines")
	}
	r := rand.New(rand.NewPCG(3, 0))
	lines := make([]line, 40)
	for n := range 100 {
		homes, wants, masks := make([]*line, n+1), make([]uint32, n+1), make([]uint32, n+2)
		for i := range homes {
			homes[i], wants[i] = &lines[r.IntN(len(lines))], 1+r.Uint32N(20)
			for slot := range homes[i] {
				homes[i][slot] = r.Uint32N(20) * r.Uint32N(2)
			}
		}
		scanLines(&homes[0], &wants[0], &masks[0], len(homes))
		for i, l := range homes {
			mask := uint32(0)
			for slot, v := range l {
				switch v {
				case wants[i]:
					mask |= 1 << slot
				case 0:
					mask |= 1 << (16 + slot)
				}
			}
			if masks[i] != mask {
				t.Fatalf("the mask of %v for %d is %#x, want %#x", l, wants[i], masks[i], mask)
			}
		}
		if masks[n+1] != 0 {
			t.Fatal("a mask too many was written")
		}
	}
}
