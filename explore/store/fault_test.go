package store_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore/store"
	"ringcheck/internal/test/filetest"
)

// TestForeignPanic: a panic of the caller's own function is the caller's, and says nothing about the store.
func TestForeignPanic(t *testing.T) {
	s := create(t)
	defer closeStore(t, s)
	if err := s.Put(1, 0, []byte("data")); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v", r)
			}
		}()
		err := s.Each(1, func(uint64, []byte) error { panic("mine") })
		t.Errorf("the panic became the error %v", err)
	}()
	own := errors.New("own")
	if err := s.Each(1, func(uint64, []byte) error { return own }); !errors.Is(err, own) || errors.Is(err, store.ErrDamaged) {
		t.Errorf("an error of the caller's own function became %v", err)
	}
	if err := s.Put(1, 1, []byte("more")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestCutOff cuts off or removes the data file under a store that is open. Whatever is asked of it then, and Close, come
// back, and say that the store is damaged or what was there before.
func TestCutOff(t *testing.T) {
	for _, change := range []func(path string) error{
		func(path string) error { return os.Truncate(path, 0) },
		func(path string) error { return os.Truncate(path, 4096) },
		os.Remove,
	} {
		s := create(t)
		r := rand.New(rand.NewPCG(1, 7))
		run := write(t, s, randomIDs(r, 100_000, 1<<16, 1<<12))
		if err := s.Commit([]byte("kept")); err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(s.Dir(), "DATA")); err != nil {
			t.Fatal(err)
		}
		reader := s.Reader()
		for i := range run.Blocks() {
			if _, err := reader.Block(run, i, nil); err != nil && !errors.Is(err, store.ErrDamaged) {
				t.Errorf("read: %v", err)
			}
		}
		w := s.Writer()
		err := w.Add(randomIDs(r, 100_000, 1<<16, 1<<12))
		if _, finished := w.Finish(); err == nil {
			err = finished
		}
		if err == nil {
			err = s.Commit([]byte("more"))
		}
		if !errors.Is(err, store.ErrDamaged) || strings.Contains(err.Error(), "\n") {
			t.Errorf("write: %v", err)
		}
		if record, err := s.Record(); string(record) != "kept" || err != nil {
			t.Errorf("the record is %q, error %v", record, err)
		}
		closeStore(t, s)
		if _, err := store.Open(s.Dir()); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("open: %v", err)
		}
	}
}

// TestDamage changes each byte of a small store, or cuts it off there: whatever is read then is what was written, or ErrDamaged.
func TestDamage(t *testing.T) {
	s := create(t)
	ids := []uint64{1, 2, 1 << 33, 5 << 40}
	run := write(t, s, ids)
	if err := s.Put(7, 3, []byte("table")); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit([]byte("record")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	look := func() error {
		s, err := store.Open(s.Dir())
		if err != nil {
			return err
		}
		defer closeStore(t, s)
		record, err := s.Record()
		if err != nil {
			return err
		}
		loaded, err := s.Load(run.Number, run.IDs, run.Blocks())
		if err != nil {
			return err
		}
		got, err := s.Reader().Block(loaded, 0, nil)
		if err != nil {
			return err
		}
		table := 0
		err = s.Each(7, func(at uint64, data []byte) error { table++; return nil })
		if err == nil && (string(record) != "record" || !slices.Equal(got, ids) || table != 1) {
			err = store.ErrDamaged // the entry has another owner, and its reader misses it
		}
		return err
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"DATA", "RECORD"} {
		path := filepath.Join(s.Dir(), name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			other := slices.Clone(whole)
			other[i] ^= 0x55
			for _, damaged := range [][]byte{other, whole[:i]} {
				filetest.Write(t, path, damaged)
				if err := look(); !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%s, byte %d: %v", name, i, err)
				}
			}
		}
		filetest.Write(t, path, whole)
	}
}
