package prob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/largepage"
)

// Options set the precision of answers.
type Options struct {
	// Precision is the maximum width of an interval relative to its value; 0 means 1e-10.
	Precision float64
	// Exact makes Ask answer by exact numbers.
	Exact bool
	// Memory bounds the states of a problem with a limit of a reward, in bytes; 0 means the budget of the machine.
	Memory uint64

	work int64 // the maximum number of state updates of one iteration, 0 for no limit
}

const defaultPrecision = 1e-10

// ErrPrecision reports that an interval could not be made as narrow as requested.
type ErrPrecision struct{ Interval Interval }

func (e *ErrPrecision) Error() string {
	i := &e.Interval
	return fmt.Sprintf("the value is between %v and %v; double precision permits no narrower interval", i.Low, i.High)
}

// Probability returns the probability of reaching the goal.
func (p *Problem) Probability(ctx context.Context, k Scheduler, opt Options) (_ Interval, err error) {
	defer effort.Catch(&err)
	f, zero, sure := p.extremes(&effort.Effort{Context: ctx}, k)
	z := newCertifier(f.Effort, newBellman(f.Problem, k, nil))
	z.fix(zero, 0)
	z.fix(sure, 1)
	return z.run(opt)
}

// extremes returns the states from which the goal is reached with probability 0, and with probability 1. For Max,
// unless these sets decide the initial states, they are states of the problem f, in which the end components of the
// other states are merged.
func (p *Problem) extremes(e *effort.Effort, k Scheduler) (f *fixpoint, zero, sure Set) {
	f = &fixpoint{e, p.of(k)}
	for merged := false; ; merged = true {
		zero, sure = f.certain(k)
		open := func(s start) bool { return !zero.Has(s.state) && !sure.Has(s.state) }
		if merged || k != Max || !slices.ContainsFunc(f.initial, open) {
			return f, zero, sure
		}
		f = f.merge(func(first, end uint32) bool {
			return slices.ContainsFunc(f.to[first:end], func(t uint32) bool { return zero.Has(t) || sure.Has(t) })
		}, zero)
	}
}

// Expected returns the expected reward until the goal is reached, which is infinite if the scheduler misses the goal
// with positive probability.
func (p *Problem) Expected(ctx context.Context, k Scheduler, reward *Reward, opt Options) (_ Interval, err error) {
	defer effort.Catch(&err)
	f, finite := p.finite(&effort.Effort{Context: ctx}, k, reward)
	z := newCertifier(f.Effort, newBellman(f.Problem, k, reward))
	z.fix(f.complement(finite), math.Inf(1))
	z.fix(f.goalOnly(), 0)
	return z.run(opt)
}

// finite returns the states with a finite expectation: from them some scheduler (for Min) or every scheduler (for Max)
// reaches the goal almost surely. For Min they are states of the problem f, in which end components without reward are
// merged.
func (p *Problem) finite(e *effort.Effort, k Scheduler, reward *Reward) (f *fixpoint, finite Set) {
	opposite := [...]Scheduler{Uniform: Uniform, Min: Max, Max: Min}[k]
	f = &fixpoint{e, p.of(k)}
	for merged := false; ; merged = true {
		_, finite = f.certain(opposite)
		if merged || k != Min {
			return f, finite
		}
		costs := make([]bool, len(f.classes))
		for i, c := range f.classes {
			costs[i] = reward.At(c.Mark).Sign() > 0
		}
		f = f.merge(func(first, end uint32) bool {
			costly := func(c uint16) bool { return costs[c] }
			return slices.ContainsFunc(f.class[first:end], costly) || !f.allInto(finite, first, end)
		}, f.complement(finite))
	}
}

// A certifier computes bounds of the values of all states, component by component: from below by value iteration, from
// above by optimistic value iteration (Hartmanns and Kaminski 2020). A guess slightly above the lower bound is an upper
// bound if the operator raises it nowhere, since every such vector is above the least fixed point (Park). All results
// are rounded to the safe side.
//
// Gauss–Seidel sweeps preserve this: lower bounds result from the operator applied to lower bounds; and after a sweep
// every upper value is at least its image, since it was computed from values that were not smaller.
type certifier struct {
	*bellman
	*effort.Effort
	values []float64 // lower bounds
	upper  []float64
	fixed  []bool // whether the value is known
	spare  int64  // the remaining number of state updates
}

var errSlow = errors.New("iteration is slow")

func newCertifier(f *effort.Effort, b *bellman) *certifier {
	z := &certifier{bellman: b, Effort: f, values: largepage.Make[float64](b.States()), fixed: make([]bool, b.States())}
	for s := range b.states() {
		z.fixed[s] = b.Terminal(s)
	}
	return z
}

// fix sets the known value of the states of a set.
func (z *certifier) fix(x Set, v float64) {
	for s := range z.values {
		if x.Has(uint32(s)) {
			z.values[s], z.fixed[s] = v, true
		}
	}
}

// run returns the interval for the initial states together, as far as computed if the context ends.
func (z *certifier) run(opt Options) (Interval, error) {
	z.upper = z.values
	if i := z.initialInterval(); i.Exact != nil || math.IsInf(i.Low, 1) {
		return i, nil
	}
	z.spare = cmp.Or(opt.work, math.MaxInt64)
	precision := cmp.Or(opt.Precision, defaultPrecision)
	z.upper = largepage.Make[float64](len(z.values))
	copy(z.upper, z.values)
	// The errors allowed to the components add up along a run.
	for allowed := precision / 16; ; allowed /= 16 {
		err := z.solve(allowed)
		i := z.initialInterval()
		switch {
		case err != nil || i.Width() <= precision*i.Low:
			return i, err
		case allowed < 16*unit:
			return i, &ErrPrecision{i}
		}
	}
}

// initialInterval returns the interval of the initial states, which is exact if all have the same known value.
func (z *certifier) initialInterval() Interval {
	v := z.values[z.initial[0].state]
	for _, s := range z.initial {
		if !z.fixed[s.state] || z.values[s.state] != v {
			return z.overInitial(z.values, z.upper)
		}
	}
	if math.IsInf(v, 1) {
		return Infinite
	}
	return exactly(new(big.Rat).SetFloat64(v))
}

// overInitial returns the mean, the minimum or the maximum over the initial states, given bounds for all states.
func (b *bellman) overInitial(low, high []float64) Interval {
	first := b.initial[0].state
	i, mean, total := Interval{Low: low[first], High: high[first]}, Interval{}, b.total()
	for _, start := range b.initial {
		s, weight := start.state, float64(start.weight)
		switch b.kind {
		case Uniform:
			mean.Low, mean.High = mean.Low+weight*low[s], mean.High+weight*high[s]
		case Min:
			i.Low, i.High = min(i.Low, low[s]), min(i.High, high[s])
		case Max:
			i.Low, i.High = max(i.Low, low[s]), max(i.High, high[s])
		}
	}
	if m := uint32(len(b.initial)); b.kind == Uniform && m > 1 {
		return Interval{Low: roundDown(mean.Low/total, m), High: roundUp(mean.High/total, m)}
	}
	return i
}

func (z *certifier) solve(allowed float64) (err error) {
	defer effort.Catch(&err)
	for c := range len(z.components) - 1 {
		if c%stride == 0 {
			z.Check()
		}
		first, end := z.components[c], z.components[c+1]
		if end-first > 1 || slices.Contains(z.targets(first), first) {
			z.component(first, end, allowed)
		} else if !z.fixed[first] {
			z.values[first] = roundDown(z.backup(first, z.values))
			z.upper[first] = roundUp(z.backup(first, z.upper))
		}
	}
	return nil
}

// component computes the bounds of the states first to end-1.
func (z *certifier) component(first, end uint32, allowed float64) {
	outside, greatest, any := z.outside(first, end)
	if !any || z.choose == Min && z.descend(first, end, allowed, outside, greatest) {
		return
	}
	var p pace
	for sweeps, patience := 0, 8; ; sweeps++ {
		change, _ := z.sweep(first, end, true)
		if !p.near(change, allowed) && sweeps < patience {
			z.foresee(&p, allowed, sweeps, int(end-first))
			continue
		}
		if sweeps >= patience {
			patience *= 2
		}
		z.set(z.upper, first, end, func(s uint32) float64 { return z.values[s] * (1 + outside) * (1 + allowed) })
		if z.proved(first, end, 4+sweeps, false) {
			return
		}
		if change == 0 { // the lower bound has converged
			allowed *= 2
		}
	}
}

// A pace estimates the remaining changes of an iteration by a geometric series, because the changes eventually shrink
// by a constant factor.
type pace struct{ last, ratio float64 }

// near reports whether the remaining changes are estimated to add up to less than half of allowed.
func (p *pace) near(change, allowed float64) bool {
	p.last, p.ratio = change, min(change/p.last, 1)
	return change == 0 || change*p.ratio < allowed/2*(1-p.ratio)
}

// left estimates the number of sweeps until changes are that small.
func (p *pace) left(small float64) float64 {
	if p.ratio == 1 {
		return math.Inf(1)
	}
	return max(0, math.Log(small/p.last)/math.Log(p.ratio))
}

// foresee ends an iteration with limited work if its changes shrink too slowly. The changes of the first sweeps say
// nothing, before each state of the component depends on all others.
func (z *certifier) foresee(p *pace, allowed float64, sweeps, states int) {
	const more = 64
	if z.spare < math.MaxInt64/2 && sweeps > states+more && p.left(allowed)*float64(states) > float64(z.spare) {
		effort.Try(errSlow)
	}
}

// descend computes the bounds of a component for Min from above, and reports whether it could. Upper values are never
// above those under the best scheduler, so they converge as fast as these; values from below lag where any scheduler is
// slow.
//
// The lower bound is a guess, too, which the operator lowers nowhere. It is at most the result of any number of
// applications under the best scheduler, which converges to the value, since this scheduler almost surely reaches
// states with known values. (From any other state, every scheduler reaches the goal with positive probability, or
// staying has a cost.)
func (z *certifier) descend(first, end uint32, allowed, outside, greatest float64) (ok bool) {
	for _, t := range z.terms {
		greatest = max(greatest, t.gain)
	}
	z.set(z.upper, first, end, func(uint32) float64 { return 1024 * greatest }) // usually enough
	var p pace
	change, rises := z.sweep(first, end, false)
	sweeps := 1
	for ; !p.near(change, allowed); sweeps++ {
		z.foresee(&p, allowed, sweeps, int(end-first))
		change, rises = z.sweep(first, end, false)
	}
	if rises {
		return false // the start was too low
	}
	known := slices.Clone(z.values[first:end])
	defer func() {
		if !ok {
			copy(z.values[first:end], known)
		}
	}()
	z.set(z.values, first, end, func(s uint32) float64 { return z.upper[s] / (1 + outside) / (1 + allowed) })
	return z.proved(first, end, 4+sweeps, true)
}

// outside returns the greatest relative gap between the bounds of successors outside the component and the greatest
// finite bound, and whether the component has states with unknown values.
func (z *certifier) outside(first, end uint32) (gap, greatest float64, any bool) {
	for s := first; s < end; s++ {
		if z.fixed[s] {
			continue
		}
		any = true
		for _, t := range z.targets(s) {
			if t >= first && t < end || math.IsInf(z.upper[t], 1) {
				continue
			}
			greatest = max(greatest, z.upper[t])
			if z.upper[t] > z.values[t] {
				gap = max(gap, (z.upper[t]-z.values[t])/max(z.values[t], tiny))
			}
		}
	}
	return gap, greatest, any
}

// sweep applies the operator to the lower bounds of the states first to end-1 or, unless rising is set, to the upper
// ones. It returns the greatest relative change in the right direction, and whether a value would change in the wrong
// one.
func (z *certifier) sweep(first, end uint32, rising bool) (change float64, wrong bool) {
	x := z.upper
	if rising {
		x = z.values
	}
	if z.spare -= int64(end - first); z.spare < 0 {
		effort.Try(errSlow)
	}
	for s := first; s < end; s++ {
		if s%stride == 0 {
			z.Check()
		}
		if z.fixed[s] {
			continue
		}
		v, branches := z.backup(s, x)
		if rising {
			v = roundDown(v, branches)
		} else {
			v = roundUp(v, branches)
		}
		switch old := x[s]; {
		case v == old:
		case v > old == rising:
			change = max(change, math.Abs(v-old)/v)
			x[s] = v
		default:
			wrong = true
		}
	}
	return change, wrong
}

// proved reports whether some sweeps make a guess a bound, which the operator changes nowhere in the wrong direction.
func (z *certifier) proved(first, end uint32, sweeps int, rising bool) bool {
	for range sweeps {
		if change, wrong := z.sweep(first, end, rising); change == 0 || !wrong {
			return !wrong
		}
	}
	return false
}

// set sets the values of the states first to end-1 that are not fixed.
func (z *certifier) set(values []float64, first, end uint32, to func(s uint32) float64) {
	for s := first; s < end; s++ {
		if !z.fixed[s] {
			values[s] = to(s)
		}
	}
}
