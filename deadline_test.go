package ringcheck_test

import (
	"context"
	"testing"
	"time"

	"ringcheck"
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
	explore := func(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Ending, error) {
		r, err := ringcheck.Explore(ctx, sys, opt)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	check := func(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Ending, error) {
		r, err := ringcheck.Check(ctx, sys, opt)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	counterexample := func(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Ending,
		error) {
		_, r, err := ringcheck.Counterexample(ctx, sys, opt)
		if err != nil {
			return nil, err
		}
		return &r.Ending, nil
	}
	for _, tt := range []struct {
		name string
		sys  *ringcheck.System
		opt  ringcheck.Options
		do   func(context.Context, *ringcheck.System, ringcheck.Options) (*ringcheck.Ending, error)
	}{
		{"three nested quantifiers in one state", quantified, ringcheck.Options{}, check},
		{"a formula whose expansion is long", large, ringcheck.Options{}, check},
		{"the same for a counterexample", large, ringcheck.Options{}, counterexample},
		{"a state of a million orbits", large, ringcheck.Options{Symmetry: ringcheck.Rotation}, explore},
		{"states of thousands of representatives", large, ringcheck.Options{Reduction: ringcheck.OnTheFly}, explore},
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
		opt  ringcheck.Options
	}{
		{"transitions of one group", ringcheck.Options{Symmetry: ringcheck.Rotation}},
		{"successors of many groups", ringcheck.Options{}},
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

// TestAdviseSmall checks that there is no advice about a small system, or where the symbolic engine does not support
// the options.
func TestAdviseSmall(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []ringcheck.Options{{}, {Symmetry: ringcheck.Rotation}, {MaxStates: 10}} {
		opt.Engine = ringcheck.Auto
		opt.Advice = func(bool, string) { t.Errorf("advice about %+v", opt) }
		if _, err := ringcheck.Explore(t.Context(), sys, opt); err != nil {
			t.Error(err)
		}
	}
}

// TestAdviseEnded checks that there is a report, too, if the context ends while a system is examined for advice.
func TestAdviseEnded(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opt := ringcheck.Options{Engine: ringcheck.Auto, Advice: func(bool, string) {}}
	for name, do := range map[string]func(context.Context, *ringcheck.System, ...ringcheck.Options) (*ringcheck.Report,
		error){"explore": ringcheck.Explore, "check": ringcheck.Check} {
		if r, err := do(ctx, sys, opt); err != nil || r.Complete || r.Stopped != "interrupt" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
