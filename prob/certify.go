package prob

import (
	"context"
	"fmt"
	"math"
	"math/big"
)

// Options say how close a certified interval is to be.
type Options struct {
	// Precision is the width that an interval may have, relative to its value if that is above 1; 0 for 1e-10.
	Precision float64
	// Exact says that Ask is to answer by exact numbers.
	Exact bool

	work int64 // how many states may be worked out by one iteration, 0 for any number
}

const defaultPrecision = 1e-10

// ErrPrecision says that an interval could not be made as narrow as asked for.
type ErrPrecision struct{ Interval Interval }

func (e *ErrPrecision) Error() string {
	return fmt.Sprintf("the value is between %v and %v; double precision comes no closer", e.Interval.Low, e.Interval.High)
}

// At returns the reward of a mark.
func (r *Reward) At(mark uint32) *big.Rat {
	if int(mark) < len(r.Of) && r.Of[mark] != nil {
		return r.Of[mark]
	}
	return new(big.Rat)
}

// Probability returns the probability with which the goal is reached.
func (p *Problem) Probability(ctx context.Context, k Scheduler, opt Options) (Interval, error) {
	f := &flagger{ctx: ctx, Problem: p}
	zero := f.zero(k)
	sure := f.sure(k, zero)
	if f.err != nil {
		return Interval{}, f.err
	}
	if k == Max && !f.decided(zero, sure) {
		merged, err := f.mergeUnsure(zero, sure)
		if err != nil {
			return Interval{}, err
		}
		f = &flagger{ctx: ctx, Problem: merged}
		zero = f.zero(k)
		sure = f.sure(k, zero)
	}
	z := newCertifier(ctx, newBellman(f.Problem, k, nil))
	z.fix(zero, 0)
	z.fix(sure, 1)
	return z.run(k, opt)
}

// decided reports whether each initial state has probability 0 or 1.
func (f *flagger) decided(zero, sure Set) bool {
	for _, s := range f.initial {
		if !zero.Has(s) && !sure.Has(s) {
			return false
		}
	}
	return true
}

// mergeUnsure merges the end components of states whose probability is neither 0 nor 1.
func (f *flagger) mergeUnsure(zero, sure Set) (*Problem, error) {
	no := func(first, end uint32) bool {
		for _, t := range f.to[first:end] {
			if zero.Has(t) || sure.Has(t) {
				return true
			}
		}
		return false
	}
	of, n := f.endComponents(no)
	if f.err != nil || n == 0 {
		return f.Problem, f.err
	}
	return f.merge(of, n, no, zero)
}

// Expected returns the expected reward until the goal is reached, which is infinite if there is a chance, under the
// scheduler in question, that it never is.
func (p *Problem) Expected(ctx context.Context, k Scheduler, reward *Reward, opt Options) (Interval, error) {
	f := &flagger{ctx: ctx, Problem: p}
	sure := f.finite(k)
	if f.err != nil {
		return Interval{}, f.err
	}
	if k == Min {
		merged, err := f.mergeFree(sure, reward)
		if err != nil {
			return Interval{}, err
		}
		f = &flagger{ctx: ctx, Problem: merged}
		sure = f.finite(k)
	}
	z := newCertifier(ctx, newBellman(f.Problem, k, reward))
	z.fix(sure.complement(f.states()+1), math.Inf(1))
	z.values[f.goal()], z.fixed[f.goal()] = 0, true
	return z.run(k, opt)
}

// finite returns the states with a finite expectation: some scheduler reaches the goal almost surely from there if the
// least is asked for, every one if the greatest is.
func (f *flagger) finite(k Scheduler) Set {
	opposite := [...]Scheduler{Uniform: Uniform, Min: Max, Max: Min}[k]
	return f.sure(opposite, f.zero(opposite))
}

// mergeFree merges the end components in which a scheduler can stay without any reward.
func (f *flagger) mergeFree(sure Set, reward *Reward) (*Problem, error) {
	costs := make([]bool, len(f.classes))
	for i, c := range f.classes {
		costs[i] = reward.At(c.Mark).Sign() > 0
	}
	no := func(first, end uint32) bool {
		for i := first; i < end; i++ {
			if costs[f.class[i]] || !sure.Has(f.to[i]) {
				return true
			}
		}
		return false
	}
	of, n := f.endComponents(no)
	if f.err != nil || n == 0 {
		return f.Problem, f.err
	}
	return f.merge(of, n, no, sure.complement(f.states()+1))
}

// complement returns the states below n that are not in x.
func (x Set) complement(n uint32) Set {
	y := NewSet(int(n))
	for s := range n {
		if !x.Has(s) {
			y.Add(s)
		}
	}
	return y
}
