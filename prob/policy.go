package prob

import (
	"context"
	"math/big"
)

// A policy is a scheduler that takes the same choice in a state every time.
type policy struct {
	*quotient
	kind    Scheduler
	z       *certifier // bounds of all values; nil if every state has one choice
	scale   *big.Int   // the common denominator of the rewards
	gain    []int64    // by class: rewards times scale
	chosen  []uint32   // by state: the first branch of its choice
	wanted  []uint32
	unknown []uint32 // states with a choice
	place   []uint32 // of a state among the unknown, or none
}

// none is the place of a state whose value is known.
const none = ^uint32(0)

// maxRounds is how often a policy is improved. As it is nearly optimal to begin with, once or twice does.
const maxRounds = 50

// improve solves the equations of a policy until none is better, and returns the exact values of the initial states.
func (q *quotient) improve(ctx context.Context, k Scheduler, z *certifier) ([]*big.Rat, error) {
	p := &policy{quotient: q, kind: k, z: z}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	for range maxRounds {
		e, others, err := p.equations()
		if err != nil {
			return nil, err
		}
		if err := e.factor(ctx); err != nil {
			return nil, err
		}
		values, err := e.solve(ctx, p.wanted, others)
		if err != nil {
			return nil, err
		}
		switch better, err := p.betters(others); {
		case err != nil:
			return nil, err
		case !better:
			return p.initially(values), nil
		}
	}
	return nil, ErrExact
}

// prepare chooses for each state what the bounds suggest.
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
	p.chosen, p.place = make([]uint32, p.states()), make([]uint32, p.states()+1)
	p.place[p.goal()] = none
	for s := range p.states() {
		p.place[s] = none
		if p.rows[s] != p.rows[s+1] {
			p.place[s] = uint32(len(p.unknown))
			p.unknown = append(p.unknown, s)
			p.chosen[s] = p.suggested(s)
		}
	}
	for _, s := range p.initial {
		if p.place[s.state] != none {
			p.wanted = append(p.wanted, p.place[s.state])
		}
	}
	return nil
}

// suggested returns the choice of s whose bounds are best.
func (p *policy) suggested(s uint32) uint32 {
	if p.z == nil {
		return p.rows[s]
	}
	best, chosen := 0.0, none
	p.each(s, func(first, end uint32) bool {
		low, high := p.estimate(first, end)
		if v := low + high; chosen == none || p.kind == Min && v < best || p.kind == Max && v > best {
			best, chosen = v, first
		}
		return true
	})
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

// equations returns those of the policy, and those that would hold if another choice were as good.
func (p *policy) equations() (*equations, []*constraint, error) {
	e := &equations{rows: make([]uint32, 1, len(p.unknown)+1)}
	var others []*constraint
	for _, s := range p.unknown {
		var err error
		p.each(s, func(first, end uint32) bool {
			var c *constraint
			if c, err = p.equation(s, first, end); err != nil {
				return false
			}
			if c.diag == 0 && first == p.chosen[s] {
				err = ErrSingular // it stays for ever
				return false
			}
			if first != p.chosen[s] {
				others = append(others, c)
				return true
			}
			e.diag, e.rhs = append(e.diag, c.diag), append(e.rhs, c.rhs)
			e.col, e.coef = append(e.col, c.col...), append(e.coef, c.coef...)
			return true
		})
		if err != nil {
			return nil, nil, err
		}
		e.rows = append(e.rows, uint32(len(e.col)))
	}
	e.components = p.blocks()
	return e, others, nil
}

// blocks returns the components of the problem as ranges of the unknown.
func (p *policy) blocks() []uint32 {
	list := []uint32{0}
	for c := 0; c+1 < len(p.components); c++ {
		n := list[len(list)-1]
		for s := p.components[c]; s < p.components[c+1]; s++ {
			if p.place[s] != none {
				n++
			}
		}
		if n > list[len(list)-1] {
			list = append(list, n)
		}
	}
	return list
}

// maxDenominator is what numbers in an equation may come to.
const maxDenominator = 1 << 30

// equation returns what the value of s is if it takes a choice.
func (p *policy) equation(s, first, end uint32) (*constraint, error) {
	d := uint64(1)
	for i := first; i < end; i++ {
		var ok bool
		if d, ok = lcm(d, p.classes[p.class[i]].Weight.Den); !ok || d >= maxDenominator {
			return nil, ErrExact
		}
	}
	c := &constraint{state: p.place[s], diag: int64(d)}
	for i := first; i < end; i++ {
		w := p.classes[p.class[i]].Weight
		k := int64(w.Num * (d / w.Den))
		c.rhs += k * p.gain[p.class[i]]
		switch t := p.to[i]; {
		case t == s:
			c.diag -= k
		case t == p.goal() && p.reward == nil:
			c.rhs += k
		case p.place[t] != none:
			c.col, c.coef = append(c.col, p.place[t]), append(c.coef, k)
		}
	}
	if c.rhs < 0 || c.rhs >= 1<<61 {
		return nil, ErrExact
	}
	return c, nil
}

// betters takes, where another choice is better than the one of the policy, that one, and says whether there was any. Those for which an
// equation holds are as good.
func (p *policy) betters(others []*constraint) (bool, error) {
	if len(others) == 0 {
		return false, nil
	}
	better := false
	n := 0
	for _, s := range p.unknown {
		low, high := p.estimate(p.chosen[s], p.end(p.chosen[s], s))
		chosen := p.chosen[s]
		var err error
		p.each(s, func(first, end uint32) bool {
			if first == chosen {
				return true
			}
			c := others[n]
			n++
			l, h := p.estimate(first, end)
			switch {
			case c.holds || p.kind == Min && l > high || p.kind == Max && h < low:
			case p.kind == Min && h < low || p.kind == Max && l > high:
				p.chosen[s] = first
				better = true
			default:
				err = ErrExact // too close to be told apart
			}
			return true
		})
		if err != nil {
			return false, err
		}
	}
	return better, nil
}

// end returns where the choice of s that begins at first ends.
func (p *policy) end(first, s uint32) uint32 {
	end := first + 1
	for end < p.rows[s+1] && !p.classes[p.class[end]].First {
		end++
	}
	return end
}

// initially returns the values of the initial states, given those that were unknown.
func (p *policy) initially(solved []*big.Rat) []*big.Rat {
	var values []*big.Rat
	scale := new(big.Rat).SetInt(p.scale)
	for _, start := range p.initial {
		s, v := start.state, new(big.Rat)
		switch {
		case p.place[s] != none:
			v.Quo(solved[0], scale)
			solved = solved[1:]
		case s == p.goal() && p.reward == nil:
			v.SetInt64(1)
		}
		values = append(values, v)
	}
	return values
}
