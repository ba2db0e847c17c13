package prob

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"ringcheck/internal/effort"
)

// improved answers a query as Exact does, but begins with any policy. It returns nil for infinity, and how often the
// policy was improved.
func improved(t *testing.T, p *Problem, q Query) (value *big.Rat, times int) {
	t.Helper()
	f := &effort.Effort{Context: t.Context()}
	m := p.undecidedPart(f, q)
	if m == nil {
		return nil, 0
	}
	l, err := lump(f, m, q.Scheduler, q.Reward)
	if err != nil {
		t.Fatal(err)
	}
	values, times, err := l.iterate(f, q.Scheduler, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l.exactOverInitial(q.Scheduler, values), times
}

// features counts the processes and the answers that have a feature.
type features map[string]int

// process counts the features of a process and a goal.
func (n features) process(t *testing.T, p *Problem, reward *Reward) {
	f := &fixpoint{&effort.Effort{Context: t.Context()}, p}
	free := func(first, end uint32) bool {
		for _, c := range f.class[first:end] {
			if reward.At(f.classes[c].Mark).Sign() > 0 {
				return false
			}
		}
		return true
	}
	for c := range len(p.components) - 1 {
		several := 0
		for s := p.components[c]; s < p.components[c+1]; s++ {
			for first := range p.choices(s) {
				if first > p.rows[s] {
					several++
					break
				}
			}
		}
		if several > 1 {
			n["choices in a cycle"]++
		}
	}
	if _, ends := f.endComponents(func(_, _ uint32) bool { return false }); ends > 0 {
		n["an end component"]++
	}
	if _, ends := f.endComponents(func(first, end uint32) bool { return !free(first, end) }); ends > 0 {
		n["an end component without reward"]++
	}
	if zero, _ := f.certain(Max); zero.Has(p.initial[0].state) {
		n["an unreachable goal"]++
	}
}

// answer counts the features of an answer.
func (n features) answer(q Query, value *big.Rat, times int) {
	switch {
	case value == nil:
		n["an infinite reward"]++
	case q.Reward != nil && value.Sign() == 0:
		n["no reward"]++
	case q.Reward != nil:
		n["a reward"]++
	case value.Sign() == 0:
		n["probability 0"]++
	case value.IsInt():
		n["probability 1"]++
	default:
		n["a probability between 0 and 1"]++
	}
	if times > 0 {
		n["an improvement"]++
	}
	if times > 1 {
		n["several improvements"]++
	}
}

// TestPolicies: improving any policy leads to the value of the best one, which trying every policy finds.
func TestPolicies(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 17))
	count := features{}
	for n := range 600 * Scale() {
		m := randomMDP(r)
		if n%2 == 0 {
			m = unevenMDP(r)
		}
		g := randomGoal(r, m)
		p, err := Prepare(t.Context(), m, g)
		if err != nil {
			t.Fatal(err)
		}
		count.process(t, p, &m.Rewards[0])
		for _, q := range []Query{{Within: -1, Scheduler: Min}, {Within: -1, Scheduler: Max},
			{Reward: &m.Rewards[0], Within: -1, Scheduler: Min}, {Reward: &m.Rewards[0], Within: -1, Scheduler: Max}} {
			want := newDense(m, g, q.Reward).extreme(q.Scheduler)
			got, times := improved(t, p, q)
			if (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
				t.Fatalf("process %d, %+v: %v, want %v\n%v %v", n, q, got, want, m, g)
			}
			count.answer(q, want, times)
		}
	}
	t.Log(count)
	for feature, least := range map[string]int{
		"choices in a cycle": 100, "an end component": 100, "an end component without reward": 50,
		"an unreachable goal": 50, "an infinite reward": 100, "no reward": 50, "a reward": 50, "probability 0": 50,
		"probability 1": 50, "a probability between 0 and 1": 20, "an improvement": 50, "several improvements": 10,
	} {
		if count[feature] < least*Scale() {
			t.Errorf("only %d cases of %s", count[feature], feature)
		}
	}
}
