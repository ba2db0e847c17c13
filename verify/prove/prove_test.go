package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ringcheck/internal/effort"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
	"ringcheck/verify/prove/sat"
)

var (
	mutants = testlevel.Cases(5, 6)    // how many mutants of each spec to try
	random  = testlevel.Cases(4, 5)    // how many random specs to translate
	systems = testlevel.Cases(40, 150) // how many random sets of rules to try
)

// A test is a spec with values of its options.
type test struct {
	spec string
	set  reduce.Set
}

// families are the specs whose first invariant is proved, with all options.
var families = []string{"chang-roberts", "itai-rodeh", "franklin-unique", "franklin", "hirschberg-sinclair",
	"../../examples/le-lann.ring"}

// property returns the name of the invariant that is proved: of le-lann, that only the right process leads.
func property(spec string) string {
	if strings.Contains(spec, "le-lann") {
		return "least"
	}
	return "unique"
}

// proved are specs whose first invariant is proved, the quick ones first.
var proved = []test{
	{"chang-roberts", nil},
	{"chang-roberts", reduce.Set{"ids": "descending"}},
	{"itai-rodeh", nil},
	{"franklin", reduce.Set{"order": "left"}},
	{"franklin", nil},
	{"franklin", reduce.Set{"bits": false}},
	{"franklin", reduce.Set{"fresh": "clash"}},
	{"franklin", reduce.Set{"fresh": "both", "announce": true}},
	{"franklin-unique", nil},
	{"hirschberg-sinclair", nil},
	{"../../examples/le-lann.ring", nil},
}

// reports holds a func() (*Report, error) for each spec and values that a test proves: several tests look at the same
// proofs.
var reports sync.Map

// prove returns a report that tests share, so that they may not change it.
func prove(t *testing.T, test test) *Report {
	t.Helper()
	once := sync.OnceValues(func() (*Report, error) {
		spec, err := loadtest.Open(test.spec)
		if err != nil {
			return nil, err
		}
		return Prove(context.Background(), spec, test.set, Options{})
	})
	shared, _ := reports.LoadOrStore(fmt.Sprint(test), once)
	r, err := shared.(func() (*Report, error))()
	if err != nil {
		t.Fatalf("%s %v: %v", test.spec, test.set, err)
	}
	return r
}

// cases returns the specs to prove: with RINGCHECK_TEST=long all.
func cases() int {
	if testlevel.Long() {
		return len(proved)
	}
	return 4
}

// TestProve proves what is to be proved, and has every ring's refutation checked by unit propagation alone.
func TestProve(t *testing.T) {
	t.Parallel()
	for i, test := range proved[:cases()] {
		r := prove(t, test)
		if !r.Proved || r.Property != property(test.spec) {
			t.Errorf("%s %v: %+v", test.spec, test.set, r.Counterexample)
			continue
		}
		for n := 2; n <= r.Rings[1] && (n < 4 || i < 2); n++ {
			var clauses, learned [][]sat.Lit
			r.proof.clauses(n, func(lits ...sat.Lit) { clauses = append(clauses, lits) })
			r.proof.solve(t.Context(), n, func(lits []sat.Lit) { learned = append(learned, slices.Clone(lits)) })
			if len(learned) == 0 || len(learned[len(learned)-1]) > 0 {
				t.Fatalf("%s in a ring of %d: the proof has no end", test.spec, n)
			}
			for i, c := range learned {
				if !follows(slices.Concat(clauses, learned[:i]), c) {
					t.Fatalf("%s in a ring of %d: clause %d of the proof does not follow", test.spec, n, i)
				}
			}
		}
	}
}

// TestTranslate translates specs with variables whose representation turns out in the course of a translation.
func TestTranslate(t *testing.T) {
	for _, test := range []test{{"dkr", nil}, {"dkr", reduce.Set{"ids": "distinct"}}, {"peterson", nil}} {
		spec, err := loadtest.Open(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		given := make(map[string]string)
		for name, value := range test.set {
			given[name] = fmt.Sprint(value)
		}
		task, err := newTask(t.Context(), spec.Declarations, given, Options{Width: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, coarse := range []bool{false, true} {
			if x, _, err := task.translate(abstraction{coarse: coarse}); err != nil || len(x.rules) == 0 {
				t.Errorf("%s %v: %v", test.spec, test.set, err)
			}
		}
	}
}

// TestTranslateCounter translates protocols that count messages, of which any number may come as far as the abstraction
// knows. A number beyond the type of its variable is a model error and no step.
func TestTranslateCounter(t *testing.T) {
	for _, test := range []struct {
		counters, controls int // 0: too many
	}{{1, 6}, {6, 0}} {
		names := "abcdef"[:test.counters]
		list := strings.Join(strings.Split(names, ""), ", ")
		text := "protocol p param n: 2..100 topology undirected ring of n channel fifo message Hello\n" +
			"var " + list + ": 0..3 process x = S S = send right Hello; send left Hello; W(" +
			strings.Join(strings.Split(strings.Repeat("0", test.counters), ""), ", ") + ")\nW(" + list + ") ="
		for i, name := range names {
			text += strings.Repeat(" |", min(i, 1)) + " recv _ Hello; W(" +
				strings.Replace(list, string(name), string(name)+" + 1", 1) + ")"
		}
		spec, err := loadtest.Parse("counter.ring", []byte(text+" invariant any = true"))
		if err != nil {
			t.Fatal(err)
		}
		task, err := newTask(t.Context(), spec.Declarations, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		task.effort.Limit = 1 << 20
		controls := 0
		err = effort.Do(t.Context(), func() error {
			x, _, err := task.translate(abstraction{})
			controls = len(x.controls)
			return err
		})
		if controls != test.controls || (test.controls == 0) != errors.Is(err, effort.ErrMemory) {
			t.Errorf("%d counters: %d controls, %v", test.counters, controls, err)
		}
	}
}

// TestNeeded looks whether each pattern of a proof is needed: without one that the property does not forbid, the others
// are not inductive.
func TestNeeded(t *testing.T) {
	t.Parallel()
	for _, test := range proved[:cases()] {
		p := prove(t, test).proof
		given := make(map[string]string)
		for name, value := range test.set {
			given[name] = fmt.Sprint(value)
		}
		spec, err := loadtest.Open(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		task, err := newTask(t.Context(), spec.Declarations, given, Options{})
		if err != nil {
			t.Fatal(err)
		}
		goals, _, err := task.goalsAndHints(p.translation, p.Protocol)
		if err != nil {
			t.Fatal(err)
		}
		forbidden := make(map[string]bool)
		for _, g := range goals {
			forbidden[g.key()] = true
		}
		for i, pattern := range p.patterns {
			if forbidden[pattern.key()] {
				continue
			}
			rest := *p
			rest.patterns = slices.Delete(slices.Clone(p.patterns), i, i+1)
			closed := true
			for n := 2; n <= p.largest && closed; n++ {
				closed = !rest.solve(t.Context(), n, nil)
			}
			if closed {
				t.Errorf("%s %v: not needed: %s", test.spec, test.set, p.describe(pattern))
			}
		}
	}
}

// follows reports whether unit propagation refutes clauses together with the negation of c.
func follows(clauses [][]sat.Lit, c []sat.Lit) bool {
	value := make(map[sat.Lit]bool)
	for _, l := range c {
		value[-l] = true
	}
	for again := true; again; {
		again = false
	next:
		for _, c := range clauses {
			var unit sat.Lit
			for _, l := range c {
				switch {
				case value[l] || unit != 0 && unit != l && !value[-l]:
					continue next
				case !value[-l]:
					unit = l
				}
			}
			if unit == 0 {
				return true
			}
			value[unit], again = true, true
		}
	}
	return false
}

// unsupported are the features of specs that prove refuses: other topologies than rings, loops, faults, time,
// capacities, and processes that depend on numbers. Registers have a test of their own.
var unsupported = []string{"network", "loop", "neighbour", "fault", "time", "capacity", "register", "ghost", "shared",
	"data: own number", "data: neighbours", "data: ports", "choice: receive and set",
	"choice: an equation that is a call", "process: begins with a let", "process: ignore behind a let",
	"process: crashes itself"}

// TestRandomSpecs compares the rules of random specs with the semantics, and proves no invariant that is violated.
func TestRandomSpecs(t *testing.T) {
	t.Parallel()
	translated, proved := 0, 0
	corpus := spectest.NewCorpus(unsupported...)
	for seed, source := range corpus.Specs(random(), 3) {
		text := strings.Replace(source, "param n: 2..3", "param n: 2..9", 1)
		for i := range 3 {
			text += fmt.Sprintf("invariant once%d = (count p in node: p at E%d) <= 1\n", i, i)
			text += fmt.Sprintf("terminal last%d = (count p in node: p at E%d) <= 1\n", i, i)
		}
		text += "invariant few = (sum p in node, d in dir: size(inbox(p, d))) <= 1\n" +
			"invariant single = forall p in node, d in dir, m in inbox(p, d): size(inbox(p, d)) <= 1\n"
		spec, err := loadtest.Parse("random.ring", []byte(text))
		if err != nil {
			continue // it has fewer equations
		}
		for _, coarse := range []bool{false, true} {
			for n := 2; n <= 3; n++ {
				if transitions(t, spec, nil, n, abstraction{coarse: coarse, counts: coarse == (n == 3)}, nil) {
					translated++
					corpus.Use(t, source)
				}
			}
		}
		if seed%3 > 0 { // a proof takes longer than a translation
			continue
		}
		name := []string{"once0", "single", "last1", "few", "once2", "last0", "once1", "last2"}[seed/3%8]
		r, err := Prove(t.Context(), spec, nil, Options{Property: name, Width: 2})
		if err != nil || !r.Proved {
			continue
		}
		proved++
		for n := 2; n <= 3; n++ {
			sys, err := spec.System(reduce.Set{"n": n})
			if err != nil {
				t.Fatal(err)
			}
			c, err := loadtest.Check(t.Context(), sys, 200_000, name)
			if err == nil && c.Violated() {
				t.Errorf("seed %d: %s is proved, and violated for n = %d:\n%s", seed, name, n, text)
			}
		}
	}
	t.Logf("%d translations, %d properties proved", translated, proved)
	if translated == 0 || proved == 0 {
		t.Error("the random specs do not test what they should")
	}
	corpus.Check(t)
}

// TestMutants proves no mutant of a spec that check finds violated.
func TestMutants(t *testing.T) {
	t.Parallel()
	violated := 0
	for _, name := range families {
		spec, err := loadtest.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 1))
		for range mutants() {
			text := mutate(string(spec.Text), random)
			mutant, err := loadtest.Parse("mutant.ring", []byte(text))
			if err != nil || !breaks(t, mutant, property(name), nil) {
				continue
			}
			violated++
			opt := Options{Property: property(name), Width: 2}
			found := false
			if property(name) == "least" {
				opt.Width = 3 // the spec itself needs three
				found = provable(t, mutant, opt, nil)
			} else {
				r, err := Prove(t.Context(), mutant, nil, opt)
				found = err == nil && r.Proved
			}
			if found {
				t.Errorf("a mutant of %s is proved, which check finds violated:\n%s", name, text)
			}
		}
	}
	t.Logf("%d mutants are violated, and none is proved", violated)
	if violated < mutants()/4 {
		t.Error("too few mutants are violated")
	}
}

// provable reports whether the search finds a proof of a property, even one that runs of small rings contradict.
func provable(t *testing.T, spec *reduce.Spec, opt Options, given map[string]string) bool {
	return provableAfter(t, spec, opt, given, (*task).mine)
}

// provableAfter is provable with another way to look for candidates for patterns.
func provableAfter(t *testing.T, spec *reduce.Spec, opt Options, given map[string]string,
	mine func(*task, context.Context, *miner) error) bool {
	task, err := newTask(t.Context(), spec.Declarations, given, opt)
	if err != nil {
		return false
	}
	as := task.attempts()[0].abstraction
	as.coarse = false
	x, protocol, err := task.translate(as)
	if err != nil {
		return false
	}
	goals, _, err := task.goalsAndHints(x, protocol)
	if err != nil {
		return false
	}
	m := newMiner(x, task.Width)
	if err := mine(task, t.Context(), m); err != nil {
		return false
	}
	_, broken := newSearcher(m, x.largestRing()).prove(goals, nil)
	return broken == nil
}

// mutate replaces something in the processes of a spec.
func mutate(text string, random *rand.Rand) string {
	begin := strings.Index(text, "process p")
	end := regexp.MustCompile(`\n(define|role) `).FindStringIndex(text)[0]
	swaps := map[string][]string{">": {">=", "<", "!="}, "<": {"<=", ">", "!="}, "=": {"!=", ">="}, "left": {"right"},
		"right": {"left"}, "and": {"or"}, "or": {"and"}, "true": {"false"}, "false": {"true"}, "n": {"2", "n - 1", "3"},
		"1": {"2", "0"}, "then": {"then"}, "P": {"A1(true)", "Leader"}, "Passive": {"Leader", "Wait(id)", "Active(id)"},
		"Active": {"Passive"}, "withdrawn": {"candidate", "elected"}, "candidate": {"withdrawn", "elected"},
		"not": {""}, "i": {"id"}, "id": {"i", "q"}, "j": {"i"}, "unique": {"unique"}, "q": {"id"}, "min": {"max"},
		"union": {"minus"}, "Lost": {"Leader", "Collect(id, list)"}, "Leader": {"Lost"}, "Asleep": {"Lost", "Leader"},
		"Collect": {"Start(id); Collect"}}
	token := regexp.MustCompile(`[A-Za-z0-9]+|[<>]=?|!=|=`)
	places := token.FindAllStringIndex(text[begin:end], -1)
	for range 1 + random.IntN(2) {
		for {
			at := places[random.IntN(len(places))]
			old := text[begin+at[0] : begin+at[1]]
			if with := swaps[old]; with != nil {
				text = text[:begin+at[0]] + with[random.IntN(len(with))] + text[begin+at[1]:]
				break
			}
		}
		places = token.FindAllStringIndex(text[begin:end], -1)
	}
	return text
}

// breaks reports whether a property is violated in a small ring.
func breaks(t *testing.T, spec *reduce.Spec, property string, given reduce.Set) bool {
	for n := 2; n <= 4; n++ {
		set := reduce.Set{"n": n}
		maps.Copy(set, given)
		sys, err := spec.System(set)
		if err != nil {
			return false
		}
		r, err := loadtest.Check(t.Context(), sys, 200_000, property)
		if err == nil && r.Violated() {
			return true
		}
	}
	return false
}

// TestTheorem looks for random sets of rules and patterns that are inductive for the sizes that the theorem asks for,
// and not for a larger one.
func TestTheorem(t *testing.T) {
	t.Parallel()
	inductive := 0
	for seed := range uint64(systems()) {
		random := rand.New(rand.NewPCG(seed, 2))
		x := randomRules(random)
		most := x.largestRing()
		patterns := randomPatterns(x, random)
		for n := 2; n <= most; n++ {
			r := newRing(x, n)
			for again := true; again; {
				again = false
				for i, q := range patterns {
					if x.mayBeInitial(q) || r.reaches(q, patterns) {
						patterns, again = slices.Delete(patterns, i, i+1), true
						n = 1 // the smaller rings again
						break
					}
				}
			}
		}
		if len(patterns) == 0 {
			continue
		}
		inductive++
		p := &proof{translation: x, patterns: patterns}
		for n := most + 1; n <= most+3; n++ {
			if p.solve(t.Context(), n, nil) {
				t.Fatalf("seed %d: the patterns are inductive in rings of 2 to %d, and not of %d", seed, most, n)
			}
		}
	}
	t.Logf("%d of %d sets have patterns that are inductive", inductive, systems())
	if inductive < systems()/20 {
		t.Error("too few")
	}
}

// reaches reports whether a step leads from a state without patterns to one in which one of them occurs.
func (r *ring) reaches(q pattern, patterns []pattern) bool {
	s := newRing(r.translation, r.n).solver
	for _, p := range patterns {
		r.forbid(p, s.Add)
	}
	reached := false
	r.stepsInto(q, func(_ *step, _ []int, before []sat.Lit) bool {
		reached = s.Solve(nil, before...)
		return !reached
	})
	return reached
}
