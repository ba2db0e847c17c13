package store_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/explore/store"
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
	if err := s.Each(1, func(uint64, []byte) error { return own }); !errors.Is(err, own) ||
		errors.Is(err, store.ErrDamaged) {
		t.Errorf("an error of the caller's own function became %v", err)
	}
	if err := s.Put(1, 1, []byte("more")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestCutOff cuts off or removes files under a store that is open. Whatever is asked of it then, and Close, come back,
// and say that the store is damaged or what was there before.
func TestCutOff(t *testing.T) {
	for _, ext := range []string{".vlog", ".mem"} {
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
			files, err := filepath.Glob(filepath.Join(s.Dir(), "*", "*"+ext))
			if err != nil || len(files) == 0 {
				t.Fatalf("no %s files, error %v", ext, err)
			}
			for _, path := range files {
				if err := change(path); err != nil {
					t.Fatal(err)
				}
			}
			reader := s.Reader()
			for i := range run.Blocks() {
				if _, err := reader.Block(run, i, nil); err != nil && !errors.Is(err, store.ErrDamaged) {
					t.Errorf("read: %v", err)
				}
			}
			reader.Close()
			w := s.Writer()
			err = w.Add(randomIDs(r, 100_000, 1<<16, 1<<12))
			if _, finished := w.Finish(); err == nil {
				err = finished
			}
			if err != nil && !errors.Is(err, store.ErrDamaged) || ext == ".vlog" && err == nil {
				t.Errorf("write: %v", err)
			}
			if record, err := store.ReadRecord(s.Dir()); string(record) != "kept" || err != nil {
				t.Errorf("the record is %q, error %v", record, err)
			}
			if err := s.Close(); err != nil && (!errors.Is(err, store.ErrDamaged) || strings.Contains(err.Error(),
				"\n")) {
				t.Errorf("close: %v", err)
			}
		}
	}
}
