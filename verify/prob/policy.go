package prob

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"ringcheck/internal/effort"
)

// solve returns the exact values of the initial states by policy iteration (Howard 1960): the equations of a policy are
// solved exactly, and the policy takes any choice that is better for its values, until no choice is better. Then its
// values satisfy the equations of the best scheduler, which have only one solution.
//
// Value iteration, if it converges soon, finds a first policy that is nearly always the best, and excludes the choices
// whose bounds show that no best scheduler takes them.
//
// Under each policy every state almost surely reaches a known value. The first one is such a policy. A better policy
// without this property would improve bounded values for ever, by staying in an end component. For Max there are no end
// components, and for Min staying has a cost (Bertsekas and Tsitsiklis 1991).
func (q *quotient) solve(f *effort.Effort, k Scheduler) ([]*big.Rat, error) {
	var z *certifier
	if k != Uniform {
		var err error
		if z, err = q.bounds(f, k); err != nil {
			return nil, err
		}
	}
	values, _, err := q.iterate(f, k, z)
	return values, err
}

// iterate improves a policy until it is the best, and returns the values of the initial states and how often it
// improved the policy. z has bounds of all values, or is nil.
func (q *quotient) iterate(f *effort.Effort, k Scheduler, z *certifier) (values []*big.Rat, times int, err error) {
	p := &policy{quotient: q, kind: k}
	p.weigh()
	p.prepare(f, z)
	for ; ; times++ {
		e, others := p.equations()
		e.Effort = f
		if err := e.factor(); err != nil {
			return nil, times, err
		}
		values, differences := e.solve(p.initialIndices, others)
		if !p.improve(differences) {
			return p.initially(values), times, nil
		}
	}
}

// bounds returns bounds of all values, nil if value iteration is slow or imprecise.
func (q *quotient) bounds(f *effort.Effort, k Scheduler) (*certifier, error) {
	if !q.fits(q.reward) {
		return nil, nil
	}
	z := newCertifier(f, newBellman(q.Problem, k, q.reward))
	value := 1.0 // of the goal
	if q.reward != nil {
		value = 0
	}
	z.fix(q.goalOnly(), value)
	_, err := z.run(Options{Precision: 1e-9, work: q.patience()})
	var wide *ErrPrecision
	if errors.Is(err, errSlow) || errors.As(err, &wide) {
		return nil, nil
	}
	return z, err
}

// A policy is a memoryless deterministic scheduler.
type policy struct {
	*quotient
	kind           Scheduler
	weight         []*big.Rat // by class
	gain           []*big.Rat // by class: weight times reward
	unknown        []uint32   // states with a choice
	index          []uint32   // by state: its index in unknown, or none
	initialIndices []uint32   // the indices of the initial states
	options        [][]option // by index: the choices that the best scheduler may take
	choice         []int      // by index: the policy's choice
}

// An option is a choice of a state.
type option struct {
	first, end uint32 // its branches
	*constraint
	scale *big.Int // the probabilities of the constraint are multiples of 1/scale
}

// none is the index of a state whose value is known.
const none = ^uint32(0)

// weigh sets the weights and rewards of the classes.
func (p *policy) weigh() {
	for _, c := range p.classes {
		w, g := c.Weight.Rat(), new(big.Rat)
		if p.reward != nil {
			g.Mul(w, p.reward.At(c.Mark))
		}
		p.weight, p.gain = append(p.weight, w), append(p.gain, g)
	}
}

// prepare sets the unknown states, their choices and the first policy. z has bounds of all values, or is nil.
func (p *policy) prepare(f *effort.Effort, z *certifier) {
	p.index = slices.Repeat([]uint32{none}, p.States())
	for s := range p.states() {
		if !p.Terminal(s) {
			p.index[s] = uint32(len(p.unknown))
			p.unknown = append(p.unknown, s)
		}
	}
	for _, s := range p.initial {
		if i := p.index[s.state]; i != none {
			p.initialIndices = append(p.initialIndices, i)
		}
	}
	p.choice = make([]int, len(p.unknown))
	for i, s := range p.unknown {
		var list []option
		for first, end := range p.choices(s) {
			list = append(list, option{first: first, end: end})
		}
		if z != nil {
			list, p.choice[i] = z.candidates(list)
		}
		for j := range list {
			p.constrain(s, &list[j])
		}
		p.options = append(p.options, list)
	}
	g := &fixpoint{f, p.Problem}
	if z == nil || !p.arrives(g, func(i uint32, c int) bool { return c == p.choice[i] }) {
		p.arrives(g, func(uint32, int) bool { return true })
	}
}

// candidates returns the choices of a state that are not worse than another one for certain, and the index of the one
// with the best bounds.
func (z *certifier) candidates(choices []option) (list []option, best int) {
	value, limit := math.Inf(1), math.Inf(1)
	var lows, middles []float64
	for _, c := range choices {
		low, high := z.estimate(c.first, c.end)
		if z.kind == Max { // which is the least of the negations
			low, high = -high, -low
		}
		lows, middles, limit = append(lows, low), append(middles, low/2+high/2), min(limit, high)
	}
	for i, c := range choices {
		if lows[i] > limit {
			continue
		}
		if middles[i] < value {
			value, best = middles[i], len(list)
		}
		list = append(list, c)
	}
	return list, best
}

// estimate returns bounds of the value of a choice.
func (z *certifier) estimate(first, end uint32) (low, high float64) {
	for i := first; i < end; i++ {
		t := &z.terms[z.class[i]]
		low += t.weight*z.values[z.to[i]] + t.gain
		high += t.weight*z.upper[z.to[i]] + t.gain
	}
	return roundDown(low, end-first), roundUp(high, end-first)
}

// arrives reports whether every unknown state almost surely reaches a known value by one of the choices in question,
// and if so, makes these choices the policy: each has a branch to a state from which there is a shorter way.
func (p *policy) arrives(f *fixpoint, has func(i uint32, choice int) bool) bool {
	const undetermined = -1
	chosen := slices.Repeat([]int{undetermined}, len(p.unknown))
	left := len(p.unknown)
	f.saturate(func(s uint32) bool {
		i := p.index[s]
		if i == none || chosen[i] != undetermined {
			return false
		}
		for c, o := range p.options[i] {
			arrives := func(t uint32) bool { return p.index[t] == none || chosen[p.index[t]] != undetermined }
			if has(i, c) && slices.ContainsFunc(p.to[o.first:o.end], arrives) {
				chosen[i] = c
				left--
				return true
			}
		}
		return false
	})
	if left == 0 {
		p.choice = chosen
	}
	return left == 0
}

// constrain sets the constraint of a choice of s.
func (p *policy) constrain(s uint32, o *option) {
	diag, rhs := big.NewRat(1, 1), new(big.Rat)
	var coef []*big.Rat
	c := &constraint{state: p.index[s]}
	for i := o.first; i < o.end; i++ {
		class := p.class[i]
		rhs.Add(rhs, p.gain[class])
		switch t := p.to[i]; {
		case t == s:
			diag.Sub(diag, p.weight[class])
		case t == p.goal() && p.reward == nil:
			rhs.Add(rhs, p.weight[class])
		case p.index[t] != none:
			c.col, coef = append(c.col, p.index[t]), append(coef, p.weight[class])
		}
	}
	o.constraint, o.scale = c, leastMultiple(diag.Denom(), rhs.Denom())
	for _, k := range coef {
		o.scale = leastMultiple(o.scale, k.Denom())
	}
	w := &wide{diag: multiply(diag, o.scale), rhs: multiply(rhs, o.scale)}
	for _, k := range coef {
		w.coef = append(w.coef, multiply(k, o.scale))
	}
	c.set(w)
}

// equations returns the equations of the policy, and the other choices.
func (p *policy) equations() (*equations, []*constraint) {
	e := &equations{rows: make([]uint32, 1, len(p.unknown)+1), components: p.blocks()}
	var others []*constraint
	for i, list := range p.options {
		for c, o := range list {
			if c == p.choice[i] {
				e.add(o.constraint)
			} else {
				others = append(others, o.constraint)
			}
		}
	}
	return e, others
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

// improve makes the policy take the best choice of each state, and reports whether a choice has changed. The
// differences are the values of the other choices minus the values of the policy, times their scales.
func (p *policy) improve(differences []*big.Rat) (better bool) {
	sign := 1
	if p.kind == Min {
		sign = -1
	}
	for i, list := range p.options {
		most, chosen := new(big.Rat), p.choice[i]
		for c, o := range list {
			if c == p.choice[i] {
				continue
			}
			d := differences[0]
			if differences = differences[1:]; d.Sign() != sign {
				continue
			}
			if d = d.Quo(d.Abs(d), new(big.Rat).SetInt(o.scale)); d.Cmp(most) > 0 {
				most, chosen, better = d, c, true
			}
		}
		p.choice[i] = chosen
	}
	return better
}

// initially returns the values of the initial states, given the solved ones.
func (p *policy) initially(solved []*big.Rat) []*big.Rat {
	var values []*big.Rat
	for _, start := range p.initial {
		s, v := start.state, new(big.Rat)
		switch {
		case p.index[s] != none:
			v, solved = solved[0], solved[1:]
		case s == p.goal() && p.reward == nil:
			v.SetInt64(1)
		}
		values = append(values, v)
	}
	return values
}
