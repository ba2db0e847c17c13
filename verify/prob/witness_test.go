package prob

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
)

// certain returns a random process without chance.
func certain(r *rand.Rand) *MDP {
	b := NewBuilder()
	n := 1 + r.Uint32N(7)
	for s := range n {
		for range r.IntN(4) {
			to := r.Uint32N(n)
			if r.IntN(4) > 0 { // few cycles
				to = s + r.Uint32N(n-s)
			}
			b.Choice(Branch{to, Certain, r.Uint32N(2)})
		}
		b.End()
	}
	m, err := b.MDP(0)
	if err != nil {
		panic(err)
	}
	m.Rewards = []Reward{{Name: "cost", Of: []*big.Rat{nil, big.NewRat(2, 1)}}}
	return m
}

// TestWitness: the run that is shown is one, comes to the goal unless the value is infinite, and costs what the value
// is.
func TestWitness(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	endless, finite := 0, 0
	for n := range 500 * Scale() {
		m := certain(r)
		g := randomGoal(r, m)
		p, err := Prepare(context.Background(), m, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Scheduler{Min, Max} {
			want := newDense(m, g, &m.Rewards[0]).extreme(k)
			path, err := p.Witness(context.Background(), m, k, &m.Rewards[0])
			if errors.Is(err, ErrNoRun) && want == nil {
				continue
			}
			if err != nil {
				t.Fatalf("process %d, %v: %v", n, k, err)
			}
			states := m.Follow(path)
			last := states[len(states)-1]
			cost, reached := new(big.Rat), g.state(m, states[0])
			for i, b := range path.Branches {
				mark := m.classes[m.class[m.rows[states[i]]+b]].Mark
				cost.Add(cost, m.Rewards[0].At(mark))
				if reached {
					t.Fatalf("process %d, %v: the run goes on behind the goal", n, k)
				}
				reached = g.mark(mark) || g.state(m, states[i+1])
			}
			switch {
			case reached != path.Goal || path.Goal != (want != nil):
				t.Fatalf("process %d, %v: goal %v, by the path %v; want %v", n, k, reached, path.Goal, want)
			case want != nil && cost.Cmp(want) != 0:
				t.Fatalf("process %d, %v: the run costs %v, want %v", n, k, cost, want)
			case want == nil && path.Cycle >= 0 && states[path.Cycle] != last, want == nil && path.Cycle < 0 &&
				!m.Terminal(last):
				t.Fatalf("process %d, %v: the run does not go on for ever: %v", n, k, path)
			}
			if want == nil {
				endless++
			} else {
				finite++
			}
		}
	}
	if endless < 25*Scale() || finite < 25*Scale() {
		t.Errorf("only %d endless and %d finite runs: too few to test anything", endless, finite)
	}
}
