package bisim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	adjacency "ringcheck/internal/graph"
)

// idle is an effort without limits.
func idle() *effort.Effort { return &effort.Effort{Context: context.Background()} }

// compareT returns why two systems are different, nil if they are not.
func compareT(t *testing.T, a, b *lts.LTS, e Equivalence) *Difference {
	t.Helper()
	c, err := Compare(context.Background(), a, b, e, Options{})
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", e, err, dump(a), dump(b))
	}
	if c.Equivalent {
		return nil
	}
	d, err := c.Explain(context.Background(), true)
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", e, err, dump(a), dump(b))
	}
	return d
}

// satisfies evaluates a formula in one state by the definitions of its operators, with no memory.
func satisfies(l *lts.LTS, s uint32, f *Formula) bool {
	holds := func(g *Formula) func(uint32) bool {
		return func(s uint32) bool { return satisfies(l, s, g) }
	}
	switch f.Op {
	case Not:
		return !satisfies(l, s, f.Args[0])
	case And:
		return !slices.ContainsFunc(f.Args, func(g *Formula) bool { return !satisfies(l, s, g) })
	case Next:
		return slices.ContainsFunc(l.Out(s), func(e lts.Edge) bool {
			return l.Label(e.Label) == f.Label && satisfies(l, e.To, f.Args[0])
		})
	case Until:
		if f.Label == lts.TauName && satisfies(l, s, f.Args[1]) {
			return true
		}
		if !satisfies(l, s, f.Args[0]) {
			return false
		}
		for v := range closure(l, s, holds(f.Args[0])) {
			for _, e := range l.Out(v) {
				if l.Label(e.Label) == f.Label && satisfies(l, e.To, f.Args[1]) {
					return true
				}
			}
		}
		return false
	case Diverge:
		if !satisfies(l, s, f.Args[0]) {
			return false
		}
		for v := range closure(l, s, holds(f.Args[0])) {
			for _, e := range l.Out(v) {
				if e.Label == lts.Tau && satisfies(l, e.To, f.Args[0]) && closure(l, e.To, holds(f.Args[0]))[v] {
					return true
				}
			}
		}
		return false
	}
	return true
}

func randomFormula(rng *rand.Rand, depth int) *Formula {
	arg := func() *Formula { return randomFormula(rng, depth-1) }
	label := []string{lts.TauName, "a", "b", "no such label"}[rng.IntN(4)]
	if depth == 0 {
		return truth
	}
	switch Op(rng.IntN(6)) {
	case Not:
		return not(arg())
	case And:
		return and([]*Formula{arg(), arg()})
	case Next:
		return &Formula{Op: Next, Label: label, Args: []*Formula{arg()}}
	case Until:
		return &Formula{Op: Until, Label: label, Args: []*Formula{arg(), arg()}}
	case Diverge:
		return &Formula{Op: Diverge, Args: []*Formula{arg()}}
	}
	return truth
}

func TestCheckerByDefinitions(t *testing.T) {
	for seed := range systems() {
		l := small(seed)
		f := randomFormula(rand.New(rand.NewPCG(seed, 4)), 4)
		set := newChecker(idle(), l)
		for s := range uint32(l.States()) {
			if got, want := set.holds(f, s), satisfies(l, s, f); got != want {
				t.Fatalf("seed %d: %v in state %d: %v, want %v\n%s", seed, f, s, got, want, dump(l))
			}
		}
	}
}

// TestCompareRandom compares random systems, and expects the naive verdict, and a formula that the naive
// checker confirms and that has only the operators of its logic.
func TestCompareRandom(t *testing.T) {
	different, traces := 0, 0
	for seed := range systems() {
		rng := rand.New(rand.NewPCG(seed, 5))
		a := randomLTS(2*seed, 1+rng.IntN(6), 1+rng.IntN(2), 1+rng.IntN(2))
		b := randomLTS(2*seed+1, 1+rng.IntN(6), 1+rng.IntN(2), 1+rng.IntN(2))
		if rng.IntN(2) == 0 {
			b = mutate(a, rng)
		}
		u, err := union(idle(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range equivalences {
			p := naive(u, e)
			want := p.Of[a.Initial()] == p.Of[uint32(a.States())+b.Initial()]
			c := compareT(t, a, b, e)
			if (c == nil) != want {
				t.Fatalf("seed %d, %v: equivalent %v, want %v", seed, e, c == nil, want)
			}
			if c == nil {
				continue
			}
			different++
			if !satisfies(a, a.Initial(), c.Formula) || satisfies(b, b.Initial(), c.Formula) {
				t.Fatalf("seed %d, %v: %v does not tell\n%sfrom\n%s", seed, e, c.Formula, dump(a), dump(b))
			}
			if op, ok := foreign(c.Formula, e); ok {
				t.Fatalf("seed %d, %v: operator %v in %v", seed, e, op, c.Formula)
			}
			if c.Trace != nil {
				traces++
			}
		}
	}
	if different < 1000 || traces < 500 {
		t.Errorf("only %d pairs were different, %d with a trace: the test is too weak", different, traces)
	}
}

// mutate copies a system but for one transition.
func mutate(l *lts.LTS, rng *rand.Rand) *lts.LTS {
	b := lts.NewBuilder()
	translate := translator{l, b, make([]lts.Label, l.Labels())}
	for s := range uint32(l.States()) {
		row := slices.Clone(l.Out(s))
		translate.row(row)
		if len(row) > 0 && rng.IntN(l.States()) == 0 {
			row[0].To = uint32(rng.IntN(l.States()))
		}
		b.Add(s, row...)
	}
	return mustBuild(b, l.States())
}

// foreign returns an operator of f that is not of the logic of an equivalence.
func foreign(f *Formula, e Equivalence) (Op, bool) {
	if f.Op == Next && e != Strong || f.Op == Until && e == Strong || f.Op == Diverge && e != Divergence {
		return f.Op, true
	}
	for _, g := range f.Args {
		if op, ok := foreign(g, e); ok {
			return op, true
		}
	}
	return 0, false
}

func aut(t *testing.T, s string) *lts.LTS {
	t.Helper()
	l, err := lts.ReadAut(context.Background(), strings.NewReader(s), 0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLiterature has pairs of processes that papers use to tell equivalences apart.
func TestLiterature(t *testing.T) {
	for _, test := range []struct {
		name, a, b     string
		strong, branch string // "equal", or a distinguishing formula
		divergence     string
	}{
		{"a.(b+c) and a.b+a.c: the same traces",
			"des (0,3,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n",
			"des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n",
			"⟨a⟩(⟨c⟩true ∧ ⟨b⟩true)", "true ⟨a⟩ ((true ⟨c⟩ true) ∧ (true ⟨b⟩ true))",
			"true ⟨a⟩ ((true ⟨c⟩ true) ∧ (true ⟨b⟩ true))"},
		{"a.τ.b and a.b: first τ-law",
			"des (0,3,4)\n(0,a,1)\n(1,tau,2)\n(2,b,3)\n",
			"des (0,2,3)\n(0,a,1)\n(1,b,2)\n",
			"⟨a⟩⟨τ⟩true", "equal", "equal"},
		{"a.(b+τ.c) and a.(b+τ.c)+a.c: weakly, not branching bisimilar (van Glabbeek, Weijland 1996, third τ-law)",
			"des (0,4,5)\n(0,a,1)\n(1,b,2)\n(1,i,3)\n(3,c,4)\n",
			"des (0,5,5)\n(0,a,1)\n(1,b,2)\n(1,i,3)\n(3,c,4)\n(0,a,3)\n",
			"¬⟨a⟩⟨c⟩true", "¬(true ⟨a⟩ ¬(true ⟨b⟩ true))", "¬(true ⟨a⟩ ¬(true ⟨b⟩ true))"},
		{"τ.a+b and τ.a+a+b: weakly, not branching bisimilar (second τ-law)",
			"des (0,3,3)\n(0,i,1)\n(1,a,2)\n(0,b,2)\n",
			"des (0,4,3)\n(0,i,1)\n(1,a,2)\n(0,b,2)\n(0,a,2)\n",
			"¬⟨a⟩true", "¬((true ⟨b⟩ true) ⟨a⟩ true)", "¬((true ⟨b⟩ true) ⟨a⟩ true)"},
		{"divergence only: a and a with a τ-loop",
			"des (0,1,2)\n(0,a,1)\n",
			"des (0,2,2)\n(0,a,1)\n(0,i,0)\n",
			"¬⟨τ⟩true", "equal", "¬Δtrue"},
		{"divergence in a deadlock, and none",
			"des (0,2,2)\n(0,a,1)\n(1,tau,1)\n",
			"des (0,1,2)\n(0,a,1)\n",
			"⟨a⟩⟨τ⟩true", "equal", "true ⟨a⟩ Δtrue"},
		{"a τ-cycle through both choices (Blom, Orzan 2003: cycles do not decide)",
			"des (0,4,4)\n(0,tau,1)\n(1,tau,0)\n(0,a,2)\n(1,b,3)\n",
			"des (0,2,3)\n(0,a,1)\n(0,b,2)\n",
			"⟨τ⟩true", "equal", "Δtrue"},
		{"vending machine: coin, then τ to a choice",
			"des (0,4,4)\n(0,coin,1)\n(1,tau,2)\n(1,tau,3)\n(2,tea,0)\n",
			"des (0,2,2)\n(0,coin,1)\n(1,tea,0)\n",
			"⟨coin⟩⟨τ⟩true", "?", "?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := aut(t, test.a), aut(t, test.b)
			for e, want := range map[Equivalence]string{Strong: test.strong, Branching: test.branch,
				Divergence: test.divergence} {
				c := compareT(t, a, b, e)
				got := "equal"
				if c != nil {
					got = c.Formula.String()
				}
				if got != want && (want != "?" || c == nil) {
					t.Errorf("%v: %s, want %s", e, got, want)
				}
			}
		})
	}
}

func TestCompareTrace(t *testing.T) {
	a := aut(t, "des (0,4,5)\n(0,a,1)\n(1,tau,2)\n(2,b,3)\n(3,c,4)\n")
	b := aut(t, "des (0,3,4)\n(0,a,1)\n(1,tau,2)\n(2,b,3)\n")
	c := compareT(t, a, b, Branching)
	if !slices.Equal(c.Trace, []string{"a", "b", "c"}) || !c.TraceOfFirst {
		t.Errorf("trace %q, of first %v", c.Trace, c.TraceOfFirst)
	}
	if c = compareT(t, b, a, Strong); !slices.Equal(c.Trace, []string{"a", "tau", "b", "c"}) || c.TraceOfFirst {
		t.Errorf("strong: trace %q, of first %v", c.Trace, c.TraceOfFirst)
	}
}

func TestFormulaString(t *testing.T) {
	a := &Formula{Op: Next, Label: "a", Args: []*Formula{truth}}
	both := and([]*Formula{a, not(a)})
	until := &Formula{Op: Until, Label: lts.TauName,
		Args: []*Formula{both, &Formula{Op: Diverge, Args: []*Formula{both}}}}
	if got, want := until.String(), "(⟨a⟩true ∧ ¬⟨a⟩true) ⟨τ⟩ Δ(⟨a⟩true ∧ ¬⟨a⟩true)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	long := a
	for range 40 {
		long = and([]*Formula{{Op: Next, Label: "b", Args: []*Formula{long}}, not(long)})
	}
	if s := long.String(); len(s) > 2000 || !strings.Contains(s, " where X") {
		t.Errorf("a formula of 2^40 operators is written in %d bytes: %.200s", len(s), s)
	}
}

// TestRounds compares the classes after every round with those of a refinement that looks at all states in every round.
func TestRounds(t *testing.T) {
	for seed := range systems() / 2 {
		l := small(seed)
		for _, e := range equivalences {
			g, _ := reduce(idle(), l, e, false)
			n := uint32(g.Len())
			if _, err := tellApart(idle(), g, 0, 0); err == nil {
				t.Fatal("a state was distinguished from itself")
			}
			r := newRefiner(idle(), g, adjacency.Reverse(idle(), &g.Rows), make([]uint32, n), 1)
			r.history, r.garbage = newHistory(r), 0
			block := make([]uint32, n)
			for round := uint32(1); round < 20; round++ {
				r.round(round)
				block = naiveRound(g, block)
				for s := range n {
					for v := range s {
						told, now := r.history.classAt(s, round) != r.history.classAt(v, round),
							r.blockOf[s] != r.blockOf[v]
						if want := block[s] != block[v]; told != want || now != want {
							t.Fatalf("seed %d, %v: round %d tells %d from %d: %v, want %v\n%s", seed, e, round, s, v,
								told, want, dump(l))
						}
					}
				}
			}
		}
	}
}

// naiveRound divides blocks by the signatures of all states.
func naiveRound(g *graph, block []uint32) []uint32 {
	var sign func(s uint32) map[lts.Edge]bool
	sign = func(s uint32) map[lts.Edge]bool {
		sig := map[lts.Edge]bool{}
		for _, e := range g.Of(s) {
			if g.inert && e.Label == lts.Tau && block[e.To] == block[s] {
				maps.Copy(sig, sign(e.To))
			} else {
				sig[lts.Edge{Label: e.Label, To: block[e.To]}] = true
			}
		}
		return sig
	}
	next, known := make([]uint32, len(block)), map[string]uint32{}
	for s := range block {
		key := fmt.Sprint(block[s], sign(uint32(s))) // maps are printed in order
		if _, ok := known[key]; !ok {
			known[key] = uint32(len(known))
		}
		next[s] = known[key]
	}
	return next
}

// TestCompareLongChains compares systems whose difference is as deep as they are long.
func TestCompareLongChains(t *testing.T) {
	for e, n := range map[Equivalence]uint32{Strong: 20_000, Branching: 5000, Divergence: 2000} {
		why := compareT(t, chain(n), chain(n+1), e)
		if len(why.Trace) != int(n) || why.TraceOfFirst {
			t.Errorf("%v: a trace of %d steps", e, len(why.Trace))
		}
		if text := why.Formula.String(); len(text) > 100 || !strings.Contains(text, fmt.Sprintf("^%d ", n-1)) {
			t.Errorf("%v: %.200s", e, text)
		}
	}
}

// comb returns n states in a row, and a first one from which there is a step b to each. The signature of that one
// changes whenever a state of the row is told from the others.
func comb(n uint32) *lts.LTS {
	b := lts.NewBuilder()
	down, along := b.Label("b"), b.Label("a")
	for s := uint32(1); s <= n; s++ {
		b.Add(0, lts.Edge{Label: down, To: s})
		if s < n {
			b.Add(s, lts.Edge{Label: along, To: s + 1})
		}
	}
	return mustBuild(b, int(n)+1)
}

func TestCompareCombs(t *testing.T) {
	const n = 800
	if text := compareT(t, comb(n+1), comb(n), Branching).Formula.String(); len(text) > 200 {
		t.Errorf("%.200s", text)
	}
}

// TestDeepFormula evaluates and writes a formula that is too deep for recursion.
func TestDeepFormula(t *testing.T) {
	const n = 300_000
	f := truth
	for i := range n {
		f = &Formula{Op: Until, Label: string("abc"[i%3]), Args: []*Formula{truth, f}}
		if i%5 == 0 {
			f = not(f)
		}
	}
	loop := aut(t, "des (0,3,1)\n(0,a,0)\n(0,b,0)\n(0,c,0)\n")
	if newChecker(idle(), loop).holds(f, 0) != (n/5%2 == 0) {
		t.Error("a formula with an even number of negations does not hold")
	}
	if lines := f.Lines(); len(lines) < n/10 ||
		slices.ContainsFunc(lines, func(s string) bool { return len(s) > 1000 }) {
		t.Errorf("%d lines", len(lines))
	}
}

// TestVerdictWithoutExplanation gives the explanation no time, or little memory, and expects the verdict all the same.
func TestVerdictWithoutExplanation(t *testing.T) {
	a := aut(t, "des (0,3,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n") // the same traces as
	b := aut(t, "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n")
	c, err := Compare(context.Background(), a, b, Branching, Options{Memory: 1 << 20})
	if err != nil || c.Equivalent {
		t.Fatal(c, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Explain(done, true); !errors.Is(err, context.Canceled) {
		t.Errorf("no time: %v", err)
	}
	c.memory = 1 << 10
	if _, err := c.Explain(context.Background(), true); !errors.Is(err, lts.ErrMemory) {
		t.Errorf("no memory: %v", err)
	}
}

func TestMemoryIsCounted(t *testing.T) {
	for name, l := range map[string]*lts.LTS{"grid": grid(100), "rings": tauRings(100, 100),
		"stairs": stairs(10_000, 4, 2, 0.7)} {
		for _, e := range equivalences {
			for variant, o := range variants {
				o.Memory = 64 << 10
				if _, _, err := Minimize(context.Background(), l, e, o); !errors.Is(err, lts.ErrMemory) {
					t.Errorf("%s, %v, %s, 64 KiB: %v", name, e, variant, err)
				}
				o.Memory = 64 << 20
				if _, _, err := Minimize(context.Background(), l, e, o); err != nil {
					t.Errorf("%s, %v, %s, 64 MiB: %v", name, e, variant, err)
				}
			}
		}
	}
}

func TestCompareIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, grid(4), grid(5), Branching, Options{}); err == nil {
		t.Error("compared although the context is done")
	}
}
