package visited

import (
	"math/rand/v2"
	"testing"
)

// TestFind: every state ID has a slot of its own, the same each time.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	ref := newReference()
	var ids []uint64
	for range 300 {
		batch := make([]uint64, 1000)
		for i := range batch {
			batch[i] = r.Uint64N(1<<19)<<32 | r.Uint64N(1<<18)
		}
		ref.put(t, batch)
		ids = append(ids, batch...)
	}
	f := ref.set.Finder()
	owner := make(map[uint64]uint64)
	for i, slot := range f.Find(ids, nil) {
		if slot >= ref.set.Slots() {
			t.Fatalf("slot %d of %d", slot, ref.set.Slots())
		}
		if id, ok := owner[slot]; ok && id != ids[i] {
			t.Fatalf("state IDs %x and %x have the slot %d", id, ids[i], slot)
		}
		owner[slot] = ids[i]
	}
	if len(owner) != len(ref.plain) {
		t.Errorf("%d slots for %d state IDs", len(owner), len(ref.plain))
	}
}
