package prob

import (
	"cmp"
	"context"
	"math/big"

	"ringcheck/internal/effort"
	"ringcheck/internal/machine"
)

// Limit returns the problem of reaching the goal before the run has accumulated more than most of a reward, under a
// scheduler. A state is a state of p with the reward so far, counted in the greatest unit that divides all rewards. So
// the number of states grows at most by the number of units in most. The states take at most memory bytes; 0 means the
// budget of the machine. The error is ErrTooLarge, effort.ErrMemory or the context's.
func (p *Problem) Limit(
	ctx context.Context, k Scheduler, reward *Reward, most int, memory uint64,
) (_ *Problem, err error) {
	defer effort.Catch(&err)
	f := &effort.Effort{Context: ctx, Limit: cmp.Or(memory, machine.Budget())}
	x := &limiter{Problem: p.of(k), builder: NewBuilder(), numbers: make(map[uint64]uint32)}
	if err := x.scale(reward, most); err != nil {
		return nil, err
	}
	m, err := x.product(f)
	if err != nil {
		return nil, err
	}
	goal := NewSet(m.States())
	goal.Add(reached)
	return prepare(f, m, Goal{States: goal}), nil
}

// The first states of a product.
const (
	reached  uint32 = iota // the goal
	exceeded               // more was accumulated
	products               // the others
)

// A limiter builds the product of a problem with what a run accumulates.
type limiter struct {
	*Problem
	builder *Builder
	gain    []uint64 // by class
	most    uint64
	numbers map[uint64]uint32 // of the states, by state and amount
	list    []uint64
}

// scale sets the gains of the classes and the limit, in integers.
func (x *limiter) scale(reward *Reward, most int) error {
	unit := big.NewInt(1) // a common multiple of the denominators
	for _, c := range x.classes {
		d := reward.At(c.Mark).Denom()
		common := new(big.Int).GCD(nil, nil, unit, d)
		unit.Mul(unit, new(big.Int).Quo(d, common))
	}
	limit := new(big.Int).Mul(unit, big.NewInt(int64(most)))
	if limit.BitLen() > 31 {
		return ErrTooLarge
	}
	x.most = limit.Uint64()
	for _, c := range x.classes {
		gain := new(big.Rat).Mul(reward.At(c.Mark), new(big.Rat).SetInt(unit)).Num()
		if gain.Cmp(limit) > 0 {
			gain = new(big.Int).Add(limit, big.NewInt(1))
		}
		x.gain = append(x.gain, gain.Uint64())
	}
	return nil
}

// product returns the reachable part of the product.
func (x *limiter) product(f *effort.Effort) (*MDP, error) {
	x.builder.m.classes = x.classes
	x.builder.End() // reached
	x.builder.End() // exceeded
	var initial []start
	for _, s := range x.initial {
		initial = append(initial, start{x.number(s.state, 0), s.weight})
	}
	for i := 0; i < len(x.list); i++ {
		s, amount := uint32(x.list[i]), x.list[i]>>32
		f.Hold(bytesPerState + bytesPerBranch*uint64(x.rows[s+1]-x.rows[s]))
		for b := x.rows[s]; b < x.rows[s+1]; b++ {
			x.builder.add(x.number(x.to[b], amount+x.gain[x.class[b]]), x.class[b])
		}
		if x.builder.End(); x.builder.err != nil {
			return nil, x.builder.err
		}
	}
	return x.builder.mdp(initial)
}

// number returns the number of a state of the product, which it adds if it is new.
func (x *limiter) number(s uint32, amount uint64) uint32 {
	switch {
	case amount > x.most:
		return exceeded
	case s == x.goal():
		return reached
	}
	key := amount<<32 | uint64(s)
	n, ok := x.numbers[key]
	if !ok {
		n = products + uint32(len(x.list))
		x.numbers[key], x.list = n, append(x.list, key)
	}
	return n
}
