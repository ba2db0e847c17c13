package ringcheck_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ringcheck"
	"ringcheck/internal/test/spectest"
)

// TestDeadline checks that there is a report which says so whenever the context ends.
func TestDeadline(t *testing.T) {
	const nested = `protocol nested
param n: 2..4 = 2
topology directed ring of n
process p = A
A = skip; stop
invariant deep = not (exists i in 0..10000, j in 0..10000, k in 0..10000: i + j + k < 0)
`
	spec, err := ringcheck.Parse("nested.ring", []byte(nested))
	if err != nil {
		t.Fatal(err)
	}
	quantified, err := spec.System()
	if err != nil {
		t.Fatal(err)
	}
	large, err := ringcheck.Load("franklin", ringcheck.Set{"n": 1000, "k": 1000})
	if err != nil {
		t.Fatal(err)
	}
	explore := func(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (*ringcheck.Ending, error) {
		r, err := ringcheck.Explore(ctx, sys, search)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	check := func(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (*ringcheck.Ending, error) {
		r, err := ringcheck.Check(ctx, sys, ringcheck.Checks{}, search)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	counterexample := func(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (*ringcheck.Ending,
		error) {
		_, r, err := ringcheck.Counterexample(ctx, sys, ringcheck.Claims{}, search)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	for _, tt := range []struct {
		name string
		sys  *ringcheck.System
		opt  ringcheck.Search
		do   func(context.Context, *ringcheck.System, ringcheck.Search) (*ringcheck.Ending, error)
	}{
		{"three nested quantifiers in one state", quantified, ringcheck.Search{}, check},
		{"a formula whose expansion is long", large, ringcheck.Search{}, check},
		{"the same for a counterexample", large, ringcheck.Search{}, counterexample},
		{"a state of a million orbits", large,
			ringcheck.Search{Symmetry: ringcheck.Rotation}, explore},
		{"states of thousands of representatives", large,
			ringcheck.Search{Reduction: ringcheck.OnTheFly}, explore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			e, err := tt.do(ctx, tt.sys, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if e.Complete || e.Stopped != "timeout" {
				t.Errorf("complete %v, stopped by %q", e.Complete, e.Stopped)
			}
		})
	}
}

// TestMemory checks that the successors of a single state count towards the memory budget.
func TestMemory(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 500, "k": 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		opt  ringcheck.Search
	}{
		{"transitions of one group", ringcheck.Search{Symmetry: ringcheck.Rotation}},
		{"successors of many groups", ringcheck.Search{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Memory = 8 << 20
			r, err := ringcheck.Explore(t.Context(), sys, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if r.Complete || r.Stopped != "memory" {
				t.Errorf("complete %v, stopped by %q", r.Complete, r.Stopped)
			}
		})
	}
}

// TestAdvice checks that there is advice after each kind of limit, also if the context is done by then, and after no
// other search.
func TestAdvice(t *testing.T) {
	defer ringcheck.SetAdviceTime(time.Minute)()
	small, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2})
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := ringcheck.Load("franklin", ringcheck.Set{"n": 4, "k": 3, "order": "left"})
	if err != nil {
		t.Fatal(err)
	}
	exchanged, err := ringcheck.Load("examples/two-phase-commit.ring", ringcheck.Set{"ordered": false})
	if err != nil {
		t.Fatal(err)
	}
	large, err := ringcheck.Load("franklin", ringcheck.Set{"n": 8})
	if err != nil {
		t.Fatal(err)
	}
	temporal, err := ringcheck.Parse("temporal.ring", []byte(spectest.Source(t, "franklin")+
		"\nltl never = always not leader happens\ninvariant first = not 0 at Leader\n"))
	if err != nil {
		t.Fatal(err)
	}
	refused, err := temporal.System(ringcheck.Set{"n": 2})
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	checking := func(properties ...string) func(context.Context, *ringcheck.System, ringcheck.Search) (
		*ringcheck.Report, error) {
		return func(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (*ringcheck.Report, error) {
			checks := ringcheck.Checks{Claims: ringcheck.Claims{Properties: properties}}
			return ringcheck.Check(ctx, sys, checks, search)
		}
	}
	for _, tt := range []struct {
		name string
		sys  *ringcheck.System
		opt  ringcheck.Search
		do   func(context.Context, *ringcheck.System, ringcheck.Search) (*ringcheck.Report, error)
		want string
	}{
		{"states", small, ringcheck.Search{MaxStates: 100}, ringcheck.Explore,
			"--symmetry rotation, --engine explicit"},
		{"states in check", small, ringcheck.Search{MaxStates: 100}, checking(),
			"--symmetry rotation, counterexample --hunt, --engine explicit"},
		{"no limit", small, ringcheck.Search{}, ringcheck.Explore, ""},
		{"a symmetry", small, ringcheck.Search{MaxStates: 100, Symmetry: ringcheck.Rotation}, ringcheck.Explore, ""},
		{"a property that names a process", refused, ringcheck.Search{MaxStates: 100}, checking("first"),
			"counterexample --hunt, --engine explicit"},
		{"an ltl property", refused, ringcheck.Search{MaxStates: 100}, checking("never"), "--symmetry rotation"},
		{"a reduction", reduced, ringcheck.Search{MaxStates: 30000}, ringcheck.Explore,
			"--symmetry rotation, --reduce onthefly, --engine symbolic"},
		{"permutations", exchanged, ringcheck.Search{MaxStates: 50}, ringcheck.Explore,
			"--symmetry permutation, --engine explicit"},
		{"the symbolic engine", large, ringcheck.Search{Engine: ringcheck.Symbolic, Memory: 2 << 20},
			ringcheck.Explore, ""},
	} {
		r, err := tt.do(t.Context(), tt.sys, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, ctx := range []context.Context{t.Context(), done} {
			var flags []string
			for _, advice := range r.Advice(ctx) {
				flags = append(flags, strings.Join(strings.Fields(advice)[:2], " "))
			}
			if got := strings.Join(flags, ", "); got != tt.want {
				t.Errorf("%s: stopped by %q, advice %q, want %q", tt.name, r.Stopped, got, tt.want)
			}
		}
	}
	if advice := new(ringcheck.Report).Advice(t.Context()); advice != nil {
		t.Errorf("an empty report advises %q", advice)
	}
}
