package visited

import (
	"math/rand/v2"
	"testing"
)

// TestFind: every root has a slot of its own, the same each time.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	ref := newReference()
	var roots []uint64
	for range 300 {
		batch := make([]uint64, 1000)
		for i := range batch {
			batch[i] = r.Uint64N(1<<19)<<32 | r.Uint64N(1<<18)
		}
		ref.put(t, batch)
		roots = append(roots, batch...)
	}
	f := ref.set.Finder()
	owner := make(map[uint64]uint64)
	for i, slot := range f.Find(roots, nil) {
		if slot >= ref.set.Slots() {
			t.Fatalf("slot %d of %d", slot, ref.set.Slots())
		}
		if root, ok := owner[slot]; ok && root != roots[i] {
			t.Fatalf("roots %x and %x have the slot %d", root, roots[i], slot)
		}
		owner[slot] = roots[i]
	}
	if len(owner) != len(ref.plain) {
		t.Errorf("%d slots for %d roots", len(owner), len(ref.plain))
	}
}
