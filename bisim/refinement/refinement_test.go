package refinement

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/internal/test/testlevel"
)

var models = []Model{WeakTrace, Trace, Failures, FailuresDivergences}

// random makes a system of a few states. Its labels are τ and the first of a, b, c.
func random(seed uint64, states, labels int) *lts.LTS {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := lts.NewBuilder()
	taus := rng.IntN(3)
	for s := range states {
		for range rng.IntN(4) {
			label := lts.Tau
			if rng.IntN(4) >= taus {
				label = b.Label(string(rune('a' + rng.IntN(labels))))
			}
			b.Add(uint32(s), lts.Edge{Label: label, To: uint32(rng.IntN(states))})
		}
	}
	l, err := b.Build(context.Background(), 0, states)
	if err != nil {
		panic(err)
	}
	return l
}

// changed returns a system with transitions of another one, without each with a small probability, and possibly with a
// few more.
func changed(seed uint64, l *lts.LTS) *lts.LTS {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := lts.NewBuilder()
	drop, add := rng.IntN(3), rng.IntN(2)
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			if rng.IntN(10) >= drop {
				b.Add(uint32(s), lts.Edge{Label: b.Label(l.Label(e.Label)), To: e.To})
			}
		}
		if rng.IntN(10) < add && l.Labels() > 1 {
			label := b.Label(l.Label(lts.Label(rng.IntN(l.Labels()))))
			b.Add(uint32(s), lts.Edge{Label: label, To: uint32(rng.IntN(l.States()))})
		}
	}
	changed, err := b.Build(context.Background(), l.Initial(), l.States())
	if err != nil {
		panic(err)
	}
	return changed
}

// pair returns two systems, of which one is often a part of the other.
func pair(seed uint64) (a, b *lts.LTS) {
	rng := rand.New(rand.NewPCG(seed, 3))
	b = random(seed, 1+rng.IntN(9), 1+rng.IntN(3))
	if seed%4 == 0 {
		return random(seed+1<<32, 1+rng.IntN(9), 1+rng.IntN(3)), b
	}
	return changed(seed, b), b
}

func check(t testing.TB, a, b *lts.LTS, m Model) *Result {
	t.Helper()
	labels := NewAlphabet()
	r, err := Check(t.Context(), Of(a, labels), Of(b, labels), m, Options{})
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", m, err, dump(a), dump(b))
	}
	if r.Refines != (r.Difference == nil) {
		t.Fatalf("refines: %v, difference: %v", r.Refines, r.Difference)
	}
	return r
}

func dump(l *lts.LTS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "initial %d of %d\n", l.Initial(), l.States())
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			fmt.Fprintf(&b, "(%d,%s,%d)\n", s, l.Label(e.Label), e.To)
		}
	}
	return b.String()
}

// A naive system is a system with labels as text, and the definitions of what a model compares.
type naive struct {
	*lts.LTS
	model Model
}

// closed returns the states that τ's lead to, as a set.
func (n naive) closed(states map[uint32]bool) map[uint32]bool {
	for n.model != Trace {
		more := false
		for s := range states {
			for _, e := range n.Out(s) {
				if e.Label == lts.Tau && !states[e.To] {
					states[e.To], more = true, true
				}
			}
		}
		if !more {
			break
		}
	}
	return states
}

func (n naive) begin() map[uint32]bool { return n.closed(map[uint32]bool{n.Initial(): true}) }

func (n naive) after(states map[uint32]bool, label string) map[uint32]bool {
	next := map[uint32]bool{}
	for s := range states {
		for _, e := range n.Out(s) {
			if n.Label(e.Label) == label && (e.Label != lts.Tau || n.model == Trace) {
				next[e.To] = true
			}
		}
	}
	return n.closed(next)
}

// offers returns the labels of a stable state, nil for another one.
func (n naive) offers(s uint32) map[string]bool {
	all := map[string]bool{}
	for _, e := range n.Out(s) {
		if e.Label == lts.Tau {
			return nil
		}
		all[n.Label(e.Label)] = true
	}
	return all
}

// diverges reports whether as many τ's as there are states can follow.
func (n naive) diverges(states map[uint32]bool) bool {
	at := states
	for range n.States() {
		next := map[uint32]bool{}
		for s := range at {
			for _, e := range n.Out(s) {
				if e.Label == lts.Tau {
					next[e.To] = true
				}
			}
		}
		at = next
	}
	return len(at) > 0
}

// subsets returns the subsets of some labels.
func subsets(labels []string) (all [][]string) {
	for mask := range 1 << len(labels) {
		var some []string
		for i, l := range labels {
			if mask>>i&1 != 0 {
				some = append(some, l)
			}
		}
		all = append(all, some)
	}
	return all
}

// refuses reports whether some stable state offers none of the labels.
func (n naive) refuses(states map[uint32]bool, labels []string) bool {
	for s := range states {
		offers := n.offers(s)
		if offers != nil && !slices.ContainsFunc(labels, func(l string) bool { return offers[l] }) {
			return true
		}
	}
	return false
}

func key(states map[uint32]bool) string {
	var all []int
	for s := range states {
		all = append(all, int(s))
	}
	sort.Ints(all)
	return fmt.Sprint(all)
}

// slow makes both systems deterministic, and compares what they have after each trace, from the shortest on. It returns
// the length of the shortest trace after which, or with which, A violates the model, -1 if there is none.
func slow(a, b *lts.LTS, m Model) (length int, kind Kind) {
	type both struct{ a, b map[uint32]bool }
	na, nb := naive{a, m}, naive{b, m}
	labels := []string{"a", "b", "c"}
	if m == Trace {
		labels = append(labels, lts.TauName)
	}
	level, met := []both{{na.begin(), nb.begin()}}, map[string]bool{}
	for length := 0; len(level) > 0; length++ {
		var next []both
		for _, x := range level {
			if len(x.b) == 0 {
				return length, Excess
			}
		}
		for _, x := range level {
			if m == FailuresDivergences && nb.diverges(x.b) {
				continue
			}
			if m == FailuresDivergences && na.diverges(x.a) {
				return length, Divergence
			}
			for _, refused := range subsets(labels) {
				if m.refuses() && na.refuses(x.a, refused) && !nb.refuses(x.b, refused) {
					return length, Refusal
				}
			}
			for _, l := range labels {
				to := both{na.after(x.a, l), nb.after(x.b, l)}
				if k := key(to.a) + key(to.b); len(to.a) > 0 && !met[k] {
					met[k] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return -1, 0
}

var pairs = testlevel.Cases[uint64](2000, 10000)

// TestCheck compares verdicts, and the lengths of traces, with those of the subset construction.
func TestCheck(t *testing.T) {
	met := map[string]int{}
	for seed := range pairs() {
		a, b := pair(seed)
		for _, m := range models {
			length, _ := slow(a, b, m)
			r := check(t, a, b, m)
			what := fmt.Sprint(m, " holds")
			if !r.Refines {
				what = fmt.Sprint(m, " ", r.Difference.Kind)
			}
			met[what]++
			if r.Chaos {
				met["chaos"]++
			}
			if r.Refines && r.Sets > 5 && r.Visible {
				met["large"]++
			}
			if r.Refines != (length < 0) || !r.Refines && len(r.Difference.Trace) != length {
				t.Fatalf("seed %d, %v: got %+v, want length %d\n%s%s", seed, m, r, length, dump(a), dump(b))
			}
		}
	}
	for what, least := range map[string]int{"weak-trace holds": 800, "trace holds": 800, "failures holds": 200,
		"failures-divergences holds": 200, "weak-trace 0": 200, "trace 0": 200, "failures 0": 100, "failures 1": 200,
		"failures-divergences 0": 100, "failures-divergences 1": 100, "failures-divergences 2": 50, "chaos": 200,
		"large": 100} {
		if met[what] < least {
			t.Errorf("%s: %d times, want at least %d", what, met[what], least)
		}
	}
}

// TestLarge does the same for larger systems, with sets that are compared once and remembered.
func TestLarge(t *testing.T) {
	remembering, dominated := 0, 0
	for seed := range pairs() / 40 {
		rng := rand.New(rand.NewPCG(seed, 4))
		b := random(seed, 40+rng.IntN(60), 2)
		a := changed(seed, b)
		for _, m := range models {
			labels := NewAlphabet()
			s := newSearch(t.Context(), Of(a, labels), Of(b, labels), m, Options{})
			s.b.remember = 2
			d := s.run()
			length, _ := slow(a, b, m)
			if (d == nil) != (length < 0) || d != nil && len(d.Trace) != length {
				t.Fatalf("seed %d, %v: got %+v, want length %d", seed, m, d, length)
			}
			if len(s.b.subsets) > 0 {
				remembering++
			}
			for _, n := range s.nodes {
				if n.set == none {
					dominated++
				}
			}
		}
	}
	if n := int(pairs()) / 40; remembering < n || dominated < 10*n {
		t.Errorf("%d searches remember the comparison of sets; %d nodes left an antichain", remembering, dominated)
	}
}

// TestSubset compares the comparison of sets, of few and of many members, with a search for each member.
func TestSubset(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	s := newSets(nil, Failures, func() {}, func(uint64) {})
	var lists [][]uint32
	for size := 0; size < 300; size += 4 {
		list := []uint32{}
		for m := range uint32(400) {
			if rng.IntN(300) < size {
				list = append(list, m)
			}
		}
		fewer := slices.DeleteFunc(slices.Clone(list), func(uint32) bool { return rng.IntN(50) == 0 })
		lists = append(lists, list, fewer)
	}
	subsets, remembered := 0, 0
	for _, x := range lists {
		for _, y := range lists {
			want := !slices.ContainsFunc(x, func(m uint32) bool { return !slices.Contains(y, m) })
			for range 2 { // the second time it may be remembered
				if got := s.subset(s.number(x), s.number(y)); got != want {
					t.Fatalf("%v in %v: %v", x, y, got)
				}
			}
			if want {
				subsets++
			}
		}
	}
	if remembered = len(s.subsets); subsets < 200 || remembered < 200 {
		t.Errorf("%d subsets, %d remembered", subsets, remembered)
	}
}

// TestLaws checks that a model is a preorder, that each model is finer than the one before it, and that bisimilar
// systems refine each other.
func TestLaws(t *testing.T) {
	transitive, minimized := 0, 0
	for seed := range pairs() {
		c, b := pair(seed)
		a := changed(seed+1<<40, c)
		holds := map[Model]bool{}
		for _, m := range models {
			if r := check(t, b, b, m); !r.Refines {
				t.Fatalf("seed %d: %v is not reflexive: %+v\n%s", seed, m, r.Difference, dump(b))
			}
			holds[m] = check(t, a, b, m).Refines
			if check(t, a, c, m).Refines && check(t, c, b, m).Refines {
				transitive++
				if !holds[m] {
					t.Fatalf("seed %d: %v is not transitive", seed, m)
				}
			}
		}
		if holds[Trace] && !holds[WeakTrace] || holds[Failures] && !holds[WeakTrace] {
			t.Fatalf("seed %d: %v\n%s%s", seed, holds, dump(a), dump(b))
		}
		for e, finer := range map[bisim.Equivalence][]Model{bisim.Strong: models, bisim.Branching: {WeakTrace},
			bisim.Divergence: {WeakTrace, Failures, FailuresDivergences}} {
			q, _, err := bisim.Minimize(t.Context(), b, e, bisim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if q.States() < b.States() {
				minimized++
			}
			for _, m := range finer {
				if !check(t, q, b, m).Refines || !check(t, b, q, m).Refines {
					t.Fatalf("seed %d: %v is not coarser than %v\n%s", seed, m, e, dump(b))
				}
			}
		}
	}
	if n := int(pairs()); transitive < n/2 || minimized < n/4 {
		t.Errorf("%d transitive cases, %d quotients that are smaller", transitive, minimized)
	}
}
