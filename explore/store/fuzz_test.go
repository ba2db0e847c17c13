package store

import (
	"slices"
	"testing"
)

// FuzzBlock: a block is read as what it says, or is invalid. What is read is written again as a block that says the
// same.
func FuzzBlock(f *testing.F) {
	f.Add(appendBlock(nil, []uint64{1, 2, 1 << 32, 1<<40 + 5}), uint64(1))
	f.Add([]byte{1, 32}, uint64(1<<63))
	f.Add([]byte{2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, first uint64) {
		ids, ok := new(decoder).decodeBlock(data, first, nil)
		if !ok {
			return
		}
		if len(ids) == 0 || len(ids) > BlockIDs || ids[0] != first {
			t.Fatalf("%d state IDs from %d on", len(ids), first)
		}
		if !slices.IsSorted(ids) {
			return // what no checksum lets through
		}
		again, ok := new(decoder).decodeBlock(appendBlock(nil, ids), first, nil)
		if !ok || !slices.Equal(ids, again) {
			t.Errorf("%v became %v", ids, again)
		}
	})
}

// FuzzSums: the list of checksums is read, or refused.
func FuzzSums(f *testing.F) {
	f.Add("")
	f.Add("ef46db3751d8e999\n")
	f.Add("0123456789abcdef 000001.sst\nffffffffffffffff\n")
	f.Fuzz(func(t *testing.T, text string) {
		sums, err := parseSums(text)
		if err == nil && len(sums) > 0 {
			again, err := parseSums(sums.text())
			if err != nil || len(again) != len(sums) {
				t.Errorf("%q became %v, error %v", text, again, err)
			}
		}
	})
}
