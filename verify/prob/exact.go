package prob

import (
	"context"
	"math/big"
	"slices"

	"ringcheck/internal/effort"
)

// Exact answers a query by an exact rational number, or infinity: it lumps the states and solves the equations of the
// quotient in rational arithmetic. For Min and Max it improves a policy until no choice is better. The error is
// ErrTooLarge or the context's.
func (p *Problem) Exact(ctx context.Context, q Query) (_ Interval, err error) {
	defer effort.Catch(&err)
	if q.Unit != nil {
		limited, err := p.Limit(ctx, q.Scheduler, q.Unit, q.Within, 0)
		if err != nil {
			return Interval{}, err
		}
		return limited.Exact(ctx, Query{Within: -1, Scheduler: q.Scheduler})
	}
	f := &effort.Effort{Context: ctx}
	m := p.undecidedPart(f, q)
	if m == nil {
		return Infinite, nil
	}
	k := q.Scheduler
	if m.chain() {
		k = Uniform
	}
	var values []*big.Rat
	l, err := lump(f, m, k, q.Reward)
	if err == nil && q.Reward == nil && q.Within >= 0 {
		values = l.boundedProbabilities(f, k, q.Within)
	} else if err == nil {
		values, err = l.solve(f, k)
	}
	if err != nil {
		return Interval{}, err
	}
	return exactly(l.exactOverInitial(q.Scheduler, values)), nil
}

// exactOverInitial returns the mean, the minimum or the maximum of the values of the initial states.
func (p *Problem) exactOverInitial(k Scheduler, values []*big.Rat) *big.Rat {
	switch k {
	case Uniform:
		return p.exactMean(values)
	case Min:
		return slices.MinFunc(values, (*big.Rat).Cmp)
	case Max:
		return slices.MaxFunc(values, (*big.Rat).Cmp)
	}
	panic("prob: unknown scheduler")
}

// exactMean returns the mean of the values of the initial states, by their weights.
func (p *Problem) exactMean(values []*big.Rat) *big.Rat {
	sum, total := new(big.Rat), new(big.Rat)
	for i, v := range values {
		weight := new(big.Rat).SetUint64(p.initial[i].weight)
		sum.Add(sum, new(big.Rat).Mul(weight, v))
		total.Add(total, weight)
	}
	return sum.Quo(sum, total)
}

// undecidedPart returns the process whose equations determine the answer to a query, nil if the answer is infinite.
// States whose value follows from the graph are terminal or the goal; end components that allow several solutions are
// merged.
func (p *Problem) undecidedPart(e *effort.Effort, q Query) *MDP {
	if q.Reward == nil {
		if q.Within >= 0 {
			return &p.of(q.Scheduler).MDP
		}
		f, zero, sure := p.extremes(e, q.Scheduler)
		return f.mergeDecided(zero, sure)
	}
	f, finite := p.finite(e, q.Scheduler, q.Reward)
	infinite := func(s start) bool { return !finite.Has(s.state) }
	initial := slices.DeleteFunc(slices.Clone(f.initial), infinite)
	if len(initial) == 0 || len(initial) < len(f.initial) && q.Scheduler != Min {
		return nil
	}
	m := f.part(func(s, first, end uint32) bool { return finite.Has(s) && f.allInto(finite, first, end) })
	m.initial = initial
	return m
}

// mergeDecided returns the process in which the states of terminal have no choices and those of goal are merged with
// the goal.
func (f *fixpoint) mergeDecided(terminal, goal Set) *MDP {
	m := f.part(func(s, _, _ uint32) bool { return !terminal.Has(s) && !goal.Has(s) })
	for i, t := range m.to {
		if goal.Has(t) {
			m.to[i] = f.goal()
		}
	}
	m.initial = slices.Clone(f.initial)
	for i, s := range m.initial {
		if goal.Has(s.state) {
			m.initial[i].state = f.goal()
		}
	}
	return m
}

// boundedProbabilities returns the exact probabilities of reaching the goal within t steps from the initial states. The
// values of step t are multiples of 1/d^t, where d is the common denominator of the weights.
func (q *quotient) boundedProbabilities(f *effort.Effort, k Scheduler, t int) []*big.Rat {
	d := big.NewInt(1)
	for _, c := range q.classes {
		d = leastMultiple(d, c.Weight.Rat().Denom())
	}
	var weight []*big.Int // by class, as multiples of 1/d
	for _, c := range q.classes {
		weight = append(weight, multiply(c.Weight.Rat(), d))
	}
	x, y := make([]*big.Int, q.States()), make([]*big.Int, q.States())
	for s := range x {
		x[s], y[s] = new(big.Int), new(big.Int)
	}
	x[q.goal()].SetInt64(1)
	unit := big.NewInt(1)
	for range t {
		for s := range q.states() {
			f.Tick()
			q.best(k, s, weight, x, y[s])
		}
		unit.Mul(unit, d)
		y[q.goal()].Set(unit)
		x, y = y, x
	}
	var values []*big.Rat
	for _, s := range q.initial {
		values = append(values, new(big.Rat).SetFrac(x[s.state], unit))
	}
	return values
}

// leastMultiple returns the least common multiple of two positive integers.
func leastMultiple(a, b *big.Int) *big.Int {
	g := new(big.Int).GCD(nil, nil, a, b)
	return g.Mul(a, g.Quo(b, g))
}

// multiply returns r times a multiple of its denominator.
func multiply(r *big.Rat, multiple *big.Int) *big.Int {
	q := new(big.Int).Quo(multiple, r.Denom())
	return q.Mul(q, r.Num())
}

// best sets y to the value of the scheduler's choice in s.
func (q *quotient) best(k Scheduler, s uint32, weight, x []*big.Int, y *big.Int) {
	y.SetInt64(0)
	sum, term := new(big.Int), new(big.Int)
	for first, end := range q.choices(s) {
		sum.SetInt64(0)
		for i := first; i < end; i++ {
			sum.Add(sum, term.Mul(weight[q.class[i]], x[q.to[i]]))
		}
		if first == q.rows[s] || (sum.Cmp(y) < 0) == (k == Min) {
			y.Set(sum)
		}
	}
}
