package prob

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ringcheck/internal/effort"
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

// Probability returns the probability with which the goal is reached.
func (p *Problem) Probability(ctx context.Context, k Scheduler, opt Options) (_ Interval, err error) {
	defer effort.Catch(&err)
	f, zero, sure := p.extremes(&effort.Effort{Context: ctx}, k)
	z := newCertifier(f.Effort, newBellman(f.Problem, k, nil))
	z.fix(zero, 0)
	z.fix(sure, 1)
	return z.run(opt)
}

// extremes returns the states from which the goal is reached with probability 0, and those with probability 1. For Max,
// unless that decides about the initial states, they are those of the problem in which end components of the other
// states are merged.
func (p *Problem) extremes(e *effort.Effort, k Scheduler) (f *fixpoint, zero, sure Set) {
	f = &fixpoint{e, p.of(k)}
	for merged := false; ; merged = true {
		zero = f.zero(k)
		sure = f.sure(k, zero)
		open := func(s start) bool { return !zero.Has(s.state) && !sure.Has(s.state) }
		if merged || k != Max || !slices.ContainsFunc(f.initial, open) {
			return f, zero, sure
		}
		f = f.merge(func(first, end uint32) bool {
			return slices.ContainsFunc(f.to[first:end], func(t uint32) bool { return zero.Has(t) || sure.Has(t) })
		}, zero)
	}
}

// Expected returns the expected reward until the goal is reached, which is infinite if there is a chance, under the
// scheduler in question, that it never is.
func (p *Problem) Expected(ctx context.Context, k Scheduler, reward *Reward, opt Options) (_ Interval, err error) {
	defer effort.Catch(&err)
	f, finite := p.finite(&effort.Effort{Context: ctx}, k, reward)
	z := newCertifier(f.Effort, newBellman(f.Problem, k, reward))
	z.fix(f.complement(finite), math.Inf(1))
	z.fix(f.arrived(), 0)
	return z.run(opt)
}

// finite returns the states with a finite expectation: some scheduler reaches the goal almost surely from there if the
// least is asked for, every one if the greatest is. For Min they are those of the problem in which end components are
// merged in which a scheduler can stay without any reward.
func (p *Problem) finite(e *effort.Effort, k Scheduler, reward *Reward) (f *fixpoint, finite Set) {
	opposite := [...]Scheduler{Uniform: Uniform, Min: Max, Max: Min}[k]
	f = &fixpoint{e, p.of(k)}
	for merged := false; ; merged = true {
		finite = f.sure(opposite, f.zero(opposite))
		if merged || k != Min {
			return f, finite
		}
		costs := make([]bool, len(f.classes))
		for i, c := range f.classes {
			costs[i] = reward.At(c.Mark).Sign() > 0
		}
		f = f.merge(func(first, end uint32) bool {
			costly := func(c uint16) bool { return costs[c] }
			return slices.ContainsFunc(f.class[first:end], costly) || !f.all(finite, first, end)
		}, f.complement(finite))
	}
}
