package prob

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLimit compares limits of a reward of one half for each branch with limits of twice as many steps.
func TestLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	between := 0
	for n := range 100 * Scale() {
		m := unevenMDP(r)
		half := big.NewRat(1, 2)
		m.Rewards = []Reward{{Name: "half", Of: []*big.Rat{half, half, half}}}
		p, err := Prepare(t.Context(), m, randomGoal(r, m))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Scheduler{Uniform, Min, Max} {
			for most := range 4 {
				want, err := p.Exact(t.Context(), Query{Within: 2 * most, Scheduler: k})
				if err != nil {
					t.Fatal(err)
				}
				q := Query{Within: most, Unit: &m.Rewards[0], Scheduler: k}
				got, err := p.Exact(t.Context(), q)
				if err != nil || got.Exact.Cmp(want.Exact) != 0 {
					t.Fatalf("process %d, %v, at most %d: %v, want %v; error %v", n, k, most, got.Exact, want.Exact,
						err)
				}
				a := p.Ask(t.Context(), []Query{q}, Options{})[0]
				if a.Err != nil || compare(a.Interval.Low, got.Exact) > 0 || compare(a.Interval.High, got.Exact) < 0 {
					t.Fatalf("process %d, %v, at most %d: %v, want %v; error %v", n, k, most, a.Interval, got.Exact,
						a.Err)
				}
				if got.Exact.Sign() > 0 && got.Exact.Cmp(big.NewRat(1, 1)) < 0 {
					between++
				}
			}
		}
	}
	if between < 100 {
		t.Errorf("only %d values between 0 and 1", between)
	}
}

// TestFreeLoop checks that steps without a reward may be repeated for ever within a limit.
func TestFreeLoop(t *testing.T) {
	half := NewWeight(1, 2)
	b := NewBuilder() // state 0 leads on or back for nothing, state 1 to the goal or back for a reward
	b.Choice(Branch{To: 0, Weight: half}, Branch{To: 1, Weight: half})
	b.End()
	b.Choice(Branch{To: 2, Weight: half, Mark: 1}, Branch{To: 0, Weight: half, Mark: 1})
	b.End()
	b.End()
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	m.Rewards = []Reward{{Name: "fee", Of: []*big.Rat{nil, big.NewRat(1, 1)}}}
	goal := NewSet(m.States())
	goal.Add(2)
	p, err := Prepare(t.Context(), m, Goal{States: goal})
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range []string{"0", "1/2", "3/4", "7/8"} {
		got, err := p.Exact(t.Context(), Query{Within: most, Unit: &m.Rewards[0], Scheduler: Max})
		if err != nil || got.Exact.RatString() != want {
			t.Errorf("at most %d: %v, want %s; error %v", most, got.Exact, want, err)
		}
	}
	m.Rewards[0].Of[1] = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 40))
	if _, err := p.Exact(t.Context(), Query{Within: 1, Unit: &m.Rewards[0]}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a limit of 2⁴⁰ units: %v", err)
	}
}
