package ringcheck_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"ringcheck"
	"ringcheck/bisim/lts"
)

// TestEmptyReport checks that a report without a section, and an empty one, can be asked for what they do not have.
func TestEmptyReport(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	explored, err := ringcheck.Explore(t.Context(), sys, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*ringcheck.Report{"an exploration": explored, "an empty report": {}} {
		if v := r.Property("elected"); v != nil {
			t.Errorf("%s has the verdict %v", name, v)
		}
		if run, err := r.Run(t.Context(), "elected"); run != nil || err == nil {
			t.Errorf("%s has the run %v, error %v", name, run, err)
		}
		if run, err := r.ErrorRun(t.Context()); run != nil || err != nil {
			t.Errorf("%s has a run to a model error: %v, %v", name, run, err)
		}
		if err := r.Invalid(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if advice := r.Advice(t.Context()); advice != nil {
			t.Errorf("%s advises %q", name, advice)
		}
	}
}

// TestSections checks which sections a report has, and that its JSON form is one object with their fields.
func TestSections(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]string{
		"Verdicts": {"holds", "properties"}, "Enumeration": {"levels", "stored_states"},
		"Diagram": {"nodes", "arcs", "peak_nodes"}, "Storage": {"internal_states", "visited"},
	}
	explicit, symbolic := ringcheck.Search{}, ringcheck.Search{Engine: ringcheck.Symbolic}
	for _, c := range []struct {
		check  bool
		search ringcheck.Search
		want   []string
	}{
		{false, explicit, []string{"Enumeration", "Storage"}},
		{false, symbolic, []string{"Diagram"}},
		{true, explicit, []string{"Enumeration", "Verdicts"}},
		{true, symbolic, []string{"Diagram", "Verdicts"}},
	} {
		r, err := ringcheck.Explore(t.Context(), sys, c.search)
		if c.check {
			r, err = ringcheck.Check(t.Context(), sys, ringcheck.Checks{}, c.search)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		var object map[string]any
		if err = cmp.Or(err, json.Unmarshal(text, &object)); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"spec", "complete", "states", "workers", "seconds"} {
			if object[field] == nil {
				t.Errorf("%+v: %s has no field %s", c, text, field)
			}
		}
		for name, fields := range sections {
			want := slices.Contains(c.want, name)
			if has := !reflect.ValueOf(r).Elem().FieldByName(name).IsNil(); has != want {
				t.Errorf("%+v: section %s: %v, want %v", c, name, has, want)
			}
			for _, field := range fields {
				if _, has := object[field]; has != want {
					t.Errorf("%+v: field %s: %v, want %v", c, field, has, want)
				}
			}
		}
	}
}

// operations calls each operation with a search.
var operations = map[string]func(context.Context, *ringcheck.System, ringcheck.Search) error{
	"Explore": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Explore(ctx, sys, s)
		return err
	},
	"Check": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Check(ctx, sys, ringcheck.Checks{}, s)
		return err
	},
	"Counterexample": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, _, err := ringcheck.Counterexample(ctx, sys, ringcheck.Claims{}, s)
		return err
	},
	"Witness": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, _, err := ringcheck.Witness(ctx, sys, nil, s)
		return err
	},
	"Hunt": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		s.MaxStates = 1000
		_, _, err := ringcheck.Hunt(ctx, sys, nil, 1, s)
		return err
	},
	"Export": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		var b bytes.Buffer
		_, err := ringcheck.Export(ctx, sys, lts.NewDotWriter(&b), false, s)
		return err
	},
	"Minimize": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Minimize(ctx, sys, ringcheck.Branching, ringcheck.GraphOptions{Search: s})
		return err
	},
	"Compare": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		side := ringcheck.GraphOptions{Search: s}
		_, err := ringcheck.Compare(ctx, sys, sys, ringcheck.Branching, ringcheck.Comparison{A: side, B: side})
		return err
	},
	"Refines": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		side := ringcheck.GraphOptions{Search: s}
		_, err := ringcheck.Refines(ctx, sys, sys, ringcheck.WeakTrace, ringcheck.Comparison{A: side, B: side})
		return err
	},
	"Quantify": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Quantify(ctx, sys, ringcheck.Questions{}, s)
		return err
	},
	"Simulate": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Simulate(ctx, sys, ringcheck.Simulation{Runs: 1}, s)
		return err
	},
	"Prepare": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.Prepare(ctx, sys, s)
		return err
	},
	"PrepareCheck": func(ctx context.Context, sys *ringcheck.System, s ringcheck.Search) error {
		_, err := ringcheck.PrepareCheck(ctx, sys, []string{"unique"}, s)
		return err
	},
}

// TestWrongSearch checks that each operation takes the zero Search, and refuses one with a wrong value. Only Explore
// and Check have a symbolic engine.
func TestWrongSearch(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	var request *ringcheck.RequestError
	for name, do := range operations {
		if err := do(t.Context(), sys, ringcheck.Search{}); err != nil && name != "Witness" {
			t.Errorf("%s: %v", name, err)
		}
		for _, s := range []ringcheck.Search{{Workers: -3}, {MaxChannel: -1}, {MaxNat: -1}, {Engine: "quantum"},
			{Reduction: "best"}, {Symmetry: "mirror"}, {Assume: "luck"}} {
			if err := do(t.Context(), sys, s); !errors.As(err, &request) {
				t.Errorf("%s with %+v: %v", name, s, err)
			}
		}
		err := do(t.Context(), sys, ringcheck.Search{Engine: ringcheck.Symbolic})
		if supports := name == "Explore" || name == "Check"; supports != (err == nil) {
			t.Errorf("%s with the symbolic engine: %v", name, err)
		}
	}
}

// TestWrongNames checks that each operation that takes names of properties refuses an unknown one.
func TestWrongNames(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	names, search := []string{"nonsense"}, ringcheck.Search{}
	_, check := ringcheck.Check(t.Context(), sys, ringcheck.Checks{Claims: ringcheck.Claims{Properties: names}}, search)
	_, _, counterexample := ringcheck.Counterexample(t.Context(), sys, ringcheck.Claims{Properties: names}, search)
	_, _, witness := ringcheck.Witness(t.Context(), sys, names, search)
	_, _, hunt := ringcheck.Hunt(t.Context(), sys, names, 1, search)
	_, prepare := ringcheck.PrepareCheck(t.Context(), sys, names, search)
	_, simulate := ringcheck.Simulate(t.Context(), sys, ringcheck.Simulation{Runs: 1, Properties: names}, search)
	for name, err := range map[string]error{"Check": check, "Counterexample": counterexample, "Witness": witness,
		"Hunt": hunt, "PrepareCheck": prepare, "Simulate": simulate, "Validate": ringcheck.Validate(sys, names, search),
	} {
		var request *ringcheck.RequestError
		if !errors.As(err, &request) || request.Value != "nonsense" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
