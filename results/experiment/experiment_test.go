package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringcheck"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/step"
	"ringcheck/results/published"
	"ringcheck/specs"
)

// instantiate reads an experiment as a regression file holds it.
func instantiate(t *testing.T, text string) *Instance {
	t.Helper()
	var e Experiment
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	i, err := e.Instantiate()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestName: different spellings of one experiment have the same name.
func TestName(t *testing.T) {
	for text, want := range map[string]string{
		`{"spec": "franklin", "params": {"n": 4}}`:                                                                                    "franklin n=4 k=2",
		`{"spec": "franklin", "params": {"k": 2, "n": "4"}, "options": {"bits": true, "order": "any"}}`:                               "franklin n=4 k=2",
		`{"spec": "franklin", "params": {"n": 4}, "options": {"order": "left", "bits": false}, "reduction": "none"}`:                  "franklin n=4 k=2 bits=false order=left",
		`{"spec": "franklin", "params": {"n": 4, "k": 3}, "reduction": "onthefly", "assume": "no-conflict"}`:                          "franklin n=4 k=3 reduce=onthefly assume=no-conflict",
		`{"spec": "dkr", "params": {"n": 3}, "options": {"modulus": 1, "channel": "fifo"}, "symmetry": "rotation", "assume": "none"}`: "dkr n=3 k=2 modulus=1 channel=fifo symmetry=rotation",
	} {
		i := instantiate(t, text)
		if i.Name() != want {
			t.Errorf("%s: got the name %q, want %q", text, i.Name(), want)
		}
	}
	i := instantiate(t, `{"spec": "franklin", "params": {"n": 4}, "options": {"order": "left"}}`)
	if i.Family() != "franklin k=2 order=left" || i.Size() != 4 {
		t.Errorf("franklin n=4: got family %q, size %d", i.Family(), i.Size())
	}
}

func TestInstantiateErrors(t *testing.T) {
	for _, test := range []struct {
		e    Experiment
		want string
	}{
		{Experiment{Spec: "frankli"}, `spec frankli: no spec "frankli"`},
		{Experiment{Spec: "franklin"}, "spec franklin: parameter n is missing"},
		{Experiment{Spec: "franklin", Params: ringcheck.Set{"n": "1"}},
			"spec franklin: parameter n: 1 is not in 2..1000"},
		{Experiment{Spec: "franklin", Params: ringcheck.Set{"n": "2"}, Options: ringcheck.Set{"n": "2"}},
			"spec franklin: n is among the parameters and the options"},
	} {
		if _, err := test.e.Instantiate(); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%+v: got error %v, want %s", test.e, err, test.want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	for _, test := range []struct {
		text     string
		question Question
		want     string
	}{
		{`{"spec": "dkr", "params": {"n": 2}}`, Question{Properties: []string{"fair"}},
			`dkr n=2 k=2: property fair: dkr states no such property`},
		{`{"spec": "dkr", "params": {"n": 2}}`, Question{Quotient: "weak"},
			`dkr n=2 k=2: equivalence weak: expected branching, strong, divergence or probabilistic`},
		{`{"spec": "dkr", "params": {"n": 3}, "options": {"ids": "distinct"}, "symmetry": "rotation"}`, Question{},
			"dkr n=3 k=2 ids=distinct symmetry=rotation: symmetry rotation: rotation is not a symmetry: "},
	} {
		_, err := instantiate(t, test.text).Run(t.Context(), ringcheck.Search{}, test.question)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %s", test.text, err, test.want)
		}
	}
}

// TestQuestions: Sect. 3 and 4 of Bakhshi et al. on two small instances.
func TestQuestions(t *testing.T) {
	q := Question{Properties: []string{"unique", "elected"}, Quotient: "branching"}
	o, err := instantiate(t, `{"spec": "franklin", "params": {"n": 2}}`).Run(t.Context(), ringcheck.Search{}, q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]Decision{"unique": {Holds: true}, "elected": {Holds: true}},
		o.Properties); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&Quotient{"branching", 2, 1}, o.Quotient); diff != "" {
		t.Error(diff)
	}
	o, err = instantiate(t, `{"spec": "franklin", "params": {"n": 3}, "options": {"bits": false}}`).Run(t.Context(),
		ringcheck.Search{}, q)
	if err != nil {
		t.Fatal(err)
	}
	if v := o.Properties["elected"]; v.Holds || v.TraceLength == nil || !o.Properties["unique"].Holds ||
		o.Quotient.States == 2 {
		t.Errorf("without bits: got %v, %v", o.Properties, o.Quotient)
	}
}

// TestUnanswered: a question without an answer makes the outcome incomplete, whatever the counts are.
func TestUnanswered(t *testing.T) {
	o := &Result{Complete: true, Properties: map[string]Decision{"a": {}}}
	o.miss(Question{Properties: []string{"a"}})
	if !o.Complete {
		t.Error("every question is answered, but the outcome is incomplete")
	}
	o.miss(Question{Properties: []string{"a", "b"}})
	if o.Complete || o.Stopped == "" {
		t.Error("a property has no verdict, but the outcome is complete")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, err := instantiate(t, `{"spec": "franklin", "params": {"n": 4}}`).Run(ctx, ringcheck.Search{},
		Question{Quotient: "branching"})
	if err != nil || o.Complete || o.Quotient != nil {
		t.Errorf("after an interrupt: got %+v, error %v", o, err)
	}
}

// TestUntabulated: the small-step semantics alone, without tables, tree and search, gives the published counts.
func TestUntabulated(t *testing.T) {
	tables, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		order := "left"
		if table.Number == 1 {
			order = "any"
		}
		for _, r := range table.Rows {
			if r.Strategy != "normal" || *r.States > 10_000 {
				continue
			}
			states, transitions := interpret(t, map[string]string{"n": strconv.Itoa(r.N), "k": strconv.Itoa(r.K),
				"order": order})
			if states != *r.States || transitions != *r.Transitions {
				t.Errorf("table %d, n = %d, k = %d: got %d states and %d transitions, published are %d and %d",
					table.Number, r.N, r.K, states, transitions, *r.States, *r.Transitions)
			}
		}
	}
}

func interpret(t *testing.T, settings map[string]string) (states, transitions uint64) {
	t.Helper()
	spec, err := specs.Open("franklin")
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		t.Fatal(err)
	}
	g, err := spectest.Explore(step.New(p, step.Options{}), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(len(g.States)), uint64(g.Transitions)
}

// TestChoices: files name reductions and settings as the command line does.
func TestChoices(t *testing.T) {
	var e Experiment
	err := json.Unmarshal([]byte(`{"reduction": "much"}`), &e)
	if err == nil || err.Error() != `expected none, confelm or onthefly` {
		t.Errorf("reduction much: got error %v", err)
	}
	text, err := json.Marshal(Experiment{Spec: "dkr", Params: ringcheck.Set{"n": "2"},
		Options: ringcheck.Set{"channel": "fifo", "x": "true"}, Reduction: ringcheck.Confelm})
	if want := `{"spec":"dkr","params":{"n":2},"options":{"channel":"fifo","x":true},"reduction":"confelm"}`; err != nil || string(text) != want {
		t.Errorf("got %s, error %v; want %s", text, err, want)
	}
}

func ExampleInstance_Run() {
	e := Experiment{Spec: "franklin", Params: ringcheck.Set{"n": "3"}, Options: ringcheck.Set{"order": "left"},
		Reduction: ringcheck.OnTheFly}
	i, err := e.Instantiate()
	if err != nil {
		panic(err)
	}
	o, err := i.Run(context.Background(), ringcheck.Search{}, Question{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: %d states, %d internal, %d transitions\n", i.Name(), o.States, o.InternalStates, o.Transitions)
	// Output:
	// franklin n=3 k=2 order=left reduce=onthefly: 1819 states, 2343 internal, 4086 transitions
}
