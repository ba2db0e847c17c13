package prob

import (
	"context"
	"errors"
	"math"
	"math/big"
	"runtime"

	"ringcheck/internal/workers"
	"ringcheck/model/language/ir"
)

// A Query asks for one number about reaching a goal.
type Query struct {
	Reward    *Reward // the reward to accumulate until then; nil asks for the probability
	Within    int     // for a probability: the maximum of Unit until then, -1 for any
	Unit      *Reward // nil: steps
	Scheduler Scheduler
}

// An Answer is the answer to a query.
type Answer struct {
	Query
	Interval Interval
	// Err is nil, an *ErrPrecision, or the context's error. The interval is valid in any case.
	Err error
}

// Ask answers queries about p, in order, with several goroutines. It answers all of them; if the context ends,
// intervals may be wide.
func (p *Problem) Ask(ctx context.Context, queries []Query, opt Options) []Answer {
	answers := make([]Answer, len(queries))
	longest := make(map[Scheduler]int) // one pass answers all step bounds of a scheduler
	var tasks []func()
	for i, q := range queries {
		answers[i].Query = q
		if q.countsSteps() && !opt.Exact && p.fits(nil) {
			longest[q.Scheduler] = max(longest[q.Scheduler], q.Within)
		} else {
			tasks = append(tasks, func() { answers[i].Interval, answers[i].Err = p.ask(ctx, q, opt) })
		}
	}
	for k, steps := range longest {
		tasks = append(tasks, func() {
			curve, err := p.Within(ctx, k, steps)
			for i, q := range queries {
				if q.countsSteps() && q.Scheduler == k {
					answers[i].Interval, answers[i].Err = p.pick(ctx, q, curve, err)
				}
			}
		})
	}
	workers.Each(runtime.GOMAXPROCS(0), len(tasks), func(_, i int) { tasks[i]() })
	return answers
}

// pick returns the probability within a number of steps, or its known bounds if the pass ended earlier. A probability
// that is too small for double precision is computed exactly if this takes few steps.
func (p *Problem) pick(ctx context.Context, q Query, curve []Interval, err error) (Interval, error) {
	if q.Within < len(curve) {
		i := curve[q.Within]
		if i.Low < faint && i.High > i.Low && q.Within*int(p.states()) < 1<<20 {
			return p.Exact(ctx, q)
		}
		return i, nil
	}
	low := 0.0
	if len(curve) > 0 {
		low = curve[len(curve)-1].Low // the probability grows with the bound
	}
	return Interval{Low: low, High: 1}, err
}

// A small problem is solved exactly if value iteration converges slowly; a tiny one also if double precision does not
// permit the requested precision.
const (
	smallProblem = 1 << 14 // states
	tinyProblem  = 1 << 11
)

// patience returns the number of state updates before value iteration counts as slow: it takes no longer than solving
// the equations of a policy.
func (p *Problem) patience() int64 {
	n := int64(p.states())
	return min(max(64*n*n, 1<<16), 1<<26)
}

// countsSteps reports whether the query asks for a probability within a number of steps.
func (q *Query) countsSteps() bool { return q.Reward == nil && q.Within >= 0 && q.Unit == nil }

func (p *Problem) ask(ctx context.Context, q Query, opt Options) (Interval, error) {
	if q.Unit != nil {
		limited, err := p.Limit(ctx, q.Scheduler, q.Unit, q.Within, opt.Memory)
		if err != nil {
			return Interval{High: 1}, err
		}
		return limited.ask(ctx, Query{Within: -1, Scheduler: q.Scheduler}, opt)
	}
	opt.Exact = opt.Exact || !p.fits(q.Reward)
	small := p.states() <= smallProblem && !opt.Exact
	if small {
		opt.work = p.patience()
	}
	i, err := p.answerOne(ctx, q, opt)
	var wide *ErrPrecision
	if slow := errors.Is(err, errSlow); slow || p.states() <= tinyProblem && errors.As(err, &wide) {
		if exact, e := p.Exact(ctx, q); !errors.Is(e, ErrTooLarge) {
			i, err = exact, e
		} else if slow {
			opt.work = 0
			i, err = p.answerOne(ctx, q, opt)
		}
	}
	if err != nil && ctx.Err() != nil { // there is a lower bound, but no upper one yet
		if i.High = math.Inf(1); q.Reward == nil {
			i.High = 1
		}
	}
	return i, err
}

func (p *Problem) answerOne(ctx context.Context, q Query, opt Options) (Interval, error) {
	switch {
	case opt.Exact:
		return p.Exact(ctx, q)
	case q.Reward == nil:
		return p.Probability(ctx, q.Scheduler, opt)
	}
	return p.Expected(ctx, q.Scheduler, q.Reward, opt)
}

// Claim returns the query of a bound in a spec: for the minimum if the bound is a lower one, for the maximum if it is
// an upper one, or for the value of the uniform scheduler. reward is the bound's reward in the process, nil for a
// probability. unit is the reward that the bound limits, nil for steps.
func Claim(b *ir.Bound, reward, unit *Reward) Query {
	q := Query{Reward: reward, Within: int(min(b.Within, math.MaxInt32)), Unit: unit, Scheduler: Max}
	switch {
	case b.Uniform:
		q.Scheduler = Uniform
	case b.Relation == ir.AtLeast || b.Relation == ir.Greater:
		q.Scheduler = Min
	}
	return q
}

// Decide reports whether a bound of a spec holds, and returns the interval of the value; see Claim. If the interval
// does not decide the bound, the value is computed exactly.
func (p *Problem) Decide(ctx context.Context, b *ir.Bound, reward, unit *Reward) (bool, Interval, error) {
	q := Claim(b, reward, unit)
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

// decide compares a value with a bound; known reports whether the interval suffices.
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
	case ir.Greater:
		return low > 0, low > 0 || high <= 0
	}
	panic("prob: unknown relation")
}

// compare compares a float64, which may be infinite, with a rational number.
func compare(f float64, r *big.Rat) int {
	if math.IsInf(f, 1) {
		return 1
	}
	return new(big.Rat).SetFloat64(f).Cmp(r)
}
