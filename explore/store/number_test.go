package store_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ringcheck/explore/store"
)

// TestNumber numbers the state IDs of random runs, and looks some of them up.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s, err := store.Temporary(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var runs []*store.Run
	numbers := make(map[uint64]uint64)
	for range 5 {
		var ids []uint64
		for range 1 + r.IntN(40000) {
			if id := r.Uint64N(1<<20)<<32 | r.Uint64N(1<<10); !slices.Contains(ids[max(0, len(ids)-1):], id) {
				ids = append(ids, id)
			}
		}
		ids = slices.DeleteFunc(ids, func(id uint64) bool { _, ok := numbers[id]; return ok })
		slices.Sort(ids)
		ids = slices.Compact(ids)
		for _, id := range ids {
			numbers[id] = uint64(len(numbers))
		}
		w := s.Writer()
		if err := w.Add(ids); err != nil {
			t.Fatal(err)
		}
		run, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if n := store.Number(runs); n != uint64(len(numbers)) {
		t.Fatalf("%d, want %d", n, len(numbers))
	}
	var some []uint64
	for id := range numbers {
		if some = append(some, id); len(some) == 1000 {
			break
		}
	}
	slices.Sort(some)
	j := s.Joiner(t.Context(), runs)
	defer j.Close()
	j.Expect(some)
	got, err := j.Numbers(some)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range some {
		if got[i] != numbers[id] {
			t.Fatalf("state ID %x has number %d, want %d", id, got[i], numbers[id])
		}
	}
	j.Expect([]uint64{1 << 60})
	if _, err := j.Numbers([]uint64{1 << 60}); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("looking up a state ID that was never added: %v", err)
	}
}

// TestPile: what was damaged is not taken for what was written.
func TestPile(t *testing.T) {
	s, err := store.Temporary(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Pile()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const checksum, size = 8, 2
	var pieces [3]store.Extent
	for i := range pieces {
		if pieces[i], err = p.Add([]byte{'a' + byte(i), 'b'}); err != nil {
			t.Fatal(err)
		}
	}
	var buffer []byte
	read := func(i int) ([]byte, error) { return p.Read(pieces[i], &buffer) }
	if data, err := read(1); string(data) != "bb" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	names, err := filepath.Glob(filepath.Join(s.Dir(), "pile-*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	file, err := os.OpenFile(names[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{'x'}, checksum+size+checksum); err != nil {
		t.Fatal(err)
	}
	if _, err := read(1); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("changed byte: %v", err)
	}
	if err := file.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if _, err := read(2); err == nil {
		t.Error("reading a truncated file did not fail")
	}
}
