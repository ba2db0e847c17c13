package prob

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"ringcheck/bisim"
)

// ErrExact says that a value cannot be worked out exactly: the numbers in the equations are too large.
var ErrExact = errors.New("the value cannot be worked out exactly: the probabilities or rewards have no small common denominator")

// Exact answers a query by an exact rational number, or infinity: the states are lumped, the equations of what is left are
// solved in rational arithmetic. For min and max a scheduler is taken that certified intervals suggest, and it is proved that no other
// choice anywhere is better: by intervals where they are apart, and exactly where two choices are equally good.
func (p *Problem) Exact(ctx context.Context, q Query) (Interval, error) {
	m, known, err := p.undecided(ctx, q)
	if err != nil || known != nil {
		return interval(known), err
	}
	l, err := lump(ctx, m, q.Scheduler, q.Reward)
	if err != nil {
		return Interval{}, exactError(err)
	}
	var values []*big.Rat
	if q.Reward == nil && q.Within >= 0 {
		values, err = l.within(ctx, q.Scheduler, q.Within)
	} else {
		values, err = l.solve(ctx, q.Scheduler)
	}
	if err != nil {
		return Interval{}, exactError(err)
	}
	return exactly(l.combine(q.Scheduler, values)), nil
}

func exactError(err error) error {
	if errors.Is(err, bisim.ErrWeights) || errors.Is(err, ErrTooLarge) {
		return ErrExact
	}
	return err
}

func interval(i *Interval) Interval {
	if i == nil {
		return Interval{}
	}
	return *i
}

// combine returns the mean, the least or the greatest of the values of the initial states.
func (p *Problem) combine(k Scheduler, values []*big.Rat) *big.Rat {
	switch k {
	case Min:
		return slices.MinFunc(values, (*big.Rat).Cmp)
	case Max:
		return slices.MaxFunc(values, (*big.Rat).Cmp)
	}
	sum, total := new(big.Rat), new(big.Rat)
	for i, v := range values {
		weight := new(big.Rat).SetUint64(p.initial[i].weight)
		sum.Add(sum, new(big.Rat).Mul(weight, v))
		total.Add(total, weight)
	}
	return sum.Quo(sum, total)
}

// undecided returns the process of what a query has to solve equations for: states whose value is known from the graph are terminal or the
// goal, end components that would leave more than one solution are merged. If the graph knows the value itself it is returned.
func (p *Problem) undecided(ctx context.Context, q Query) (*MDP, *Interval, error) {
	p = p.of(q.Scheduler)
	if q.Reward != nil {
		return p.undecidedReward(ctx, q)
	}
	if q.Within >= 0 {
		f := &flagger{ctx: ctx, Problem: p}
		return f.without(p.empty(), p.arrived()), nil, nil
	}
	f, zero, sure, err := p.extremes(ctx, q.Scheduler)
	if err != nil {
		return nil, nil, err
	}
	return f.without(zero, sure), nil, nil
}

func (p *Problem) undecidedReward(ctx context.Context, q Query) (*MDP, *Interval, error) {
	f, finite, err := p.finite(ctx, q.Scheduler, q.Reward)
	if err != nil {
		return nil, nil, err
	}
	infinite := f.complement(finite)
	endless := 0
	for _, s := range f.initial {
		if infinite.Has(s.state) {
			endless++
		}
	}
	if endless == len(f.initial) || endless > 0 && q.Scheduler != Min {
		return nil, &Infinite, nil
	}
	m := f.part(func(s uint32, yield func(first, end uint32)) {
		f.each(s, func(first, end uint32) bool {
			if finite.Has(s) && f.all(finite, first, end) {
				yield(first, end)
			}
			return true
		})
	})
	m.initial = slices.DeleteFunc(slices.Clone(f.initial), func(s start) bool { return infinite.Has(s.state) })
	return m, nil, nil
}

// without returns the process in which the states of one set are terminal, and those of another are the goal.
func (f *flagger) without(terminal, goal Set) *MDP {
	m := f.part(func(s uint32, yield func(first, end uint32)) {
		if !terminal.Has(s) && !goal.Has(s) {
			f.each(s, func(first, end uint32) bool { yield(first, end); return true })
		}
	})
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

// within returns the exact probabilities of the initial states to reach the goal within t steps. In step t all values are multiples of
// 1/d^t, where d is the common denominator of a step.
func (q *quotient) within(ctx context.Context, k Scheduler, t int) ([]*big.Rat, error) {
	weight, d, err := q.integers()
	if err != nil {
		return nil, err
	}
	n := q.states() + 1
	x, y := make([]*big.Int, n), make([]*big.Int, n)
	for s := range x {
		x[s], y[s] = new(big.Int), new(big.Int)
	}
	x[q.goal()].SetInt64(1)
	unit := big.NewInt(1)
	denominator := new(big.Int).SetUint64(d)
	for range t {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for s := range q.states() {
			q.best(k, s, weight, x, y[s])
		}
		unit.Mul(unit, denominator)
		y[q.goal()].Set(unit)
		x, y = y, x
	}
	var values []*big.Rat
	for _, s := range q.initial {
		values = append(values, new(big.Rat).SetFrac(x[s.state], unit))
	}
	return values, nil
}

// integers returns the weights by class, times their common denominator.
func (q *quotient) integers() ([]*big.Int, uint64, error) {
	d := uint64(1)
	for _, c := range q.classes {
		var ok bool
		if d, ok = lcm(d, c.Weight.Den); !ok {
			return nil, 0, ErrExact
		}
	}
	var list []*big.Int
	for _, c := range q.classes {
		list = append(list, new(big.Int).SetUint64(c.Weight.Num*(d/c.Weight.Den)))
	}
	return list, d, nil
}

// best sets y to the value of the choice of s that the scheduler takes.
func (q *quotient) best(k Scheduler, s uint32, weight, x []*big.Int, y *big.Int) {
	y.SetInt64(0)
	sum, term, first := new(big.Int), new(big.Int), true
	q.each(s, func(i, end uint32) bool {
		sum.SetInt64(0)
		for ; i < end; i++ {
			sum.Add(sum, term.Mul(weight[q.class[i]], x[q.to[i]]))
		}
		if first || (sum.Cmp(y) < 0) == (k == Min) {
			y.Set(sum)
		}
		first = false
		return true
	})
}

// solve returns the exact values of the initial states. In a chain there is nothing to choose, and no approximation is needed.
func (q *quotient) solve(ctx context.Context, k Scheduler) ([]*big.Rat, error) {
	if k == Uniform {
		return q.improve(ctx, k, nil)
	}
	z := newCertifier(ctx, newBellman(q.Problem, k, q.reward))
	value := 1.0 // of the goal
	if q.reward != nil {
		value = 0
	}
	z.fix(q.arrived(), value)
	var wide *ErrPrecision
	if _, err := z.run(k, Options{Precision: 1e-9}); err != nil && !errors.As(err, &wide) {
		return nil, err
	}
	return q.improve(ctx, k, z)
}
