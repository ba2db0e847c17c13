package prob

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"ringcheck/bisim"
	"ringcheck/internal/effort"
)

// ErrExact says that a value cannot be worked out exactly: the numbers in the equations are too large.
var ErrExact = errors.New("the value cannot be worked out exactly: " +
	"the probabilities or rewards have no small common denominator")

// Exact answers a query by an exact rational number, or infinity: the states are lumped, the equations of what is left
// are solved in rational arithmetic. For min and max a scheduler is taken that certified intervals suggest, and it is
// proved that no other choice anywhere is better: by intervals where they are apart, and exactly where two choices are
// equally good.
func (p *Problem) Exact(ctx context.Context, q Query) (_ Interval, err error) {
	defer effort.Catch(&err)
	f := &effort.Effort{Context: ctx}
	m := p.undecided(f, q)
	if m == nil {
		return Infinite, nil
	}
	l, err := lump(f, m, q.Scheduler, q.Reward)
	if err != nil {
		return Interval{}, exactError(err)
	}
	var values []*big.Rat
	if q.Reward == nil && q.Within >= 0 {
		values, err = l.within(f, q.Scheduler, q.Within)
	} else {
		values, err = l.solve(f, q.Scheduler)
	}
	if err != nil {
		return Interval{}, exactError(err)
	}
	return exactly(l.exactOverInitial(q.Scheduler, values)), nil
}

func exactError(err error) error {
	if errors.Is(err, bisim.ErrWeights) || errors.Is(err, ErrTooLarge) {
		return ErrExact
	}
	return err
}

// exactOverInitial returns the mean, the least or the greatest of the values of the initial states.
func (p *Problem) exactOverInitial(k Scheduler, values []*big.Rat) *big.Rat {
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

// undecided returns the process of what a query has to solve equations for, nil if the value is infinite. States whose
// value is known from the graph are terminal or the goal, end components that would leave more than one solution are
// merged.
func (p *Problem) undecided(e *effort.Effort, q Query) *MDP {
	if q.Reward == nil {
		if q.Within >= 0 {
			return &p.of(q.Scheduler).MDP
		}
		f, zero, sure := p.extremes(e, q.Scheduler)
		return f.without(zero, sure)
	}
	f, finite := p.finite(e, q.Scheduler, q.Reward)
	infinite := func(s start) bool { return !finite.Has(s.state) }
	initial := slices.DeleteFunc(slices.Clone(f.initial), infinite)
	if len(initial) == 0 || len(initial) < len(f.initial) && q.Scheduler != Min {
		return nil
	}
	m := f.part(func(s, first, end uint32) bool { return finite.Has(s) && f.all(finite, first, end) })
	m.initial = initial
	return m
}

// without returns the process in which the states of one set are terminal, and those of another are the goal.
func (f *fixpoint) without(terminal, goal Set) *MDP {
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

// within returns the exact probabilities of the initial states to reach the goal within t steps. In step t all values
// are multiples of 1/d^t, where d is the common denominator of a step.
func (q *quotient) within(f *effort.Effort, k Scheduler, t int) ([]*big.Rat, error) {
	numerators, d, ok := integers(q.classes)
	if !ok {
		return nil, ErrExact
	}
	var weight []*big.Int // by class, as multiples of 1/d
	for _, n := range numerators {
		weight = append(weight, new(big.Int).SetUint64(n))
	}
	x, y := make([]*big.Int, q.States()), make([]*big.Int, q.States())
	for s := range x {
		x[s], y[s] = new(big.Int), new(big.Int)
	}
	x[q.goal()].SetInt64(1)
	unit := big.NewInt(1)
	denominator := new(big.Int).SetUint64(d)
	for range t {
		for s := range q.states() {
			f.Tick()
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

// best sets y to the value of the choice of s that the scheduler takes.
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

// solve returns the exact values of the initial states. In a chain there is nothing to choose, and no approximation is
// needed.
func (q *quotient) solve(f *effort.Effort, k Scheduler) ([]*big.Rat, error) {
	if k == Uniform {
		return q.improve(f, k, nil)
	}
	z := newCertifier(f, newBellman(q.Problem, k, q.reward))
	value := 1.0 // of the goal
	if q.reward != nil {
		value = 0
	}
	z.fix(q.arrived(), value)
	var wide *ErrPrecision
	if _, err := z.run(Options{Precision: 1e-9}); err != nil && !errors.As(err, &wide) {
		return nil, err
	}
	return q.improve(f, k, z)
}
