package store_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ringcheck/explore/store"
	"ringcheck/internal/test/filetest"
)

// TestCutOff cuts off, changes or removes the states of a store that is open. What is not there any more is damaged,
// and stays so for the next process; the record is kept.
func TestCutOff(t *testing.T) {
	for i, change := range []func(path string) error{
		func(path string) error { return os.Truncate(path, 0) },
		func(path string) error { return os.Truncate(path, 4096) },
		func(path string) error {
			data := filetest.Read(t, path)
			data[len(data)/2] ^= 1
			return os.WriteFile(path, data, 0o666)
		},
		os.Remove,
	} {
		s := create(t)
		r := rand.New(rand.NewPCG(1, 7))
		run := write(t, s, randomIDs(r, 100_000, 1<<16, 1<<12))
		if err := s.Commit([]byte("kept")); err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(s.Dir(), "states")); err != nil {
			t.Fatal(err)
		}
		cut, removed := i < 2, i == 3
		if err := s.Commit([]byte("more")); errors.Is(err, store.ErrDamaged) != cut {
			t.Errorf("change %d: commit: %v", i, err)
		}
		damaged := 0
		for b := range run.Blocks() {
			if _, err := s.Reader().Block(run, b, nil); errors.Is(err, store.ErrDamaged) {
				damaged++
			} else if err != nil {
				t.Errorf("change %d: read: %v", i, err)
			}
		}
		if removed != (damaged == 0) {
			t.Errorf("change %d: %d blocks are damaged", i, damaged)
		}
		want := "more"
		if cut {
			want = "kept"
		}
		if record, err := store.ReadRecord(s.Dir()); string(record) != want || err != nil {
			t.Errorf("change %d: the record is %q, error %v", i, record, err)
		}
		closeStore(t, s)
		s, err := store.Open(s.Dir())
		if err == nil {
			err = s.Rewind()
			closeStore(t, s)
		}
		if errors.Is(err, store.ErrDamaged) != (cut || removed) {
			t.Errorf("change %d: opened again: %v", i, err)
		}
	}
}
