package store

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzBlock: a block is read as what it says, or makes no sense. What is read is written again as a block that says the
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

// FuzzEntries: the entries of a store are found, or the store is damaged; an entry whose checksum is right can be read.
func FuzzEntries(f *testing.F) {
	sealed := func(value []byte) []byte {
		value[headBytes-hashBytes-8] = byte(len(value) - headBytes)
		binary.LittleEndian.PutUint64(value[headBytes-hashBytes:], headSum(value))
		seal(value)
		return value
	}
	f.Add(sealed(append(appendHead(nil, tableEntry, 1, 0), "data"...)))
	f.Add(append(sealed(appendBlock(appendHead(nil, runEntry, 1, 5), []uint64{5, 6})), 0))
	f.Add(appendHead(nil, runEntry, 1, 5)[:headBytes-1])
	f.Fuzz(func(t *testing.T, states []byte) {
		s, err := Create(filepath.Join(t.TempDir(), "store"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.states.file.Write(states); err != nil {
			t.Fatal(err)
		}
		s.states.end.Store(int64(len(states)))
		err = errors.Join(s.Commit(nil), s.Rewind())
		for number := range s.tables {
			err = errors.Join(err, s.Each(number, func([]byte) error { return nil }))
		}
		for number, run := range s.runs {
			_, loaded := s.Load(number, 1, run.Blocks())
			err = errors.Join(err, loaded)
			for i := range run.Blocks() {
				_, read := s.Reader().Block(run, i, nil)
				err = errors.Join(err, read)
			}
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	})
}
