package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/symmetry"
)

// cyclicSpec returns a random spec in which processes that are alike act for ever and wait for one another. With sync,
// channels are synchronous.
func cyclicSpec(w *formulaWriter, sync bool) string {
	var b strings.Builder
	n, topology := 3, w.oneOf("complete graph of n", "complete graph of n", "star of n",
		"graph of n with p -> q if q = (p + 1) mod n", "undirected ring of n", "bipartite graph of 2 by 2")
	numbered := topology != "undirected ring of n"
	if topology[0] == 'b' || topology[0] == 's' || topology[0] == 'c' && w.IntN(4) == 0 {
		n = 4
	}
	channel := w.oneOf("unordered of 1", "unordered of 1", "unordered of 1", "unordered of 1, lossy")
	if sync {
		channel = "sync"
	}
	fmt.Fprintf(&b, "protocol cyclic\nparam n: 2..4 = %d\ntopology %s\nchannel %s\n", n, topology, channel)
	b.WriteString("var me, q: node\nvar d: dir\nvar x: 0..1\nshared sv: node\nshared sy: 0..1 = 0\n" +
		"message M\nevent done, other\n")
	process := "process p = E0(p, 0)\n"
	if topology[0] == 's' {
		process = "process hub = E1(hub, 0)\nprocess leaf[p in 1..n - 1] = E0(p, 0)\n"
		w.kinds = []string{"leaf"}
	}
	b.WriteString(process)
	draws := w.IntN(2) == 0
	for i := range 2 {
		var alternatives []string
		if sync && w.IntN(4) > 0 { // any two that are there can meet
			send, receive := "choose q in neighbours(me); send q M", "recv q M"
			if !numbered {
				send, receive = "choose d in {left, right}; send d M", "recv d M"
			}
			for _, act := range []string{send, receive} {
				alternatives = append(alternatives,
					fmt.Sprintf("%s; E%d(me, %s)", act, w.IntN(2), w.oneOf("x", "0", "1")))
			}
		}
		for range 1 + w.IntN(3) {
			guard := w.oneOf("", "", "when sv = me: ", "when sv != me: ", "when sy = 0: ", "when sy = 1: ",
				"when x = 0: ")
			call := fmt.Sprintf("E%d(me, %s)", w.IntN(2), w.oneOf("x", "x", "0", "1", "1 - x"))
			act := w.oneOf("done", "other", "skip", "sv := me", "sy := 1 - sy", "sv := me")
			switch {
			case numbered && guard == "" && w.IntN(3) == 0:
				act = w.oneOf("choose q in neighbours(me); send q M", "recv q M", "choose q in neighbours(me); sv := q")
			case draws && guard == "" && w.IntN(2) == 0:
				act = "draw x in 0..1; skip"
			}
			if !numbered && w.IntN(3) == 0 { // a reflection exchanges these
				one := w.oneOf("send %s M", "recv %s M")
				alternatives = append(alternatives, fmt.Sprintf(one, "left")+"; "+call)
				guard, act = "", fmt.Sprintf(one, "right")
			}
			alternatives = append(alternatives, guard+act+"; "+call)
		}
		fmt.Fprintf(&b, "E%d(me, x) =\n    %s\n", i, strings.Join(alternatives, "\n  | "))
	}
	return b.String()
}

// TestPermutedFairness compares verdicts under fairness by orbits with those of the full system, and replays the runs.
func TestPermutedFairness(t *testing.T) {
	t.Run("channels", func(t *testing.T) { comparePermutedFairness(t, uint64(many(150)), 1500, false) })
	t.Run("synchronous channels", func(t *testing.T) { comparePermutedFairness(t, uint64(many(40)), 300, true) })
}

// comparePermutedFairness implements TestPermutedFairness for a number of specs, without those with many states.
func comparePermutedFairness(t *testing.T, total, states uint64, sync bool) {
	t.Helper()
	refused, unrolled, draws, meetings, runs, longer := 0, 0, 0, 0, 0, 0
	verdicts := map[string]int{}
	for seed := range total {
		w := &formulaWriter{
			Rand: rand.New(rand.NewPCG(seed, 92)),
			atoms: []string{"P at E0", "P at E1", "P.x = 1", "sv = P", "(done happens at P)", "(done happens)",
				"sv = Q"},
			closed: []string{"(done happens)", "(other happens)", "sy = 0", "(exists y in node: y at E1)",
				"(forall y in node: y.x = 0)", "(count y in node: y at E0) <= 1"},
		}
		src := cyclicSpec(w, sync)
		for i := range 2 {
			formula := w.formula(nil, 2)
			switch w.IntN(4) {
			case 0:
				formula = w.oneOf("always eventually ", "eventually always not ", "eventually ") + w.atom(nil)
			case 1, 2:
				formula = "forall p0 in node: " +
					w.oneOf("always eventually ", "always eventually not ", "eventually ") + w.atom([]string{"p0"})
			}
			fair := w.oneOf("fair", "fair", "strongly fair", "strongly fair", "fair of done", "fair of E0",
				"strongly fair of other", "strongly fair of E1", "fair and strongly fair of done")
			if sync {
				fair = w.oneOf(fair, "fair of M", "strongly fair of M", "fair of done and strongly fair of M")
			}
			if strings.Contains(src, "draw") && w.IntN(2) == 0 {
				fair += " and " + w.oneOf("probability one", "probability one", "positive probability")
			}
			src += fmt.Sprintf("ltl f%d = %s under %s\n", i, formula, fair)
		}
		p := spectest.Instantiate(t, src, nil)
		sys := spectest.Compile(t, p)
		if !isSmall(t, sys, states) {
			continue
		}
		for _, property := range p.Properties {
			q := permutedFor(t, sys, property)
			if q == nil {
				refused++
				continue
			}
			c := compareFair(t, sys, q, property)
			fairness := "weak"
			if property.Temporal.Fair[len(property.Temporal.Fair)-1].Strongly {
				fairness = "strong"
			}
			verdicts[fairness+" "+c.verdict]++
			if c.exchanges {
				unrolled++
			}
			if c.meets {
				meetings++
			}
			if c.orbits > 0 {
				runs++
				if c.orbits > c.full {
					longer++
				}
			}
			if property.Temporal.Chance != ir.AllRuns {
				draws++
			}
			if t.Failed() {
				t.Fatalf("seed %d, %s:\n%s", seed, property.Name, src)
			}
		}
	}
	t.Logf("%v, %d with a cycle that exchanges processes, %d with one on which processes meet, %d with draws; "+
		"%d refused; %d of %d lassos are longer than without symmetry",
		verdicts, unrolled, meetings, draws, refused, longer, runs)
	for _, sort := range []string{"weak", "strong"} {
		for _, verdict := range []string{" holds", " only if fair", " violated"} {
			if verdicts[sort+verdict] < int(total)/40 {
				t.Error("too few verdicts:", sort+verdict)
			}
		}
	}
	if draws < int(total)/40 || runs < int(total)/6 || !sync && unrolled < int(total)/40 ||
		sync && meetings < int(total)/8 {
		t.Error("too few formulas of some sort")
	}
	if longer > runs/20 {
		t.Error("too many runs are longer than without symmetry")
	}
}

// A fairComparison is what compareFair finds.
type fairComparison struct {
	verdict      string
	exchanges    bool // the cycle by orbits exchanges processes
	meets        bool // two processes send and receive a message in one step of the cycle of the run
	full, orbits int  // the numbers of steps of the lassos, 0 if there is none
}

// compareFair compares the verdicts on a property by orbits and of the full system, with fairness and without, and
// replays the run.
func compareFair(
	t *testing.T, sys *compile.System, q *symmetry.PermutationQuotient, property *ir.Property,
) (c fairComparison) {
	t.Helper()
	unfair, temporal := *property, *property.Temporal
	temporal.Fair = nil
	unfair.Temporal = &temporal
	outcome := func(s Verifier, p *ir.Property) *Judgment {
		s.Diagnose = true
		r, err := s.Check(t.Context(), []*ir.Property{p}, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &r.Judgments[0]
	}
	orbits := Verifier{System: sys, Searched: q}
	full := outcome(Verifier{System: sys}, property)
	got := outcome(orbits, property)
	if got.Outcome != full.Outcome {
		t.Errorf("%s: %v by orbits, want %v", property.Name, got.Outcome, full.Outcome)
		return c
	}
	if got.Outcome == Holds {
		if outcome(Verifier{System: sys}, &unfair).Outcome == Violated {
			return fairComparison{verdict: "only if fair"}
		}
		return fairComparison{verdict: "holds"}
	}
	run, _, err := orbits.Counterexample(t.Context(), []*ir.Property{property}, explore.Options{})
	if err != nil || run == nil {
		t.Fatalf("%s: run %v, %v", property.Name, run, err)
	}
	if err := Replay(sys, run); err != nil {
		t.Errorf("%s: %v", property.Name, err)
	}
	c.verdict = "violated"
	if l := run.Lasso; l != nil && l.Cycle > 0 {
		c.exchanges = l.Cycle > len(l.lasso.Cycle)
		c.meets = slices.ContainsFunc(run.Moves[l.Stem+1:], func(m explore.Move) bool {
			return sys.Label(m.Step.Label).Kind == model.SyncAction
		})
		if full.Lasso != nil {
			c.full, c.orbits = full.Lasso.Stem+full.Lasso.Cycle, l.Stem+l.Cycle
		}
	}
	return c
}

// TestExchangedProcesses checks cycles of orbits that exchange processes. In each spec there are two processes, and the
// quotient has a cycle of few states in which the acting process has the same number again and again.
func TestExchangedProcesses(t *testing.T) {
	const head = "protocol exchange\ntopology complete graph of 2\nchannel unordered\nvar me, q: node\n" +
		"event done, other\nshared turn: node\nprocess p = A(p)\n"
	for _, tt := range []struct {
		name, text, formula string
		outcome             Outcome
		cycle               int // the length of the cycle of the full system; 0 if the property holds
	}{
		// Whose turn it is acts. By orbits one process acts for ever, and the other waits; in fact they alternate.
		{"the turns alternate", "A(me) = when turn = me: choose q in neighbours(me); let turn = q; done; A(me)",
			"eventually always not (done happens) under fair", Violated, 2},
		{"the turns alternate, strongly",
			"A(me) = when turn = me: choose q in neighbours(me); let turn = q; done; A(me)",
			"eventually always not (done happens) under strongly fair", Violated, 2},
		// The process with the turn keeps it, and the other one never can act, which is fair.
		{"the turn stays", "A(me) = when turn = me: done; A(me)",
			"eventually always not (done happens) under strongly fair", Violated, 1},
		// Taking the turn leads to the same orbit, and so do two turns that the processes take after each other.
		{"each takes the turn", "A(me) = when turn != me: let turn = me; done; A(me)",
			"eventually always not (done happens) under fair", Violated, 2},
		// By orbits, who keeps the turn and who takes it differ by a transition of one state. A run in which one keeps
		// it for ever is not fair to the other.
		{"the turn is kept", "A(me) = when turn = me: other; A(me) | when turn != me: let turn = me; done; A(me)",
			"always eventually done happens under fair", Holds, 0},
		{"the turn is kept, unfairly",
			"A(me) = when turn = me: other; A(me) | when turn != me: let turn = me; done; A(me)",
			"always eventually done happens", Violated, 1},
		// By orbits, one state has a transition with done for the one with the turn. A run that passes the turn is not
		// strongly fair, but weakly: whoever has lost the turn cannot take it.
		{"the turn is passed", "A(me) = when turn = me: done; A(me) | when turn = me: choose q in neighbours(me); " +
			"let turn = q; other; A(me)", "always eventually done happens under strongly fair of done", Holds, 0},
		{"the turn is passed, weakly", "A(me) = when turn = me: done; A(me) | when turn = me: " +
			"choose q in neighbours(me); let turn = q; other; A(me)",
			"always eventually done happens under fair of done", Violated, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, head+tt.text+"\nltl p = "+tt.formula+"\n", nil)
			sys := spectest.Compile(t, p)
			property := p.Properties[0]
			q, err := symmetry.Permutation(t.Context(), sys, reduce.InvariantsOf(property)...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Verifier{System: sys, Searched: q}.Check(t.Context(), p.Properties, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compareFair(t, sys, q, property)
			cycle := 0
			if l := r.Judgments[0].Lasso; l != nil {
				cycle = l.Cycle
			}
			if got := r.Judgments[0].Outcome; got != tt.outcome || cycle != tt.cycle {
				t.Errorf("%v, a cycle of %d steps; want %v, %d", got, cycle, tt.outcome, tt.cycle)
			}
		})
	}
}
