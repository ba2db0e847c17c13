package prob

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
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
	f, zero, sure, err := p.of(k).extremes(ctx, k)
	if err != nil {
		return Interval{}, err
	}
	z := newCertifier(ctx, newBellman(f.Problem, k, nil))
	z.fix(zero, 0)
	z.fix(sure, 1)
	return z.run(k, opt)
}

// extremes returns the states from which the goal is reached with probability 0, and those with probability 1. For Max, unless that decides
// about the initial states, they are those of the problem in which end components of the other states are merged.
func (p *Problem) extremes(ctx context.Context, k Scheduler) (f *flagger, zero, sure Set, err error) {
	f = &flagger{ctx: ctx, Problem: p}
	for merged := false; f.err == nil; merged = true {
		zero = f.zero(k)
		sure = f.sure(k, zero)
		if merged || k != Max || f.decided(zero, sure) {
			break
		}
		f = f.merge(func(first, end uint32) bool {
			return slices.ContainsFunc(f.to[first:end], func(t uint32) bool { return zero.Has(t) || sure.Has(t) })
		}, zero)
	}
	return f, zero, sure, f.err
}

// decided reports whether each initial state has probability 0 or 1.
func (f *flagger) decided(zero, sure Set) bool {
	return !slices.ContainsFunc(f.initial, func(s start) bool { return !zero.Has(s.state) && !sure.Has(s.state) })
}

// Expected returns the expected reward until the goal is reached, which is infinite if there is a chance, under the
// scheduler in question, that it never is.
func (p *Problem) Expected(ctx context.Context, k Scheduler, reward *Reward, opt Options) (Interval, error) {
	f, finite, err := p.of(k).finite(ctx, k, reward)
	if err != nil {
		return Interval{}, err
	}
	z := newCertifier(ctx, newBellman(f.Problem, k, reward))
	z.fix(f.complement(finite), math.Inf(1))
	z.values[f.goal()], z.fixed[f.goal()] = 0, true
	return z.run(k, opt)
}

// finite returns the states with a finite expectation: some scheduler reaches the goal almost surely from there if the
// least is asked for, every one if the greatest is. For Min they are those of the problem in which end components are merged in which a
// scheduler can stay without any reward.
func (p *Problem) finite(ctx context.Context, k Scheduler, reward *Reward) (f *flagger, finite Set, err error) {
	opposite := [...]Scheduler{Uniform: Uniform, Min: Max, Max: Min}[k]
	f = &flagger{ctx: ctx, Problem: p}
	for merged := false; f.err == nil; merged = true {
		finite = f.sure(opposite, f.zero(opposite))
		if merged || k != Min {
			break
		}
		costs := make([]bool, len(f.classes))
		for i, c := range f.classes {
			costs[i] = reward.At(c.Mark).Sign() > 0
		}
		f = f.merge(func(first, end uint32) bool {
			for i := first; i < end; i++ {
				if costs[f.class[i]] || !finite.Has(f.to[i]) {
					return true
				}
			}
			return false
		}, f.complement(finite))
	}
	return f, finite, f.err
}
