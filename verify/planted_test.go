package verify

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// TestPlanted checks that bugs planted in protocols are found, with a shortest run and an explanation of its last
// state.
func TestPlanted(t *testing.T) {
	for _, test := range []struct {
		spec, property string
		steps          int
		why            string // what the witness says
	}{
		{"two-leaders", "unique", 5, "[] [{2 true [{p 1} {p 2}] [1 2]}] [0 1 2] []"},
		{"two-leaders", "alone", 5, "[{p 1}] [] [1 2] []"},
		{"forgetful", "clean", 5, "[{p 0} {m Tell}] [] [0] [0]"},
		{"livelock", "election", 2, ""},
	} {
		t.Run(test.spec+" "+test.property, func(t *testing.T) {
			sys, p := planted(t, test.spec, test.property)
			run, _, err := Verifier{System: sys}.Counterexample(t.Context(), []*ir.Property{p}, explore.Options{})
			if err != nil || run == nil {
				t.Fatalf("run %v, error %v", run, err)
			}
			if err := Replay(sys, run); err != nil {
				t.Fatal(err)
			}
			if got := len(run.Moves) - 1; got != test.steps {
				t.Errorf("%d steps, want %d", got, test.steps)
			}
			if test.why == "" {
				return
			}
			w, err := Explain(sys, p, run.Moves[len(run.Moves)-1].State)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(w.Bindings, w.Sums, w.Processes, w.Links); got != test.why {
				t.Errorf("the witness is %s, want %s", got, test.why)
			}
		})
	}
}

// TestPlantedVerdicts checks that a bug does not change the verdicts on other properties.
func TestPlantedVerdicts(t *testing.T) {
	sys, _ := planted(t, "livelock", "election")
	r, err := Verifier{System: sys}.Check(t.Context(), sys.Protocol().Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range r.Judgments {
		got = append(got, fmt.Sprint(v.Property.Name, " ", v.Outcome, " ", v.Count))
	}
	if want := "unique holds 0, elected holds 0, election violated 13"; strings.Join(got, ", ") != want {
		t.Errorf("%s; want %s", strings.Join(got, ", "), want)
	}
}

// TestIncomplete checks that a search that is stopped reports the violations that it has met, and no other outcome.
func TestIncomplete(t *testing.T) {
	sys, _ := planted(t, "two-leaders", "unique")
	r, err := Verifier{System: sys}.Check(t.Context(), sys.Protocol().Properties, explore.Options{MaxStates: 3,
		Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Search.Complete() || r.Judgments[0].Outcome != Unknown || r.Holds() || r.Violated() {
		t.Errorf("after %d states: %v", r.Search.States, r.Judgments[0].Outcome)
	}
}

// TestDeterministic checks that the run is the same for any number of workers.
func TestDeterministic(t *testing.T) {
	var first string
	for _, workers := range []int{1, 2, 3, 2} {
		sys, p := planted(t, "two-leaders", "unique")
		run, _, err := Verifier{System: sys}.Counterexample(t.Context(), []*ir.Property{p},
			explore.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, m := range run.Moves {
			for slot, v := range m.State {
				text = append(text, sys.FormatSlot(slot, v))
			}
		}
		if got := strings.Join(text, " "); first == "" {
			first = got
		} else if got != first {
			t.Errorf("with %d workers: %s; before: %s", workers, got, first)
		}
	}
}

// planted returns a spec of testdata and one of its properties.
func planted(t *testing.T, name, property string) (*compile.System, *ir.Property) {
	t.Helper()
	src := filetest.Read(t, "testdata/"+name+".ring")
	p := spectest.Instantiate(t, string(src), nil)
	sys := spectest.Compile(t, p)
	for _, q := range p.Properties {
		if q.Name == property {
			return sys, q
		}
	}
	t.Fatalf("%s has no property %s", name, property)
	return nil, nil
}
