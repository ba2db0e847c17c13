package prove

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
)

// TestTransitions compares the rules with the semantics: every transition of small rings is a step of a rule, and every
// initial state has no more than an initial state of the translation has. No pattern of the proof occurs.
func TestTransitions(t *testing.T) {
	t.Parallel()
	most := 3
	if testlevel.Long() {
		most = 4
	}
	tests := proved[:cases()]
	if testlevel.Long() {
		tests = nil
		for _, name := range families {
			spec, err := loadtest.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range choices(spec.Declarations.Options) {
				tests = append(tests, test{name, set})
			}
		}
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.spec, test.set), func(t *testing.T) {
			r := prove(t, test)
			spec, err := loadtest.Open(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			as := r.proof.abstraction
			for _, as := range []abstraction{as, {coarse: !as.coarse, counts: !as.counts}} {
				for n := 2; n <= most; n++ {
					if !transitions(t, spec, test.set, n, as, r.proof) {
						t.Errorf("%s cannot be translated", test.spec)
					}
				}
			}
		})
	}
}

// TestDisciplines compares the rules of Le Lann's election for every discipline of channels. It is proved for queues
// only.
func TestDisciplines(t *testing.T) {
	t.Parallel()
	text := string(filetest.Read(t, "../../examples/le-lann.ring"))
	for _, word := range channel.Buffers() {
		of := regexp.MustCompile(`(?m)^channel .*$`).ReplaceAllString(text, "channel "+word)
		spec, err := loadtest.Parse("le-lann.ring", []byte(of))
		if err != nil {
			t.Fatal(err)
		}
		for n := 2; n <= 3; n++ {
			if !transitions(t, spec, nil, n, abstraction{}, nil) {
				t.Errorf("%s channels: it cannot be translated", word)
			}
		}
	}
}

// TestFaultyChannels checks that every fault of messages is refused by its name.
func TestFaultyChannels(t *testing.T) {
	text := string(filetest.Read(t, "../../examples/le-lann.ring"))
	for c := range spectest.FaultyChannels() {
		if c.Fault == "" {
			continue
		}
		of := regexp.MustCompile(`(?m)^channel .*$`).ReplaceAllString(text, "channel "+c.Discipline+", "+c.Fault)
		spec, err := loadtest.Parse("le-lann.ring", []byte(of))
		if err != nil {
			t.Fatal(err)
		}
		want := c.Kind.String() + " are not supported in proofs"
		if _, err := Prove(t.Context(), spec, nil, Options{}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", c, err, want)
		}
	}
}

// TestCondition sends a condition over identities, on which a property depends.
func TestCondition(t *testing.T) {
	t.Parallel()
	spec, err := loadtest.Parse("flagged.ring", []byte(`protocol flagged "a token knows whether it met only smaller ones"
param n: 2..100
topology directed ring of n
channel fifo
assign uid: permutation of 1..n
var id, i: 1..n
var best: bool
message T(id: 1..n, best: bool)
event leader
process p = let id = uid[p]; Begin(id)
Begin(id) = send right T(id, true); Wait(id)
Wait(id) =
    recv left T(i, best) where i = id and best; Win
  | recv left T(i, best) where i = id and not best; Lost(id)
  | recv left T(i, best) where i != id; Pass(id, i, best)
Pass(id, i, best) = send right T(i, best and i > id); Wait(id)
Lost(id) = recv left T(i, best); send right T(i, not (best => i < id)); Lost(id)
Win = leader; stop
invariant unique = (count p in node: p at Win) <= 1
terminal passed = (count p in node: p at Win) <= 1 and forall p in node: not p at Pass
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, property := range []string{"unique", "passed"} {
		if r, err := Prove(t.Context(), spec, nil, Options{Property: property}); err != nil || !r.Proved {
			t.Errorf("%s is not proved: %v", property, err)
		}
	}
	for n := 2; n <= 3; n++ {
		if !transitions(t, spec, nil, n, abstraction{}, nil) {
			t.Error("it cannot be translated")
		}
	}
}

// choices returns each combination of values of options; channels stay as they are.
func choices(options []check.Setting) []reduce.Set {
	all := []reduce.Set{{}}
	for _, o := range options {
		var next []reduce.Set
		for _, set := range all {
			for _, v := range o.Values {
				with := maps.Clone(set)
				with[o.Name] = v
				next = append(next, with)
			}
		}
		if o.Name != "channel" {
			all = next
		}
	}
	return all
}

func transitions(
	t *testing.T, spec *reduce.Spec, set reduce.Set, n int, as abstraction, p *proof,
) (translated bool) {
	t.Helper()
	name := spec.Name
	given, values := make(map[string]string), map[string]string{"n": fmt.Sprint(n)}
	for k, v := range set {
		given[k], values[k] = fmt.Sprint(v), fmt.Sprint(v)
	}
	task, err := newTask(t.Context(), spec.Declarations, given, Options{})
	if err != nil {
		return false
	}
	x, _, err := task.translate(as)
	if err != nil {
		return false
	}
	protocol, err := task.protocol(values)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(t.Context(), protocol, compile.Options{MaxMessages: 64, MaxNat: 1000})
	if err != nil {
		t.Fatal(err)
	}
	c := newValidator(x, sys)
	c.system().Initial(func(s []model.Value) bool {
		atoms, err := c.atoms(s)
		if err = cmp.Or(err, c.validateInitial(atoms)); err != nil {
			t.Fatal(err)
		}
		return true
	})
	var occurring func([]atom) string
	var w *abstractor
	if p != nil {
		w = newAbstractor(p.translation, sys)
		w.recorder = c.recorder
		occurring = p.patternFinder(p.patterns, n)
	}
	var wrong string
	opt := explore.Options{Workers: 1, Match: func(_ int, state []model.Value) bool {
		if wrong != "" {
			return true // the rest of the level is looked at, too
		}
		if err := c.validate(state); err != nil {
			wrong = err.Error()
		}
		if p != nil && n < 4 && wrong == "" {
			atoms, err := w.atoms(state)
			if text := occurring(atoms); err != nil || text != "" {
				wrong = fmt.Sprint("a pattern occurs: ", text, err)
			}
		}
		return wrong != ""
	}}
	if p == nil || fmt.Sprint(set["rounds"]) == "true" { // there are infinitely many
		opt.MaxStates = mostStates
	}
	result, err := explore.Run(t.Context(), c.system(), opt)
	if err != nil && p != nil { // a random spec may have model errors
		t.Fatal(err)
	}
	if wrong != "" {
		t.Fatalf("%s, n = %d, %+v: %s", name, n, as, wrong)
	}
	t.Logf("%s %v, n = %d, %+v: %d states, %d situations", name, set, n, as, result.States, len(c.checked))
	return true
}

// mostStates bounds the states that are looked at where there may be many, or infinitely many.
const mostStates = 3000
