package prob

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"ringcheck/bisim"
	"ringcheck/internal/effort"
)

// ErrExact reports that a value cannot be computed exactly because the numbers in the equations are too large.
var ErrExact = errors.New("the value cannot be computed exactly: " +
	"the probabilities or rewards have no small common denominator")

// Exact answers a query by an exact rational number, or infinity: it lumps the states and solves the equations of the
// quotient in rational arithmetic. For Min and Max it takes the scheduler that certified intervals suggest, and proves
// that no other choice is better: by disjoint intervals, or exactly where two choices are equally good.
func (p *Problem) Exact(ctx context.Context, q Query) (_ Interval, err error) {
	defer effort.Catch(&err)
	f := &effort.Effort{Context: ctx}
	m := p.undecided(f, q)
	if m == nil {
		return Infinite, nil
	}
	var values []*big.Rat
	l, err := lump(f, m, q.Scheduler, q.Reward)
	if err == nil && q.Reward == nil && q.Within >= 0 {
		values, err = l.within(f, q.Scheduler, q.Within)
	} else if err == nil {
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

// exactOverInitial returns the mean, the minimum or the maximum of the values of the initial states.
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

// undecided returns the process whose equations determine the answer to a query, nil if the answer is infinite. States
// whose value follows from the graph are terminal or the goal; end components that allow several solutions are merged.
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

// without returns the process in which the states of terminal have no choices and those of goal are merged with the
// goal.
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

// within returns the exact probabilities of reaching the goal within t steps from the initial states. The values of
// step t are multiples of 1/d^t, where d is the common denominator of the weights.
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

// solve returns the exact values of the initial states. A chain has no choices and needs no approximation.
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

// A policy is a memoryless deterministic scheduler.
type policy struct {
	*quotient
	kind    Scheduler
	z       *certifier // has bounds of all values; nil if every state has one choice
	scale   *big.Int   // the common denominator of the rewards
	gain    []int64    // by class: rewards times scale
	chosen  []uint32   // by state: the first branch of its choice
	wanted  []uint32
	unknown []uint32 // states with a choice
	index   []uint32 // by state: its index in unknown, or none
}

// none is the index of a state whose value is known.
const none = ^uint32(0)

// maxRounds limits the improvements of a policy. One or two suffice, since the first policy is nearly optimal.
const maxRounds = 50

// improve improves a policy until none is better, and returns the exact values of the initial states.
func (q *quotient) improve(f *effort.Effort, k Scheduler, z *certifier) ([]*big.Rat, error) {
	p := &policy{quotient: q, kind: k, z: z}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	for range maxRounds {
		e, others, err := p.equations()
		if err != nil {
			return nil, err
		}
		e.Effort = f
		if err := e.factor(); err != nil {
			return nil, err
		}
		values := e.solve(p.wanted, others)
		switch better, err := p.betters(others); {
		case err != nil:
			return nil, err
		case !better:
			return p.initially(values), nil
		}
	}
	return nil, ErrExact
}

// prepare selects the choice of each state that the bounds suggest.
func (p *policy) prepare() error {
	p.scale = big.NewInt(1)
	for _, c := range p.classes {
		if p.reward != nil {
			d := p.reward.At(c.Mark).Denom()
			g := new(big.Int).GCD(nil, nil, p.scale, d)
			p.scale.Mul(p.scale, new(big.Int).Quo(d, g))
		}
	}
	for _, c := range p.classes {
		g := new(big.Rat)
		if p.reward != nil {
			g.Mul(p.reward.At(c.Mark), new(big.Rat).SetInt(p.scale))
		}
		if !g.IsInt() || !g.Num().IsInt64() || g.Num().Int64() > 1<<30 {
			return ErrExact
		}
		p.gain = append(p.gain, g.Num().Int64())
	}
	p.chosen, p.index = make([]uint32, p.states()), make([]uint32, p.states()+1)
	p.index[p.goal()] = none
	for s := range p.states() {
		p.index[s] = none
		if !p.Terminal(s) {
			p.index[s] = uint32(len(p.unknown))
			p.unknown = append(p.unknown, s)
			p.chosen[s] = p.suggested(s)
		}
	}
	for _, s := range p.initial {
		if p.index[s.state] != none {
			p.wanted = append(p.wanted, p.index[s.state])
		}
	}
	return nil
}

// suggested returns the choice of s with the best bounds.
func (p *policy) suggested(s uint32) uint32 {
	if p.z == nil {
		return p.rows[s]
	}
	best, chosen := 0.0, none
	for first, end := range p.choices(s) {
		low, high := p.estimate(first, end)
		if v := low + high; chosen == none || p.kind == Min && v < best || p.kind == Max && v > best {
			best, chosen = v, first
		}
	}
	return chosen
}

// estimate returns bounds of the value of a choice.
func (p *policy) estimate(first, end uint32) (low, high float64) {
	for i := first; i < end; i++ {
		t := &p.z.terms[p.class[i]]
		low += t.weight*p.z.values[p.to[i]] + t.gain
		high += t.weight*p.z.upper[p.to[i]] + t.gain
	}
	return roundDown(low, end-first), roundUp(high, end-first)
}

// equations returns the equations of the policy, and one constraint per other choice that holds if it is equally good.
func (p *policy) equations() (*equations, []*constraint, error) {
	e := &equations{rows: make([]uint32, 1, len(p.unknown)+1)}
	var others []*constraint
	for _, s := range p.unknown {
		for first, end := range p.choices(s) {
			c, err := p.equation(s, first, end)
			switch {
			case err != nil:
				return nil, nil, err
			case first != p.chosen[s]:
				others = append(others, c)
				continue
			case c.diag == 0:
				return nil, nil, ErrSingular // the choice stays for ever
			}
			e.diag, e.rhs = append(e.diag, c.diag), append(e.rhs, c.rhs)
			e.col, e.coef = append(e.col, c.col...), append(e.coef, c.coef...)
		}
		e.rows = append(e.rows, uint32(len(e.col)))
	}
	e.components = p.blocks()
	return e, others, nil
}

// blocks returns the components of the problem as ranges of unknown.
func (p *policy) blocks() []uint32 {
	list := []uint32{0}
	for c := 0; c+1 < len(p.components); c++ {
		n := list[len(list)-1]
		for s := p.components[c]; s < p.components[c+1]; s++ {
			if p.index[s] != none {
				n++
			}
		}
		if n > list[len(list)-1] {
			list = append(list, n)
		}
	}
	return list
}

// maxDenominator bounds the coefficients of an equation.
const maxDenominator = 1 << 30

// equation returns the equation for the value of s under a choice.
func (p *policy) equation(s, first, end uint32) (*constraint, error) {
	d := uint64(1)
	for i := first; i < end; i++ {
		var ok bool
		if d, ok = lcm(d, p.classes[p.class[i]].Weight.Den); !ok || d >= maxDenominator {
			return nil, ErrExact
		}
	}
	c := &constraint{state: p.index[s], diag: int64(d)}
	for i := first; i < end; i++ {
		w := p.classes[p.class[i]].Weight
		k := int64(w.Num * (d / w.Den))
		c.rhs += k * p.gain[p.class[i]]
		switch t := p.to[i]; {
		case t == s:
			c.diag -= k
		case t == p.goal() && p.reward == nil:
			c.rhs += k
		case p.index[t] != none:
			c.col, c.coef = append(c.col, p.index[t]), append(c.coef, k)
		}
	}
	if c.rhs < 0 || c.rhs >= 1<<61 {
		return nil, ErrExact
	}
	return c, nil
}

// betters improves the policy where another choice is better, and reports whether there was any. A choice whose
// constraint holds is equally good.
func (p *policy) betters(others []*constraint) (better bool, err error) {
	if len(others) == 0 {
		return false, nil
	}
	for _, s := range p.unknown {
		chosen := p.chosen[s]
		low, high := p.estimate(chosen, p.end(chosen, s))
		for first, end := range p.choices(s) {
			if first == chosen {
				continue
			}
			c := others[0]
			others = others[1:]
			l, h := p.estimate(first, end)
			switch {
			case c.holds || p.kind == Min && l > high || p.kind == Max && h < low:
			case p.kind == Min && h < low || p.kind == Max && l > high:
				p.chosen[s], better = first, true
			default:
				return false, ErrExact // too close to decide
			}
		}
	}
	return better, nil
}

// initially returns the values of the initial states, given the solved ones.
func (p *policy) initially(solved []*big.Rat) []*big.Rat {
	var values []*big.Rat
	scale := new(big.Rat).SetInt(p.scale)
	for _, start := range p.initial {
		s, v := start.state, new(big.Rat)
		switch {
		case p.index[s] != none:
			v.Quo(solved[0], scale)
			solved = solved[1:]
		case s == p.goal() && p.reward == nil:
			v.SetInt64(1)
		}
		values = append(values, v)
	}
	return values
}
