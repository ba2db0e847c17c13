package prob

import (
	"context"
	"errors"
	"math"
	"math/big"

	"ringcheck/model/language/ir"
)

// Claim returns what a bound of a spec asks about: the least value if the value is to be above something, the greatest
// if it is to be below, or that of the uniform scheduler. reward is the bound's as the process has it, nil for a
// probability.
func Claim(b *ir.Bound, reward *Reward) Query {
	q := Query{Reward: reward, Within: int(min(b.Within, math.MaxInt32)), Scheduler: Max}
	switch {
	case b.Uniform:
		q.Scheduler = Uniform
	case b.Relation == ir.AtLeast || b.Relation == ir.Greater:
		q.Scheduler = Min
	}
	return q
}

// Decide says whether a bound of a spec holds, and between which numbers the value is. If an interval does not decide
// it, for the value is very close to the bound, the value is worked out exactly.
func (p *Problem) Decide(ctx context.Context, b *ir.Bound, reward *Reward) (bool, Interval, error) {
	q := Claim(b, reward)
	a := p.Ask(ctx, []Query{q}, Options{})[0]
	var wide *ErrPrecision
	if a.Err != nil && !errors.As(a.Err, &wide) {
		return false, a.Interval, a.Err
	}
	holds, known := decide(a.Interval, b.Relation, b.Value)
	if known {
		return holds, a.Interval, nil
	}
	exact, err := p.Exact(ctx, q)
	if err != nil {
		return false, a.Interval, err
	}
	holds, _ = decide(exact, b.Relation, b.Value)
	return holds, exact, nil
}

// decide compares a value with a bound, and says whether what is known about the value is enough for that.
func decide(i Interval, r ir.Relation, bound *big.Rat) (holds, known bool) {
	low, high := compare(i.Low, bound), compare(i.High, bound)
	if i.Exact != nil {
		low = i.Exact.Cmp(bound)
		high = low
	}
	switch r {
	case ir.Less:
		return high < 0, high < 0 || low >= 0
	case ir.AtMost:
		return high <= 0, high <= 0 || low > 0
	case ir.AtLeast:
		return low >= 0, low >= 0 || high < 0
	}
	return low > 0, low > 0 || high <= 0
}

// compare compares a float64, which may be infinite, with a rational number.
func compare(f float64, r *big.Rat) int {
	if math.IsInf(f, 1) {
		return 1
	}
	return new(big.Rat).SetFloat64(f).Cmp(r)
}
