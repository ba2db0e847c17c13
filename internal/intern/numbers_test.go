package intern

import "testing"

// TestNumbersFarFromHome checks that pairs are found as far from home as a distance can say, and that a table reports
// one that is farther.
func TestNumbersFarFromHome(t *testing.T) {
	const slotBits = 14
	table := newNumbers(slotBits)
	// All of these have the same home slot; 12 bits of distance are not enough for the last.
	const room = 1<<12 - 1
	hash := func(i int) uint64 { return 5<<(hashBits-slotBits) | uint64(i) }
	for i := range room {
		if !table.put(hash(i), uint32(i)) {
			t.Fatalf("pair %d did not fit", i)
		}
	}
	if table.put(hash(room), room) {
		t.Errorf("pair %d was put where its distance does not fit", room)
	}
	for _, in := range []*numbers{table, table.grow()} {
		for i := range room {
			if got, ok := in.find(hash(i)); !ok || got != uint32(i) {
				t.Fatalf("%d slots: pair %d is found as %d, %v", len(in.slots), i, got, ok)
			}
		}
		if _, ok := in.find(hash(room)); ok {
			t.Errorf("%d slots: found a pair that was never added", len(in.slots))
		}
	}
}
