package hunt_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/verify"
	"ringcheck/verify/hunt"
)

// compiled returns an instance of a spec, with its invariants and terminal properties.
func compiled(t *testing.T, spec *ringcheck.Spec, set map[string]string) (*compile.System, []*ir.Property) {
	t.Helper()
	p, err := spec.Declarations.Instantiate(set)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sys, slices.DeleteFunc(slices.Clone(p.Properties), func(p *ir.Property) bool {
		return p.Kind != property.Invariant && p.Kind != property.Terminal
	})
}

// open opens a built-in spec or an example, with some of its text replaced.
func open(t *testing.T, name string, edits ...string) *ringcheck.Spec {
	t.Helper()
	return (&planted{name: name, spec: name, edits: edits}).open(t)
}

// TestRun checks of each kind of strategy that what it finds is a run that breaks the property, that the same is found
// again, and that a shortened run breaks it with as many steps or fewer, but no fewer than the shortest run has.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		spec *ringcheck.Spec
		set  map[string]string
	}{
		{open(t, "franklin"), map[string]string{"n": "2", "k": "3", "bits": "false"}},
		{open(t, "peterson"), map[string]string{"n": "4", "channel": "unordered"}},
		{open(t, "../../examples/bully.ring", "2 * tau + 1", "2 * tau - 1"), nil},
		{open(t, "../../examples/raft-log.ring", "2 * k > n", "2 * k >= n"), map[string]string{"n": "2"}},
	} {
		for _, kind := range hunt.Kinds() {
			t.Run(tt.spec.Name+" by "+kind, func(t *testing.T) {
				defer hunt.Only(kind)()
				var first []model.Move
				for range 2 {
					sys, goals := compiled(t, tt.spec, tt.set)
					found, r, err := hunt.Run(t.Context(), sys, goals, hunt.Options{Workers: 1, Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					run := &verify.Run{Property: found.Property, Moves: found.Moves}
					if err := verify.Replay(sys, run); err != nil {
						t.Error(err)
					}
					if r.By != kind || r.States == 0 || r.Deepest < len(found.Moves)-1 || r.Stop != explore.Matched {
						t.Errorf("report %+v", r)
					}
					if same := slices.EqualFunc(first, found.Moves, func(x, y model.Move) bool {
						return x.Step == y.Step && slices.Equal(x.State, y.State)
					}); first != nil && !same {
						t.Error("the same seed has another run")
					}
					first = found.Moves
					short, err := hunt.Shorten(t.Context(), sys, found.Property, found.Moves)
					if err != nil {
						t.Fatal(err)
					}
					if least := shortest(t, tt.spec, tt.set, found.Property.Name); len(short)-1 < least ||
						len(short) > len(found.Moves) {
						t.Errorf("%d steps are shortened to %d of %d", len(found.Moves)-1, len(short)-1, least)
					}
					run.Moves = short
					if err := verify.Replay(sys, run); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// shortest returns the number of steps of a shortest run that breaks a property.
func shortest(t *testing.T, spec *ringcheck.Spec, set map[string]string, property string) int {
	t.Helper()
	given := ringcheck.Set{}
	for name, value := range set {
		given[name] = value
	}
	sys, err := spec.System(given)
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := ringcheck.Counterexample(t.Context(), sys,
		ringcheck.Claims{Properties: []string{property}}, ringcheck.Search{})
	if err != nil || run == nil {
		t.Fatal(run, err)
	}
	return run.Length()
}

// TestEnds checks that a hunt that finds nothing says why it ended, and is never complete.
func TestEnds(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx context.Context
		opt hunt.Options
		end explore.Stop
	}{
		{t.Context(), hunt.Options{MaxStates: 50_000}, explore.StateLimit},
		{t.Context(), hunt.Options{Memory: 100_000}, explore.MemoryLimit},
		{cancelled, hunt.Options{}, explore.Interrupted},
	} {
		for _, workers := range []int{1, 3} {
			sys, goals := compiled(t, open(t, "franklin"), map[string]string{"n": "3", "k": "2"})
			tt.opt.Workers = workers
			found, r, err := hunt.Run(tt.ctx, sys, goals, tt.opt)
			if err != nil || found != nil || r.Stop != tt.end {
				t.Errorf("found %v, %+v, %v; want %v", found, r, err, tt.end)
			}
		}
	}
}

// TestMemory checks that an archive ends when it holds what it may.
func TestMemory(t *testing.T) {
	sys, goals := compiled(t, open(t, "franklin"), map[string]string{"n": "5", "k": "3"})
	for seed := range uint64(8) {
		for _, bytes := range []int{10_000, 1_000_000} {
			if held := hunt.Fill(t.Context(), sys, goals[:1], seed, bytes); held > 2*bytes+100_000 {
				t.Errorf("seed %d: %d bytes are held, %d may be", seed, held, bytes)
			}
		}
	}
}

// TestJudge checks in random states of all examples that a judge says of properties what they are, and that a walker
// finds the transitions that the system has.
func TestJudge(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.ring")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, path := range append(paths, "hirschberg-sinclair", "franklin") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			set := map[string]string{}
			if filepath.Ext(path) == "" {
				set["n"] = "3"
			}
			sys, goals := compiled(t, open(t, path), set)
			if len(goals) > 0 {
				hunt.Compare(t, sys, goals, rand.New(rand.NewPCG(1, 1)))
			}
		})
	}
}

// TestUndefined checks that a terminal property needs a value in states without transitions only, and that a hunt goes
// on if another property has none.
func TestUndefined(t *testing.T) {
	const text = `protocol late
param n: 2..4 = 2 "ring size"
topology directed ring of n
channel fifo
message Go
register x: 0..5 = 0
initially Go in inbox(0, left)
process p = Wait
Wait = recv left Go; Count
Count = when x < 5: let x = x + 1; send right Go; Wait
terminal whole = forall p in node: 10 div (p.x - SHIFT) = 3
`
	const early = "invariant early = forall p in node: 10 div p.x < 11"
	for _, c := range []struct {
		shift, more string
		invalid     bool
	}{{"0", "", false}, {"5", "", true}, {"0", early, false}, {"5", early, true}} {
		spec, err := ringcheck.Parse("late.ring", []byte(strings.Replace(text, "SHIFT", c.shift, 1)+c.more))
		if err != nil {
			t.Fatal(err)
		}
		sys, goals := compiled(t, spec, nil)
		found, _, err := hunt.Run(t.Context(), sys, goals, hunt.Options{Workers: 1, Seed: 1})
		if err != nil || found.Property != goals[0] || (found.Invalid != nil) != c.invalid {
			t.Errorf("- %s, %s: found %v, %v", c.shift, c.more, found, err)
		}
	}
}
