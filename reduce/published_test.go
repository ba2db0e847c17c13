package reduce_test

import (
	"fmt"
	"strconv"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/results/published"
)

// run counts with one worker.
func run(t testing.TB, p *ir.Protocol, opt reduce.Search) (*explore.Result, *reduce.ReducedSystem) {
	t.Helper()
	a, err := reduce.Apply(t.Context(), spectest.Compile(t, p), opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := systemtest.Run(t, a.System, explore.Options{Workers: 1})
	if !r.Complete() {
		t.Fatalf("stopped: %v, %v", r.Stop, r.ModelError)
	}
	return r, a
}

// TestPublished reproduces Tables 2 and 3 of Bakhshi et al. (2008), the internal states included.
func TestPublished(t *testing.T) {
	tables, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]reduce.Reduction{"normal": reduce.NoReduction, "confelm": reduce.Confelm,
		"onthefly": reduce.OnTheFly}
	for _, table := range tables[1:] {
		for _, row := range table.Rows {
			t.Run(fmt.Sprintf("%d,%d %s", row.N, row.K, row.Strategy), func(t *testing.T) {
				if *row.States > 200_000 && !testlevel.Long() || *row.States > 20_000 && testing.Short() {
					t.Skip("large")
				}
				p := spectest.Open(t, "franklin", fmt.Sprintf("n=%d k=%d order=left", row.N, row.K))
				r, a := run(t, p, reduce.Search{Reduction: levels[row.Strategy]})
				if r.States != *row.States || r.Transitions != *row.Transitions {
					t.Errorf("%d states, %d transitions; published: %d, %d", r.States, r.Transitions, *row.States,
						*row.Transitions)
				}
				if row.Internal != nil && a.InternalStates() != *row.Internal {
					t.Errorf("%d internal states; published: %d", a.InternalStates(), *row.Internal)
				}
			})
		}
	}
}

// TestAssumption checks that with NoConflict, which follows from Lemma 1, receives of active processes are confluent.
func TestAssumption(t *testing.T) {
	for _, tt := range []struct {
		settings string
		states   uint64
	}{{"n=2 k=2", 45}, {"n=2 k=3", 85}, {"n=3 k=2", 227}, {"n=3 k=3", 613}} {
		p := spectest.Open(t, "franklin", tt.settings+" order=left")
		run(t, p, reduce.Search{Assume: reduce.NoConflict}) // fails if it does not hold in the full system
		if r, _ := run(t, p, reduce.Search{Reduction: reduce.OnTheFly,
			Assume: reduce.NoConflict}); r.States != tt.states {
			t.Errorf("%s: %d states, want %d", tt.settings, r.States, tt.states)
		}
	}
}

// TestLargeRings checks that a deterministic protocol over queues, which has one run but for the order of independent
// steps, is reduced to its leader event, by way of linearly many internal states.
func TestLargeRings(t *testing.T) {
	for _, n := range []int{50, 100} {
		p := spectest.Open(t, "dkr", "ids=distinct channel=fifo n="+strconv.Itoa(n))
		r, a := run(t, p, reduce.Search{Reduction: reduce.OnTheFly})
		if r.States != 2 || a.InternalStates() > uint64(4*n) {
			t.Errorf("ring of %d: %d states, %d internal states", n, r.States, a.InternalStates())
		}
	}
}

// TestSymmetry checks that the counts of a reduced system are the same with symmetry and without.
func TestSymmetry(t *testing.T) {
	for _, settings := range []string{"n=3 k=2", "n=3 k=3 order=left", "n=4 k=2 order=left"} {
		for _, level := range []reduce.Reduction{reduce.Confelm, reduce.OnTheFly} {
			p := spectest.Open(t, "franklin", settings)
			plain, _ := run(t, p, reduce.Search{Reduction: level})
			orbits, _ := run(t, p, reduce.Search{Reduction: level, Symmetry: reduce.Rotation})
			if orbits.States != plain.States || orbits.Transitions != plain.Transitions ||
				orbits.TerminalStates != plain.TerminalStates {
				t.Errorf("%s, level %v: %d states, %d transitions, %d terminal; want %d, %d, %d", settings, level,
					orbits.States, orbits.Transitions, orbits.TerminalStates, plain.States, plain.Transitions,
					plain.TerminalStates)
			}
			if orbits.Stored >= plain.Stored {
				t.Errorf("%s, level %v: %d states stored, of %d", settings, level, orbits.Stored, plain.Stored)
			}
		}
	}
}

// TestMemory checks that the memory of a reduction counts as memory of the search.
func TestMemory(t *testing.T) {
	p := spectest.Open(t, "franklin", "n=3 k=3")
	for _, opt := range []reduce.Search{{Symmetry: reduce.Rotation}, {Reduction: reduce.OnTheFly},
		{Reduction: reduce.OnTheFly, Symmetry: reduce.Rotation}} {
		r, a := run(t, p, opt)
		held := uint64(model.Bytes(a.System))
		if held < 20*r.Stored {
			t.Errorf("%+v: %d bytes for %d states", opt, held, r.Stored)
		}
		if r.TotalBytes < held+r.Bytes {
			t.Errorf("%+v: the search holds %d bytes, the visited set %d and the system %d", opt, r.TotalBytes, r.Bytes,
				held)
		}
		small, err := reduce.Apply(t.Context(), spectest.Compile(t, p), opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err = explore.Run(t.Context(), small.System, explore.Options{Memory: r.TotalBytes / 2})
		if err != nil || r.Stop != explore.MemoryLimit {
			t.Errorf("%+v: with half the memory: %v, %v", opt, r.Stop, err)
		}
	}
}
