package store

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzBlock: a block is read as what it says, or makes no sense. What is read is written again as a block that says the same.
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

// FuzzScan: a data file is read entry by entry, or refused.
func FuzzScan(f *testing.F) {
	entry := append(make([]byte, headerBytes), "data"...)
	dir := f.TempDir()
	s, err := Create(filepath.Join(dir, "store"))
	if err != nil {
		f.Fatal(err)
	}
	if _, err := s.put(owner{tableEntry, 1}, 2, entry); err != nil {
		f.Fatal(err)
	}
	f.Add(entry)
	f.Add(slices.Concat(entry, entry))
	f.Add(entry[:headerBytes-1])
	f.Add(make([]byte, 2*headerBytes))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStore(dir)
		if err := s.create(); err != nil {
			t.Fatal(err)
		}
		defer s.data.file.Close()
		if _, err := s.data.Add(data); err != nil {
			t.Fatal(err)
		}
		if err := s.access("scan", s.scan); err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			return
		}
		n := 0
		for of, entries := range s.index {
			for _, e := range entries {
				n += int(e.size)
				if _, err := s.get("get", of, e, new([]byte)); err != nil && !errors.Is(err, ErrDamaged) {
					t.Error(err)
				}
			}
		}
		if n != len(data) {
			t.Errorf("entries of %d bytes in %d", n, len(data))
		}
	})
}
