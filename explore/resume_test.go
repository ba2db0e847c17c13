package explore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
)

// resumed explores in as many runs as it takes, each of which stops somewhere or spills somewhere, as another process
// would: with a store that is opened again and a new system.
func resumed(t *testing.T, r *rand.Rand, states uint64, system func() model.System) (result *explore.Result, runs int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	db, err := store.Create(dir)
	for limit := r.Uint64N(states + 1); ; limit += 1 + r.Uint64N(states) {
		if err != nil {
			t.Fatal(err)
		}
		opt := explore.Options{Workers: workerCounts[r.IntN(len(workerCounts))], MaxStates: limit, Store: db,
			About: json.RawMessage(`"me"`)}
		if r.IntN(2) == 0 {
			opt = explore.Spilling(opt, 1+r.Uint64N(states), 1+r.IntN(int(states)))
		}
		result = systemtest.Run(t, system(), opt)
		runs++
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if result.Complete() {
			return result, runs
		}
		if result.Stop != explore.StateLimit {
			t.Fatalf("run %d has stopped: %v, %v", runs, result.Stop, result.Failure)
		}
		db, err = store.Open(dir)
	}
}

// A renumbered system has a random system's values XOR a mask, as if each process met them in another order.
type renumbered struct {
	*systemtest.System
	mask model.Value
}

func (s renumbered) turn(values []model.Value) []model.Value {
	for i := range values {
		values[i] ^= s.mask
	}
	return values
}

func (s renumbered) Initial(yield func(state []model.Value) bool) error {
	return s.System.Initial(func(state []model.Value) bool { return yield(s.turn(state)) })
}

func (s renumbered) Next(g int, in []model.Value, out *model.Successors) error {
	first := out.Len()
	err := s.System.Next(g, s.turn(slices.Clone(in)), out)
	for i := first; i < out.Len(); i++ {
		s.turn(out.Values(i))
	}
	return err
}

func (s renumbered) AppendSlot(buf []byte, _ int, v model.Value) []byte {
	return append(buf, byte(v^s.mask))
}

func (s renumbered) DecodeSlot(_ int, data []byte) (v model.Value, rest []byte, err error) {
	if len(data) == 0 {
		return 0, nil, errors.New("no value")
	}
	return model.Value(data[0]) ^ s.mask, data[1:], nil
}

// TestResumeRandomSystems: values have other numbers in every process, in systems of few slots, too.
func TestResumeRandomSystems(t *testing.T) {
	for seed := range seeds(40) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		r := rand.New(rand.NewPCG(seed, 7))
		result, runs := resumed(t, r, uint64(len(graph.States)),
			func() model.System { return renumbered{sys, r.Uint32N(64)} })
		if got, want := countsOf(result), graphCounts(graph); got != want {
			t.Errorf("%s, after %d runs: %v, want %v", name, runs, got, want)
		}
	}
}

// TestResumeSpecs: a spec numbers its values as a process meets them.
func TestResumeSpecs(t *testing.T) {
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(int(seeds(30)), 0) {
		p := spectest.Instantiate(t, src, nil)
		for _, opt := range []reduce.Search{{}, {Reduction: reduce.Confelm}, {Symmetry: reduce.Rotation},
			{Reduction: reduce.Confelm, Symmetry: reduce.Rotation}} {
			system := func() model.System {
				sys := spectest.Compile(t, p, compile.Options{MaxMessages: 2})
				applied, err := reduce.Apply(t.Context(), sys, opt, nil)
				if err != nil {
					return nil // not symmetric
				}
				return applied.System
			}
			first := system()
			if first == nil {
				continue
			}
			want, err := explore.Run(t.Context(), first, explore.Options{MaxStates: 5000})
			if err != nil || !want.Complete() {
				continue
			}
			result, runs := resumed(t, rand.New(rand.NewPCG(seed, 8)), want.Stored, system)
			if countsOf(result) != countsOf(want) || result.Stored != want.Stored {
				t.Errorf("seed %d, %+v, after %d runs: %v, want %v", seed, opt, runs, countsOf(result), countsOf(want))
			}
			if runs > 1 {
				corpus.Use(t, src)
			}
		}
	}
	corpus.Check(t)
}

// TestResumePublished does so with a spec whose channels get crowded.
func TestResumePublished(t *testing.T) {
	want := systemtest.Run(t, election(t, 3, 2), explore.Options{})
	for seed := range seeds(6) {
		result, runs := resumed(t, rand.New(rand.NewPCG(seed, 9)), want.Stored,
			func() model.System { return election(t, 3, 2) })
		if countsOf(result) != countsOf(want) {
			t.Errorf("after %d runs: %v, want %v", runs, countsOf(result), countsOf(want))
		}
	}
}

// TestResumeFinished: a run that is complete has the same result again. ReadCheckpoint knows it.
func TestResumeFinished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	db, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if c, err := explore.ReadCheckpoint(dir); c != nil || err != nil {
		t.Errorf("a new store has the checkpoint %v, error %v", c, err)
	}
	var results []counts
	for range 2 {
		r := systemtest.Run(t, election(t, 2, 2), explore.Options{Store: db, About: json.RawMessage(`"me"`)})
		results = append(results, countsOf(r))
	}
	if results[0] != results[1] || results[0].stop != explore.Exhausted {
		t.Errorf("first %v, then %v", results[0], results[1])
	}
	c, err := explore.ReadCheckpoint(dir)
	if err != nil || !c.Complete || c.States != results[0].states || string(c.About) != `"me"` ||
		fmt.Sprint(c.Levels) != results[0].levels {
		t.Errorf("checkpoint %+v, error %v", c, err)
	}
}

// TestFailures lets the disk fail at a random moment, for good or once, and takes the run up again. No count is ever
// wrong.
func TestFailures(t *testing.T) {
	k := 3
	if testlevel.Gate() {
		k = 6
	}
	want := systemtest.Run(t, election(t, 2, k), explore.Options{})
	failed := 0
	for seed := range seeds(10) {
		r := rand.New(rand.NewPCG(seed, 12))
		dir := filepath.Join(t.TempDir(), "store")
		db, err := store.Create(dir)
		for broken := errors.New("broken"); ; {
			if err != nil {
				t.Fatal(err)
			}
			left, forGood := 1+r.Int64N(1<<(4+r.IntN(9))), r.IntN(2) == 0
			var accesses atomic.Int64
			db.Interpose(func(string) error {
				if n := accesses.Add(1); n == left || n > left && forGood {
					return broken
				}
				return nil
			})
			opt := explore.Options{Workers: 1 + r.IntN(3), Store: db, About: json.RawMessage(`"me"`)}
			opt = explore.Spilling(opt, 1+r.Uint64N(want.States), 1+r.IntN(int(want.States)))
			result, runErr := explore.Run(t.Context(), election(t, 2, k), opt)
			db.Interpose(nil)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if runErr == nil && result.Complete() {
				if countsOf(result) != countsOf(want) {
					t.Errorf("seed %d: %v, want %v", seed, countsOf(result), countsOf(want))
				}
				break
			}
			failed++
			if runErr == nil && (result.Stop != explore.DiskFailure || result.States > want.States) {
				t.Errorf("seed %d: %v", seed, countsOf(result))
			}
			if runErr == nil {
				runErr = result.Failure
			}
			if !errors.Is(runErr, broken) {
				t.Errorf("seed %d: error %v", seed, runErr)
			}
			db, err = store.Open(dir)
		}
	}
	if failed < 2 {
		t.Errorf("only %d runs have failed", failed)
	}
}
