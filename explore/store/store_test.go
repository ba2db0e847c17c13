package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"ringcheck/explore/store"
)

// create returns a new store.
func create(tb testing.TB) *store.Store {
	tb.Helper()
	s, err := store.Create(filepath.Join(tb.TempDir(), "store"))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func closeStore(tb testing.TB, s *store.Store) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Error(err)
	}
}

// randomIDs returns n different state IDs that ascend, of halves below the given numbers.
func randomIDs(r *rand.Rand, n int, left, right uint32) []uint64 {
	set := make(map[uint64]bool)
	for range n {
		set[uint64(r.Uint32N(left))<<32|uint64(r.Uint32N(right))] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// write writes a run in a few steps.
func write(tb testing.TB, s *store.Store, ids []uint64) *store.Run {
	tb.Helper()
	w := s.Writer()
	for part := range slices.Chunk(ids, 1+len(ids)/3) {
		if err := w.Add(part); err != nil {
			tb.Fatal(err)
		}
	}
	run, err := w.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return run
}

// read returns all state IDs of a run.
func read(tb testing.TB, s *store.Store, run *store.Run) []uint64 {
	tb.Helper()
	r := s.Reader()
	defer r.Close()
	var all []uint64
	for i := range run.Blocks() {
		var err error
		if all, err = r.Block(run, i, all); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// TestRuns: what is written is read, by the process that wrote it and by the next one.
func TestRuns(t *testing.T) {
	s := create(t)
	r := rand.New(rand.NewPCG(1, 1))
	var sets [][]uint64
	var runs []*store.Run
	for i, n := range []int{0, 1, 2, 1000, 127, 128, 129, store.BlockIDs - 1, store.BlockIDs, store.BlockIDs + 1,
		100_000} {
		sets = append(sets, randomIDs(r, n, 1+1<<(3*i), 1<<16))
		runs = append(runs, write(t, s, sets[i]))
	}
	sets = append(sets, []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<64 - 2})
	runs = append(runs, write(t, s, sets[len(sets)-1]))
	same := func() {
		for i, run := range runs {
			if got := read(t, s, run); !slices.Equal(got, sets[i]) || run.IDs != uint64(len(got)) {
				t.Errorf("run %d: %d state IDs, want %d", i, len(got), len(sets[i]))
			}
		}
	}
	same()
	closeStore(t, s)
	s, err := store.Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	for i, run := range runs {
		if runs[i], err = s.Load(run.Number, run.IDs, run.Blocks()); err != nil {
			t.Fatal(err)
		}
	}
	same()
	if run := write(t, s, sets[3]); slices.ContainsFunc(runs,
		func(r *store.Run) bool { return r.Number == run.Number }) {
		t.Errorf("run %d is there twice", run.Number)
	}
}

// subtract returns which candidates are in none of some runs, so many of them asked for at a time.
func subtract(ctx context.Context, s *store.Store, candidates []uint64, runs []*store.Run, most int) (fresh []uint64,
	err error) {
	j := s.Joiner(ctx, runs)
	defer j.Close()
	for some := range slices.Chunk(candidates, most) {
		j.Expect(some)
		known, err := j.Find(some)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, store.RemoveKnown(some, known)...)
	}
	return fresh, nil
}

// TestSubtract compares with a map, for few candidates and many.
func TestSubtract(t *testing.T) {
	s := create(t)
	defer closeStore(t, s)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		left := 1 + r.Uint32N(1<<r.IntN(16))
		known := make(map[uint64]bool)
		var runs []*store.Run
		for range r.IntN(6) {
			ids := randomIDs(r, r.IntN(30_000), left, 1<<10)
			runs = append(runs, write(t, s, ids))
			for _, id := range ids {
				known[id] = true
			}
		}
		candidates := randomIDs(r, r.IntN([]int{50_000, 50_000, 20}[seed%3]), left, 1<<10)
		want := slices.DeleteFunc(slices.Clone(candidates), func(id uint64) bool { return known[id] })
		got, err := subtract(t.Context(), s, slices.Clone(candidates), runs, 1+r.IntN(store.ManyCandidates))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("seed %d: %d candidates are left, want %d; error %v", seed, len(got), len(want), err)
		}
	}
}

// TestTables: entries come back in order; Prune leaves what is wanted.
func TestTables(t *testing.T) {
	s := create(t)
	defer closeStore(t, s)
	var want []string
	for _, at := range []uint64{0, 5, 300, 1 << 40} {
		for _, table := range []uint32{1, 2} {
			if err := s.Put(table, at, fmt.Append(nil, table, at)); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, fmt.Sprint(uint32(2), at))
	}
	run := write(t, s, []uint64{1, 2, 3})
	orphan := write(t, s, []uint64{4, 5, 6})
	all := func(table uint32) (all []string) {
		err := s.Each(table, func(at uint64, data []byte) error {
			all = append(all, string(data))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return all
	}
	if got := all(2); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	err := s.Prune(func(number uint32) bool { return number == run.Number },
		func(table uint32, at uint64) bool { return table == 2 && at < 300 })
	if err != nil {
		t.Fatal(err)
	}
	if got := all(2); !slices.Equal(got, want[:2]) || len(all(1)) > 0 {
		t.Errorf("%q after Prune, want %q", got, want[:2])
	}
	if _, err := s.Load(run.Number, run.IDs, run.Blocks()); err != nil {
		t.Error(err)
	}
	if _, err := s.Load(orphan.Number, orphan.IDs, orphan.Blocks()); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("reading a removed run: %v", err)
	}
}

// TestRecord: the last record that was committed counts.
func TestRecord(t *testing.T) {
	s := create(t)
	if record, err := store.ReadRecord(s.Dir()); record != nil || err != nil {
		t.Errorf("record %q of a new store, error %v", record, err)
	}
	for i := range 3 {
		if err := s.Commit(fmt.Append(nil, "record ", i)); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	s, err := store.Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	if record, err := store.ReadRecord(s.Dir()); string(record) != "record 2" || err != nil {
		t.Errorf("record %q, error %v", record, err)
	}
}

// BenchmarkSubtract joins candidates with twenty times as many state IDs that are known.
func BenchmarkSubtract(b *testing.B) {
	s := create(b)
	defer closeStore(b, s)
	r := rand.New(rand.NewPCG(1, 3))
	var runs []*store.Run
	known := 0
	for range 20 {
		ids := randomIDs(r, 200_000, 1<<16, 1<<12)
		known += len(ids)
		runs = append(runs, write(b, s, ids))
	}
	candidates := randomIDs(r, 200_000, 1<<16, 1<<12)
	for b.Loop() {
		if _, err := subtract(b.Context(), s, slices.Clone(candidates), runs, store.ManyCandidates); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.Bytes())/float64(known), "bytes/ID")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*known), "ns/ID")
}
