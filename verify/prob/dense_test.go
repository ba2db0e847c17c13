package prob

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"ringcheck/internal/test/testlevel"
)

// Scale is how many times as many random processes tests take as usual.
var Scale = testlevel.Cases(1, 3) // how many times as many random processes to test

// A dense is a process for the obvious algorithms: it tries every memoryless scheduler and solves the equations of its
// chain by Gauss's elimination with rational numbers.
type dense struct {
	m      *MDP
	goal   Goal
	reward *Reward
	rows   [][][]Branch // state, choice
}

func newDense(m *MDP, g Goal, r *Reward) *dense {
	d := &dense{m: m, goal: g, reward: r}
	for s := range uint32(m.States()) {
		var choices [][]Branch
		if !g.state(m, s) {
			m.Each(s, func(c []Branch) { choices = append(choices, append([]Branch(nil), c...)) })
		}
		d.rows = append(d.rows, choices)
	}
	return d
}

// schedulers calls yield with every memoryless scheduler, as the chance of each choice.
func (d *dense) schedulers(k Scheduler, yield func(pick [][]*big.Rat)) {
	pick := make([][]*big.Rat, len(d.rows))
	var from func(s int)
	from = func(s int) {
		if s == len(d.rows) {
			yield(pick)
			return
		}
		n := len(d.rows[s])
		pick[s] = make([]*big.Rat, n)
		if k == Uniform || n == 0 {
			for i := range pick[s] {
				pick[s][i] = big.NewRat(1, int64(n))
			}
			from(s + 1)
			return
		}
		for c := range n {
			for i := range n {
				pick[s][i] = new(big.Rat)
			}
			pick[s][c] = big.NewRat(1, 1)
			from(s + 1)
		}
	}
	from(0)
}

// chain returns the matrix of a scheduler, the chance to reach the goal in one step and the mean reward of one.
func (d *dense) chain(pick [][]*big.Rat) (p [][]*big.Rat, goal, gain []*big.Rat) {
	n := len(d.rows)
	p, goal, gain = make([][]*big.Rat, n), zeros(n), zeros(n)
	for s := range d.rows {
		p[s] = zeros(n)
		for c, choice := range d.rows[s] {
			for _, b := range choice {
				w := new(big.Rat).Mul(pick[s][c], b.Weight.Rat())
				if d.reward != nil {
					gain[s].Add(gain[s], new(big.Rat).Mul(w, d.reward.At(b.Mark)))
				}
				if d.goal.mark(b.Mark) || d.goal.state(d.m, b.To) {
					goal[s].Add(goal[s], w)
				} else {
					p[s][b.To].Add(p[s][b.To], w)
				}
			}
		}
	}
	return p, goal, gain
}

func zeros(n int) []*big.Rat {
	v := make([]*big.Rat, n)
	for i := range v {
		v[i] = new(big.Rat)
	}
	return v
}

// reaches returns the states from which one of the given ones can be reached.
func reaches(p [][]*big.Rat, x []bool) []bool {
	x = append([]bool(nil), x...)
	for range p {
		for s := range p {
			for t := range p {
				x[s] = x[s] || p[s][t].Sign() > 0 && x[t]
			}
		}
	}
	return x
}

// solve returns the least solution of x = p x + b, where x is 0 in the states that are not live.
func solve(p [][]*big.Rat, b []*big.Rat, live []bool) []*big.Rat {
	n := len(p)
	a := make([][]*big.Rat, n)
	for s := range p {
		a[s] = append(zeros(n), new(big.Rat))
		a[s][s].SetInt64(1)
		if live[s] {
			for t := range p {
				if live[t] {
					a[s][t].Sub(a[s][t], p[s][t])
				}
			}
			a[s][n].Set(b[s])
		}
	}
	for i := range n {
		r := i
		for a[r][i].Sign() == 0 {
			r++
		}
		a[i], a[r] = a[r], a[i]
		for r := range n {
			if r == i || a[r][i].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[r][i], a[i][i])
			for j := i; j <= n; j++ {
				a[r][j].Sub(a[r][j], new(big.Rat).Mul(f, a[i][j]))
			}
		}
	}
	x := zeros(n)
	for i := range n {
		x[i].Quo(a[i][n], a[i][i])
	}
	return x
}

// value returns the value of the chain in state s0; nil is infinite.
func (d *dense) value(pick [][]*big.Rat, s0 uint32) *big.Rat {
	if d.goal.state(d.m, s0) {
		if d.reward == nil {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	}
	p, goal, gain := d.chain(pick)
	hit := make([]bool, len(p))
	for s := range p {
		hit[s] = goal[s].Sign() > 0
	}
	live := reaches(p, hit)
	if d.reward == nil {
		return solve(p, goal, live)[s0]
	}
	lost := make([]bool, len(p))
	for s := range p {
		lost[s] = !live[s]
	}
	lost = reaches(p, lost)
	if lost[s0] {
		return nil
	}
	for s := range p {
		live[s] = live[s] && !lost[s]
	}
	return solve(p, gain, live)[s0]
}

// extreme returns the value under the scheduler of a kind.
func (d *dense) extreme(k Scheduler) *big.Rat {
	best := make([]*big.Rat, len(d.m.initial))
	first := true
	d.schedulers(k, func(pick [][]*big.Rat) {
		for i, s := range d.m.initial {
			v := d.value(pick, s.state)
			if first || less(v, best[i]) == (k == Min) {
				best[i] = v
			}
		}
		first = false
	})
	return d.together(k, best)
}

// together returns the value of the initial states, given that of each: the mean by their weights, the least or the
// greatest.
func (d *dense) together(k Scheduler, values []*big.Rat) *big.Rat {
	best, sum, total := values[0], new(big.Rat), new(big.Rat)
	for i, v := range values {
		if k == Uniform && v == nil {
			return nil
		}
		if k != Uniform && less(v, best) == (k == Min) {
			best = v
		}
		if k == Uniform {
			weight := new(big.Rat).SetUint64(d.m.initial[i].weight)
			sum.Add(sum, new(big.Rat).Mul(weight, v))
			total.Add(total, weight)
		}
	}
	if k == Uniform {
		return sum.Quo(sum, total)
	}
	return best
}

func less(a, b *big.Rat) bool { return a != nil && (b == nil || a.Cmp(b) < 0) }

// within returns the probability to reach the goal within t steps.
func (d *dense) within(k Scheduler, t int) *big.Rat {
	x := zeros(len(d.rows))
	for s := range x {
		if d.goal.state(d.m, uint32(s)) {
			x[s].SetInt64(1)
		}
	}
	for range t {
		y := zeros(len(x))
		for s, choices := range d.rows {
			if d.goal.state(d.m, uint32(s)) {
				y[s].SetInt64(1)
				continue
			}
			for c, choice := range choices {
				v := new(big.Rat)
				for _, b := range choice {
					if d.goal.mark(b.Mark) {
						v.Add(v, b.Weight.Rat())
					} else {
						v.Add(v, new(big.Rat).Mul(b.Weight.Rat(), x[b.To]))
					}
				}
				switch {
				case k == Uniform:
					y[s].Add(y[s], v.Mul(v, big.NewRat(1, int64(len(choices)))))
				case c == 0 || less(v, y[s]) == (k == Min):
					y[s] = v
				}
			}
		}
		x = y
	}
	var values []*big.Rat
	for _, s := range d.m.initial {
		values = append(values, x[s.state])
	}
	return d.together(k, values)
}

// randomMDP returns a process with a few states, some of them initial, and marks 0 to 2.
func randomMDP(r *rand.Rand) *MDP {
	b := NewBuilder()
	n := 1 + r.IntN(6)
	for range n {
		for range r.IntN(4) {
			var choice []Branch
			for total := 1 + r.IntN(4); total > 0; {
				w := 1 + r.IntN(total)
				choice = append(choice, Branch{To: r.Uint32N(uint32(n)), Weight: Weight{Num: uint64(w), Den: 1},
					Mark: uint32(r.IntN(5) / 2)})
				total -= w
			}
			sum := uint64(0)
			for _, br := range choice {
				sum += br.Weight.Num
			}
			for i := range choice {
				choice[i].Weight = NewWeight(choice[i].Weight.Num, sum)
			}
			b.Choice(choice...)
		}
		b.End()
	}
	var initial []start
	for range 1 + r.IntN(3) {
		initial = append(initial, start{r.Uint32N(uint32(n)), 1 + r.Uint64N(6)})
	}
	m, err := b.mdp(initial)
	if err != nil {
		panic(err)
	}
	m.Rewards = []Reward{{Name: "cost", Of: []*big.Rat{nil, big.NewRat(int64(r.IntN(2)), 1), big.NewRat(3, 2)}}}
	return m
}

func randomGoal(r *rand.Rand, m *MDP) Goal {
	g := Goal{Terminal: r.IntN(3) == 0}
	if r.IntN(2) == 0 {
		g.Marks = []bool{false, false, true}
	}
	if g.States = NewSet(m.States()); r.IntN(2) == 0 {
		g.States.Add(r.Uint32N(uint32(m.States())))
	}
	return g
}

// holds reports whether an interval has a value, which may be infinite, and is narrow.
func holds(i Interval, v *big.Rat) bool {
	if v == nil {
		return i == Infinite
	}
	if i.Exact != nil && i.Exact.Cmp(v) != 0 {
		return false
	}
	low, high := floatBounds(v)
	return i.Low <= high && i.High >= low && i.Width() <= 1e-8*max(1, low)
}

// TestAgainstDense: certified values are those that trying every scheduler gives.
func TestAgainstDense(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	infinite, middle, sure := 0, 0, 0
	for n := range 150 * Scale() {
		m := randomMDP(r)
		g := randomGoal(r, m)
		p, err := Prepare(context.Background(), m, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Scheduler{Uniform, Min, Max} {
			name := fmt.Sprintf("process %d, %v", n, k)
			got, err := p.Probability(context.Background(), k, Options{})
			if want := newDense(m, g, nil).extreme(k); err != nil || !holds(got, want) {
				t.Fatalf("%s: probability %v, %v; want %v\n%v", name, got, err, want, m)
			} else if want.Sign() > 0 && want.Cmp(big.NewRat(1, 1)) < 0 {
				middle++
			}
			got, err = p.Expected(context.Background(), k, &m.Rewards[0], Options{})
			want := newDense(m, g, &m.Rewards[0]).extreme(k)
			if err != nil || !holds(got, want) {
				t.Fatalf("%s: expected %v, %v; want %v\n%v %v", name, got, err, want, m, g)
			}
			if want == nil {
				infinite++
			}
			for _, q := range []Query{{Within: -1}, {Within: 3}, {Within: -1, Reward: &m.Rewards[0]}} {
				q.Scheduler = k
				want := newDense(m, g, q.Reward).extreme(k)
				if q.Within > 0 {
					want = newDense(m, g, nil).within(k, q.Within)
				}
				got, err := p.Exact(context.Background(), q)
				if err != nil || want == nil && got != Infinite || want != nil &&
					(got.Exact == nil || got.Exact.Cmp(want) != 0) {
					t.Fatalf("%s, %+v: exactly %v, %v; want %v\n%v %v", name, q, got, err, want, m, g)
				}
			}
			curve, err := p.Within(context.Background(), k, 12)
			for steps, got := range curve {
				want := newDense(m, g, nil).within(k, steps)
				if err != nil || !holds(got, want) {
					t.Fatalf("%s: within %d %v, %v; want %v", name, steps, got, err, want)
				}
				if certain := want.IsInt(); certain && got.Low != got.High {
					t.Fatalf("%s: within %d %v is exactly %v", name, steps, got, want)
				} else if certain && want.Sign() > 0 && steps > 0 {
					sure++
				}
			}
		}
	}
	if infinite < 25*Scale() || middle < 12*Scale() || sure < 25*Scale() {
		t.Errorf("%d infinite values, %d probabilities between 0 and 1, and %d that are 1 within a number of steps "+
			"say little",
			infinite, middle, sure)
	}
}
