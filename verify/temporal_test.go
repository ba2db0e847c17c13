package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/ltl"
	"ringcheck/reduce/symmetry"
	"ringcheck/specs"
)

// randomFormula writes a temporal formula over predicates.
func randomFormula(r *rand.Rand, size int, predicates []string) string {
	if size <= 0 {
		return "(" + predicates[r.IntN(len(predicates))] + ")"
	}
	f, g := randomFormula(r, size-1, predicates), randomFormula(r, size-1-r.IntN(2), predicates)
	switch r.IntN(10) {
	case 0:
		return "(not " + f + ")"
	case 1:
		return "(" + f + " and " + g + ")"
	case 2:
		return "(" + f + " or " + g + ")"
	case 3:
		return "(next " + f + ")"
	case 4:
		return "(" + f + " until " + g + ")"
	case 5:
		return "(" + f + " unless " + g + ")"
	case 6:
		return "(" + f + " leads to " + g + ")"
	case 7:
		return "(always " + f + ")"
	}
	return "(eventually " + f + ")"
}

// TestTemporalRandom compares verdicts on random formulas of random specs with those of a search that takes states and
// transitions from the small-step semantics, makes the automaton from the definition of the operators alone, and looks
// for cycles by a fixed point. Every run is replayed. A run that violates the safety part of a formula is a shortest
// one.
func TestTemporalRandom(t *testing.T) {
	total := many(45)
	verdicts, lengths := map[Outcome]int{}, map[int]int{}
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(total*3/2, 9) {
		r := rand.New(rand.NewPCG(seed, 9))
		predicates := []string{"quiet", "there(0, 0)", "exists p in node: p.x = 1", "terminal", "forall p in node: p.f"}
		if strings.Contains(src, "timer ") || strings.Contains(src, "delay ") {
			predicates = append(predicates, "tick happens")
		}
		if compareTemporal(t, r, src, predicates, verdicts, lengths) {
			corpus.Use(t, src)
		}
	}
	corpus.Check(t)
	for seed := range uint64(total / 2) {
		r := rand.New(rand.NewPCG(seed, 9))
		predicates := []string{"0 crashed", "1 crashed", "0 at A", "1 at Back", "terminal", "next terminal"}
		compareTemporal(t, r, spectest.Faulty(r), predicates, verdicts, lengths)
	}
	t.Log(verdicts, lengths)
	if verdicts[Holds]+verdicts[Violated] < total*9/10 || verdicts[Holds] < total/10 || verdicts[Violated] < total/10 {
		t.Errorf("the verdicts are %v", verdicts)
	}
	if len(lengths) < 4 {
		t.Errorf("the shortest runs have lengths %v", lengths)
	}
}

// TestTicksRandom does the same for formulas about ticks of systems with timers.
func TestTicksRandom(t *testing.T) {
	total := many(60)
	verdicts, lengths := map[Outcome]int{}, map[int]int{}
	alternatives := []string{"when t = 0: let t = 2; e; A", "when t = 1: skip; A", "when u = 0: let u = 1; e; A",
		"when t = 0 and u = 0: stop", "when t > 0: let t = 0; send right M; B", "recv left M then t := 2; A"}
	for seed := range uint64(total) {
		r := rand.New(rand.NewPCG(seed, 11))
		var list []string
		for range 1 + r.IntN(3) {
			list = append(list, alternatives[r.IntN(len(alternatives))])
		}
		src := fmt.Sprintf("protocol ticks\ntopology directed ring of 2\nchannel fifo\nmessage M\ntimer t: 0..2 = %d\n"+
			"timer u: 0..1 = 1\nevent e\nprocess p = A\nA = %s\nB = recv left M; stop | when t = 0: stop\n",
			r.IntN(3), strings.Join(list, " | "))
		states := []string{"0.t = 0", "1 at B", "true", "0.u = 1"}
		formula := fmt.Sprintf("always (%s => not tick happens)", states[r.IntN(len(states))])
		if r.IntN(2) == 0 {
			predicates := []string{"tick happens", "not tick happens", "0.t = 1", "terminal"}
			formula = randomFormula(r, 1+r.IntN(2), predicates)
		}
		compareFormula(t, src, formula, verdicts, lengths)
	}
	if verdicts[Holds] < total/10 || verdicts[Violated] < total/10 {
		t.Errorf("the verdicts are %v", verdicts)
	}
}

// compareTemporal compares the verdicts on a random formula over predicates and the events of a spec, and counts them
// and the results of checkShortest. It returns false if the system is large.
func compareTemporal(
	t *testing.T, r *rand.Rand, src string, predicates []string, verdicts map[Outcome]int, lengths map[int]int,
) bool {
	t.Helper()
	for _, name := range eventNames(src) {
		predicates = append(predicates, name+" happens", name+" happens at 1")
	}
	formula := randomFormula(r, 1+r.IntN(3), predicates)
	under := []string{"", " under fair", " under strongly fair"}[r.IntN(3)]
	if !strings.Contains(src, "draw ") { // a scheduler has one run, with probability one
		chance := []string{"", " under probability one", " under positive probability"}[r.IntN(3)]
		if under != "" {
			chance = strings.Replace(chance, "under", "and", 1)
		}
		under += chance
	}
	return compareFormula(t, src, formula+under, verdicts, lengths)
}

// compareFormula compares the verdicts on a formula, and counts them, as compareTemporal does.
func compareFormula(t *testing.T, src, formula string, verdicts map[Outcome]int, lengths map[int]int) bool {
	t.Helper()
	src += "ltl f = " + formula + "\n"
	p := spectest.Instantiate(t, src, nil)
	got, want, steps, ok := both(t, p, p.Properties[len(p.Properties)-1])
	if !ok {
		return false
	}
	lengths[steps]++
	if verdicts[got]++; got != want {
		t.Fatalf("%v, want %v:\n%s", got, want, src)
	}
	return true
}

// eventNames returns the events of a spec.
func eventNames(src string) (names []string) {
	for line := range strings.Lines(src) {
		if name, ok := strings.CutPrefix(line, "event "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), "(")
			names = append(names, strings.Fields(name)[0])
		}
	}
	return names
}

// both returns the verdict of Check and that of the naive search, and the length of a shortest run that violates the
// safety part of the formula, see checkShortest. It is not ok if the system is large.
func both(t *testing.T, p *ir.Protocol, property *ir.Property) (got, want Outcome, steps int, ok bool) {
	t.Helper()
	g := &naive{protocol: p}
	if !g.explore(300) {
		return 0, 0, 0, false
	}
	temporal, err := newTemporal(property, p)
	if err != nil {
		t.Fatal(err)
	}
	tableau := newTableau(ltl.Not(temporal.formula))
	if tableau == nil || len(g.states)*len(tableau.sets) > 3000 {
		return 0, 0, 0, false
	}
	sys := spectest.Compile(t, p)
	run, report, err := Verifier{System: sys}.Counterexample(t.Context(), []*ir.Property{property},
		explore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if run != nil {
		if err := Replay(sys, run); err != nil {
			t.Fatal(err)
		}
	}
	want = Holds
	if g.lasso(t, temporal, tableau) {
		want = Violated
	}
	steps, err = checkShortest(t, g, temporal, &report.Judgments[0])
	if err != nil {
		t.Fatalf("%v:\n%v", err, temporal.formula)
	}
	return report.Judgments[0].Outcome, want, steps, true
}

// TestTemporalJoined compares verdicts on several random formulas with the verdicts on each of them alone.
func TestTemporalJoined(t *testing.T) {
	total := many(20)
	predicates := []string{"leader happens", "terminal", "0 at P", "exists p in node: p at P", "0 at A1", "1 at Leader"}
	r := rand.New(rand.NewPCG(4, 9))
	src := source(t, "../specs/franklin.ring")
	for i := range total {
		under := []string{"", " under fair", " under probability one", " under fair and probability one"}[i%4]
		src += fmt.Sprintf("ltl f%d = always (%s => eventually %s)%s\n", i,
			randomFormula(r, r.IntN(3), predicates), randomFormula(r, r.IntN(3), predicates), under)
	}
	p := spectest.Instantiate(t, src, spectest.Settings("n=2 k=2"))
	properties := slices.DeleteFunc(slices.Clone(p.Properties),
		func(q *ir.Property) bool { return !q.Kind.OfRuns() || q.Name[0] != 'f' })
	v := Verifier{System: spectest.Compile(t, p)}
	joined, err := v.Check(t.Context(), properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[Outcome]int{}
	for i, q := range properties {
		alone, err := v.Check(t.Context(), properties[i:i+1], explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, want := &joined.Judgments[i], &alone.Judgments[0]
		if verdicts[got.Outcome]++; got.Outcome != want.Outcome || got.length() != want.length() {
			t.Errorf("%s %v: %v after %d steps, alone %v after %d", q.Name, q.Temporal, got.Outcome, got.length(),
				want.Outcome, want.length())
		}
	}
	t.Log(verdicts)
	if verdicts[Holds] < total/5 || verdicts[Violated] < total/5 {
		t.Errorf("the verdicts are %v", verdicts)
	}
}

// TestTemporalSymmetric checks that verdicts on random formulas over symmetric predicates are the same for orbits and
// for the full system.
func TestTemporalSymmetric(t *testing.T) {
	total := many(25)
	predicates := map[string][]string{
		"franklin": {"leader happens", "terminal", "exists p in node: p at P", "messages > 2",
			"(count p in node: p at A3) = 1"},
		"itai-rodeh": {"leader happens", "terminal", "exists p in node: p at P", "(count p in node: p at P) = n - 1"},
	}
	verdicts := map[Outcome]int{}
	for name, list := range predicates {
		r := rand.New(rand.NewPCG(3, uint64(len(name))))
		src := source(t, "../specs/"+name+".ring")
		for i := range total / len(predicates) {
			under := []string{"", " under probability one", " under positive probability"}[r.IntN(3)]
			src += fmt.Sprintf("ltl f%d = %s%s\n", i, randomFormula(r, 1+r.IntN(3), list), under)
		}
		p := spectest.Instantiate(t, src, spectest.Settings("n=2 k=2"))
		if name == "itai-rodeh" {
			p = spectest.Instantiate(t, src, spectest.Settings("n=3 k=2"))
		}
		properties := slices.DeleteFunc(slices.Clone(p.Properties),
			func(q *ir.Property) bool { return !q.Kind.OfRuns() || q.Name[0] != 'f' })
		sys := spectest.Compile(t, p)
		q, err := symmetry.Rotation(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		full, err := Verifier{System: sys}.Check(t.Context(), properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		orbits, err := Verifier{System: sys, Searched: q}.Check(t.Context(), properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range full.Judgments {
			verdicts[v.Outcome]++
			if got := orbits.Judgments[i].Outcome; got != v.Outcome {
				t.Errorf("%s: property %s, %v: %v of orbits, want %v", name, v.Property.Name, v.Property.Temporal, got,
					v.Outcome)
			}
		}
		if orbits.Search.Stored >= full.Search.Stored {
			t.Errorf("%s: %d orbits of %d states", name, orbits.Search.Stored, full.Search.Stored)
		}
	}
	t.Log(verdicts)
	if verdicts[Holds] < total/10 || verdicts[Violated] < total/10 {
		t.Errorf("the verdicts are %v", verdicts)
	}
}

// A small graph has little memory left.
type small struct {
	explore.Graph
	room uint64
}

func (g small) FreeBytes() uint64 { return g.room }

// keepForRuns explores a protocol for the judgment of its properties of runs, and keeps the states until the test ends.
func keepForRuns(t *testing.T, p *ir.Protocol) (*checker, *kinds, *explore.Space) {
	t.Helper()
	properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool { return !q.Kind.OfRuns() })
	sys := spectest.Compile(t, p)
	c, err := newChecker(t.Context(), Verifier{System: sys}, properties)
	if err != nil {
		t.Fatal(err)
	}
	kinds := newKinds(sys)
	space, err := explore.Keep(t.Context(), sys, explore.Options{Observer: c.observer, Tag: kinds.tag})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { space.Close() })
	return c, kinds, space
}

// TestTemporalMemory checks that a property that does not fit in memory is unknown, with the reason, and that the next
// one is decided.
func TestTemporalMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("decides two properties with many budgets")
	}
	_, src, err := specs.Source("franklin")
	if err != nil {
		t.Fatal(err)
	}
	p := spectest.Instantiate(t, string(src)+`
ltl wide = (forall p in node: p at A1 leads to not p at A1) under strongly fair
ltl narrow = always eventually (exists p in node: p at Leader) under probability one
`, spectest.Settings("n=2 k=2"))
	c, kinds, space := keepForRuns(t, p)
	only := false // the second one fits
	for room, wide := uint64(0), Unknown; wide == Unknown; room = 2*room + space.Result().States/2 {
		r := c.report(space.Result())
		g, err := kinds.graph(t.Context(), space)
		if err != nil {
			t.Fatal(err)
		}
		g.Graph = small{g.Graph, room}
		if err := c.judgeRuns(t.Context(), r, g); err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Judgments {
			if (v.Outcome == Unknown) != (v.Reason != "") {
				t.Errorf("%s is %v since %q", v.Property.Name, v.Outcome, v.Reason)
			}
		}
		wide = r.Judgments[0].Outcome
		only = only || wide == Unknown && r.Judgments[1].Outcome == Holds
	}
	if !only {
		t.Error("the narrow property is never decided alone")
	}
}
