package prob

import (
	"context"
	"errors"
	"math"
	"math/big"
)

// A certifier computes bounds of a value for all states: component by component, for each by value iteration from below,
// and by optimistic value iteration (Hartmanns and Kaminski 2020) from above: a guess, a little above the lower bound, is an
// upper bound once the operator nowhere raises it, since every such vector is above the least fixed point (Park). All that is
// computed is rounded to the safe side, so that no error of iteration or rounding is left out.
//
// In the lower half of what Gauss–Seidel sweeps compute every value is one that the operator gave for values that were lower bounds.
// In the upper half every value of the end of a sweep is at least what the operator gives for the values of that time: it was
// set to what the operator gave for values that were not smaller.
type certifier struct {
	*bellman
	ctx    context.Context
	values []float64 // lower bounds
	upper  []float64
	fixed  []bool // the value is known
	spare  int64  // how many states may still be worked out, if limited
	limit  bool
}

// errSlow says that iteration takes more than it may.
var errSlow = errors.New("iteration is slow")

func newCertifier(ctx context.Context, b *bellman) *certifier {
	n := b.states() + 1
	z := &certifier{bellman: b, ctx: ctx, values: make([]float64, n), fixed: make([]bool, n)}
	for s := range b.states() {
		z.fixed[s] = b.rows[s] == b.rows[s+1]
	}
	return z
}

// fix sets the value of the states of a set.
func (z *certifier) fix(x Set, v float64) {
	for s := range z.states() + 1 {
		if x.Has(s) {
			z.values[s], z.fixed[s] = v, true
		}
	}
}

// run returns the interval for the initial states together.
func (z *certifier) run(k Scheduler, opt Options) (Interval, error) {
	z.spare, z.limit = opt.work, opt.work != 0
	precision := opt.Precision
	if precision == 0 {
		precision = defaultPrecision
	}
	z.upper = append(z.upper, z.values...)
	// What is allowed to each component adds up along the components that a run passes through.
	for allowed := precision / 16; ; allowed /= 16 {
		if err := z.solve(allowed); err != nil {
			return z.together(k), err
		}
		i := z.together(k)
		if i.Width() <= precision*max(1, i.Low) {
			return i, nil
		}
		if allowed < 16*unit {
			return i, &ErrPrecision{i}
		}
	}
}

// together returns the interval of the initial states, which is exact if they have one value, and that was known.
func (z *certifier) together(k Scheduler) Interval {
	v := z.values[z.initial[0].state]
	for _, s := range z.initial {
		if !z.fixed[s.state] || z.values[s.state] != v {
			return together(z.Problem, k, z.values, z.upper)
		}
	}
	if math.IsInf(v, 1) {
		return Infinite
	}
	return exactly(new(big.Rat).SetFloat64(v))
}

// together returns the mean of the initial states, or the least or the greatest of them, given bounds for all states.
func together(p *Problem, k Scheduler, low, high []float64) Interval {
	first := p.initial[0].state
	i, mean, total := Interval{Low: low[first], High: high[first]}, Interval{}, p.total()
	for _, start := range p.initial {
		s, weight := start.state, float64(start.weight)
		switch k {
		case Uniform:
			mean.Low, mean.High = mean.Low+weight*low[s], mean.High+weight*high[s]
		case Min:
			i.Low, i.High = min(i.Low, low[s]), min(i.High, high[s])
		case Max:
			i.Low, i.High = max(i.Low, low[s]), max(i.High, high[s])
		}
	}
	if m := uint32(len(p.initial)); k == Uniform && m > 1 {
		return Interval{Low: roundDown(mean.Low/total, m), High: roundUp(mean.High/total, m)}
	}
	return i
}

func (z *certifier) solve(allowed float64) error {
	for c := 0; c+1 < len(z.components); c++ {
		first, end := z.components[c], z.components[c+1]
		if c%stride == 0 && z.ctx.Err() != nil {
			return z.ctx.Err()
		}
		if end-first == 1 && !z.loops(first) {
			if !z.fixed[first] {
				z.values[first] = roundDown(z.backup(first, z.values))
				z.upper[first] = roundUp(z.backup(first, z.upper))
			}
			continue
		}
		if err := z.component(first, end, allowed); err != nil {
			return err
		}
	}
	return nil
}

func (z *certifier) loops(s uint32) bool {
	for _, t := range z.to[z.rows[s]:z.rows[s+1]] {
		if t == s {
			return true
		}
	}
	return false
}

// component computes the bounds of the states first to end-1.
func (z *certifier) component(first, end uint32, allowed float64) error {
	outside, any := z.outside(first, end)
	if !any {
		return nil
	}
	last := 0.0
	for sweeps, patience := 0, 8; ; sweeps++ {
		change, err := z.raise(first, end)
		if err != nil {
			return err
		}
		// The changes shrink by a factor in the end; what is to come is a geometric series.
		ratio := min(change/last, 1)
		last = change
		if change > 0 && !(change*ratio < allowed/2*(1-ratio)) && sweeps < patience {
			continue
		}
		if sweeps >= patience {
			patience *= 2
		}
		done, err := z.guess(first, end, allowed, outside, 4+sweeps)
		if done || err != nil {
			return err
		}
		if change == 0 { // the lower bound is as good as it gets
			allowed *= 2
		}
	}
}

// outside returns the greatest relative width of the bounds of the states that the component leads to, and whether the component
// has states with unknown values.
func (z *certifier) outside(first, end uint32) (gap float64, any bool) {
	for s := first; s < end; s++ {
		if z.fixed[s] {
			continue
		}
		any = true
		for _, t := range z.to[z.rows[s]:z.rows[s+1]] {
			if (t < first || t >= end) && z.upper[t] > z.values[t] {
				gap = max(gap, (z.upper[t]-z.values[t])/max(z.values[t], tiny))
			}
		}
	}
	return gap, any
}

// raise sweeps over the lower bounds and returns the greatest relative change.
func (z *certifier) raise(first, end uint32) (float64, error) {
	if z.spare -= int64(end - first); z.limit && z.spare < 0 {
		return 0, errSlow
	}
	change := 0.0
	for s := first; s < end; s++ {
		if s%stride == 0 && z.ctx.Err() != nil {
			return 0, z.ctx.Err()
		}
		if z.fixed[s] {
			continue
		}
		old := z.values[s]
		if v := roundDown(z.backup(s, z.values)); v > old {
			z.values[s] = v
			change = max(change, (v-old)/v)
		}
	}
	return change, nil
}

// guess tries upper bounds that are wider than the lower ones by the allowed factor; it gives up after some sweeps.
func (z *certifier) guess(first, end uint32, allowed, outside float64, sweeps int) (bool, error) {
	for s := first; s < end; s++ {
		if !z.fixed[s] {
			z.upper[s] = z.values[s] * (1 + outside) * (1 + allowed)
		}
	}
	for range sweeps {
		falls, rises, err := z.lower(first, end)
		if !rises || err != nil {
			return err == nil, err
		}
		if !falls {
			return false, nil
		}
	}
	return false, nil
}

// lower sweeps over the upper bounds, and says whether one became smaller, and whether the operator would have raised one.
func (z *certifier) lower(first, end uint32) (falls, rises bool, err error) {
	for s := first; s < end; s++ {
		if s%stride == 0 && z.ctx.Err() != nil {
			return false, false, z.ctx.Err()
		}
		if z.fixed[s] {
			continue
		}
		switch v := roundUp(z.backup(s, z.upper)); {
		case v < z.upper[s]:
			z.upper[s] = v
			falls = true
		case v > z.upper[s]:
			rises = true
		}
	}
	return falls, rises, nil
}
