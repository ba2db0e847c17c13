package prob

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// fraction returns the fraction that a text represents.
func fraction(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// unevenMDP returns a process like randomMDP whose probabilities and rewards have no common denominator, and in which
// value iteration may converge slowly.
func unevenMDP(r *rand.Rand) *MDP {
	weights := []*big.Rat{fraction("1e-12"), fraction("999999999999e-12"), fraction("1/2305843009213693951"),
		fraction("1/2147483647"), fraction("1/2"), fraction("1/3"), fraction("1e-30"), fraction("1e-150")}
	n := 1 + r.IntN(6)
	b := NewBuilder()
	for range n {
		for range r.IntN(4) {
			var choice []Branch
			left := big.NewRat(1, 1)
			for range r.IntN(3) {
				if w := weights[r.IntN(len(weights))]; w.Cmp(left) < 0 {
					choice = append(choice, Branch{r.Uint32N(uint32(n)), WeightOf(w), r.Uint32N(3)})
					left.Sub(left, w)
				}
			}
			b.Choice(append(choice, Branch{r.Uint32N(uint32(n)), WeightOf(left), r.Uint32N(3)})...)
		}
		b.End()
	}
	m, err := b.mdp([]start{{r.Uint32N(uint32(n)), 1}, {r.Uint32N(uint32(n)), 5}})
	if err != nil {
		panic(err)
	}
	m.Rewards = []Reward{{Name: "cost", Of: []*big.Rat{nil, fraction("1/2305843009213693951"), fraction("2e30")}}}
	if r.IntN(2) == 0 {
		m.Rewards[0].Of[1] = nil
	}
	return m
}

// TestUneven: exact values are those that trying every scheduler gives, and intervals contain them and are as narrow as
// requested relative to the value, whatever the probabilities.
func TestUneven(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 16))
	narrow, exact, finite := 0, 0, 0
	for n := range 100 * Scale() {
		m := unevenMDP(r)
		g := randomGoal(r, m)
		p, err := Prepare(t.Context(), m, g)
		if err != nil {
			t.Fatal(err)
		}
		var queries []Query
		for _, k := range []Scheduler{Uniform, Min, Max} {
			queries = append(queries, Query{Within: -1, Scheduler: k}, Query{Within: 3, Scheduler: k},
				Query{Within: 12, Scheduler: k}, Query{Reward: &m.Rewards[0], Within: -1, Scheduler: k})
		}
		answers := p.Ask(t.Context(), queries, Options{})
		for i, q := range queries {
			want := newDense(m, g, q.Reward).extreme(q.Scheduler)
			if q.Within >= 0 {
				want = newDense(m, g, nil).within(q.Scheduler, q.Within)
			}
			got, err := p.Exact(t.Context(), q)
			if err != nil || want == nil && got != Infinite ||
				want != nil && (got.Exact == nil || got.Exact.Cmp(want) != 0) {
				t.Fatalf("process %d, %+v: exactly %v, %v; want %v\n%v %v", n, q, got, err, want, m, g)
			}
			a := answers[i]
			if a.Err != nil || want == nil && a.Interval != Infinite {
				t.Fatalf("process %d, %+v: %v, %v; want %v\n%v %v", n, q, a.Interval, a.Err, want, m, g)
			}
			if want == nil {
				continue
			}
			finite++
			low, high := floatBounds(want)
			switch i := a.Interval; {
			case i.Low > high || i.High < low || i.Exact != nil && i.Exact.Cmp(want) != 0 ||
				i.Exact == nil && i.Width() > 1e-9*i.Low:
				t.Fatalf("process %d, %+v: %v; want %v\n%v %v", n, q, i, want, m, g)
			case i.Exact == nil:
				narrow++
			case low < high:
				exact++
			}
		}
	}
	t.Logf("%d finite values, of which %d are intervals and %d fractions", finite, narrow, exact)
	if narrow < 200*Scale() || exact < 50*Scale() || finite < 700*Scale() {
		t.Errorf("%d finite values, of which %d are intervals and %d fractions, say little", finite, narrow, exact)
	}
}

// ask answers a query from state 0 until the given state.
func ask(t *testing.T, b *Builder, goal uint32, q Query, opt Options) Interval {
	t.Helper()
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	g := Goal{States: NewSet(m.States())}
	g.States.Add(goal)
	p, err := Prepare(t.Context(), m, g)
	if err != nil {
		t.Fatal(err)
	}
	a := p.Ask(t.Context(), []Query{q}, opt)[0]
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	return a.Interval
}

// everyWay calls yield with every scheduler, with and without Exact.
func everyWay(yield func(k Scheduler, opt Options)) {
	for _, k := range []Scheduler{Uniform, Min, Max} {
		yield(k, Options{})
		yield(k, Options{Exact: true})
	}
}

// TestRestart: n successes in a row with probability 1/2 each, otherwise from the beginning, take 2^(n+1) - 2 trials.
// Value iteration would take as many sweeps. In some variants a step may cost more, or a run may stay.
func TestRestart(t *testing.T) {
	const n = 60
	half := NewWeight(1, 2)
	step := &Reward{Of: []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 1)}}
	for _, choices := range []int{1, 2, 3} {
		everyWay(func(k Scheduler, opt Options) {
			b := NewBuilder()
			for s := range uint32(n) {
				b.Choice(Branch{s + 1, half, 0}, Branch{0, half, 0})
				if choices > 1 {
					b.Choice(Branch{s + 1, half, 1}, Branch{0, half, 1})
				}
				if choices > 2 && k == Min {
					b.Choice(Branch{s, Certain, 0})
				}
				b.End()
			}
			b.End()
			want := new(big.Rat).SetInt64(1<<(n+1) - 2)
			switch {
			case choices > 1 && k == Max:
				want.Mul(want, big.NewRat(3, 1))
			case choices > 1 && k == Uniform:
				want.Mul(want, big.NewRat(2, 1))
			}
			got := ask(t, b, n, Query{Reward: step, Within: -1, Scheduler: k}, opt)
			if got.Exact == nil || got.Exact.Cmp(want) != 0 {
				t.Errorf("%d choices, %v, %+v: %v, want %v", choices, k, opt, got, want)
			}
		})
	}
}

// TestWalk: a walk that begins anew with probability 1/2 in each step, to one of two sides (Haddad and Monmege 2018),
// arrives at the right end with the probability of that side.
func TestWalk(t *testing.T) {
	const n = 100 // states to each side of state 0: the odd ones to the right
	half := NewWeight(1, 2)
	everyWay(func(k Scheduler, opt Options) {
		b := NewBuilder()
		b.Choice(Branch{1, NewWeight(7, 10), 0}, Branch{2, NewWeight(3, 10), 0})
		b.End()
		for s := uint32(1); s <= 2*(n-1); s++ {
			b.Choice(Branch{s + 2, half, 0}, Branch{0, half, 0})
			b.End()
		}
		b.End()
		b.End()
		got := ask(t, b, 2*n-1, Query{Within: -1, Scheduler: k}, opt)
		if got.Exact == nil || got.Exact.Cmp(big.NewRat(7, 10)) != 0 {
			t.Errorf("%v, %+v: %v, want 7/10", k, opt, got)
		}
	})
}

// TestUnlikely: steps that each succeed with a small probability have a probability that is too small for a double.
func TestUnlikely(t *testing.T) {
	for _, test := range []struct {
		n            uint32 // steps
		weight, want string
	}{{40, "1e-12", "1e-480"}, {3, "1e-110", "1e-330"}} {
		weight := fraction(test.weight)
		rest := new(big.Rat).Sub(big.NewRat(1, 1), weight)
		for _, within := range []int{-1, int(test.n), int(test.n) + 7} {
			everyWay(func(k Scheduler, opt Options) {
				b := NewBuilder()
				for s := range test.n {
					b.Choice(Branch{s + 1, WeightOf(weight), 0}, Branch{test.n + 1, WeightOf(rest), 0})
					b.End()
				}
				b.End()
				b.End()
				got := ask(t, b, test.n, Query{Within: within, Scheduler: k}, opt)
				if got.Exact == nil || got.Exact.Cmp(fraction(test.want)) != 0 {
					t.Errorf("within %d, %v, %+v: %v, want %s", within, k, opt, got, test.want)
				}
			})
		}
	}
}

// TestFaint: the best choice is found where products of the weights are too small for a double. By the second choice of
// state 0 a run goes round in state 2 until it comes to state 3, and from there to the goal, each with probability
// 10^-200.
func TestFaint(t *testing.T) {
	weight := func(text string) Weight { return WeightOf(fraction(text)) }
	rest := func(text string) Weight { return WeightOf(new(big.Rat).Sub(big.NewRat(1, 1), fraction(text))) }
	const goal, dead = 1, 4
	everyWay(func(k Scheduler, opt Options) {
		b := NewBuilder()
		b.Choice(Branch{goal, weight("1e-210"), 0}, Branch{dead, rest("1e-210"), 0})
		b.Choice(Branch{2, Certain, 0})
		b.End()
		b.End()
		b.Choice(Branch{2, rest("1e-200"), 0}, Branch{3, weight("1e-200"), 0})
		b.End()
		b.Choice(Branch{goal, weight("1e-200"), 0}, Branch{dead, rest("1e-200"), 0})
		b.End()
		b.End()
		want := map[Scheduler]string{Min: "1e-210", Max: "1e-200", Uniform: "50000000005e-211"}[k]
		got := ask(t, b, goal, Query{Within: -1, Scheduler: k}, opt)
		if got.Exact == nil || got.Exact.Cmp(fraction(want)) != 0 {
			t.Errorf("%v, %+v: %v, want %s", k, opt, got, want)
		}
	})
}

// TestHuge: an exact value may be greater than any double.
func TestHuge(t *testing.T) {
	const n = 1100
	half := NewWeight(1, 2)
	b := NewBuilder()
	for s := range uint32(n) {
		b.Choice(Branch{s + 1, half, 0}, Branch{0, half, 0})
		b.End()
	}
	b.End()
	step := &Reward{Of: []*big.Rat{big.NewRat(1, 1)}}
	want := new(big.Int).Lsh(big.NewInt(1), n+1)
	want.Sub(want, big.NewInt(2))
	got := ask(t, b, n, Query{Reward: step, Within: -1, Scheduler: Max}, Options{})
	if got.Exact == nil || got.Exact.Num().Cmp(want) != 0 || got.Low < 1e308 || got == Infinite {
		t.Errorf("%v, want %v", got, want)
	}
}
