package largepage_test

import (
	"testing"

	"ringcheck/internal/largepage"
)

// TestMap checks that a block, small or large, is zero, of the requested length, and writable throughout.
func TestMap(t *testing.T) {
	for _, n := range []int{0, 1, 1000, largepage.Size / 8, largepage.Size/8 - 1, largepage.Size + 3, 692942, 955429} {
		block, unmap := largepage.Map[uint64](n)
		if len(block) != n {
			t.Fatalf("a block of %d, want %d", len(block), n)
		}
		for i := range block {
			if block[i] != 0 {
				t.Fatalf("element %d of %d is %d", i, n, block[i])
			}
			block[i] = uint64(i)
		}
		for i := range block {
			if block[i] != uint64(i) {
				t.Fatalf("element %d of %d became %d", i, n, block[i])
			}
		}
		unmap()
	}
}

// TestMake checks the same of a block that the garbage collector frees.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, largepage.Size / 16, 3*largepage.Size/16 + 5} {
		block := largepage.Make[[2]uint64](n)
		if len(block) != n || cap(block) != n {
			t.Fatalf("a block of %d, capacity %d, want %d", len(block), cap(block), n)
		}
		for i := range block {
			if block[i] != [2]uint64{} {
				t.Fatalf("element %d of %d is %v", i, n, block[i])
			}
			block[i][1] = uint64(i)
		}
	}
}

// TestAdvise checks that advice changes no contents, whatever the size.
func TestAdvise(t *testing.T) {
	type odd [3]byte
	for _, n := range []int{0, 1, 1000, largepage.Size, 5*largepage.Size + 7} {
		block := make([]odd, n)
		largepage.Advise(block)
		for i := range block {
			if block[i] != (odd{}) {
				t.Fatalf("element %d of %d is %v", i, n, block[i])
			}
			block[i] = odd{1, 2, 3}
		}
	}
	largepage.Advise([]struct{}{{}, {}})
}

func BenchmarkMap(b *testing.B) {
	for b.Loop() {
		block, unmap := largepage.Map[uint64](16 << 20 / 8)
		for i := 0; i < len(block); i += 512 {
			block[i] = 1
		}
		unmap()
	}
}
