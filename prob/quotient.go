package prob

import (
	"context"
	"math/big"
	"slices"

	"ringcheck/bisim"
)

// A quotient is a problem with its equivalent states lumped: by probabilistic bisimulation, or, for the uniform scheduler, by that of
// the Markov chain, of which every state has one choice then. It has the values of the problem.
type quotient struct {
	*Problem
	reward *Reward // of the quotient's marks, nil for a probability
}

// lump returns the quotient of a process, whose last state is the goal, for a scheduler and a reward.
func lump(ctx context.Context, m *MDP, k Scheduler, reward *Reward) (*quotient, error) {
	l := &lumping{MDP: m, reward: reward, chain: k == Uniform}
	if err := l.terms(); err != nil {
		return nil, err
	}
	p := &bisim.Process{Rows: m.rows, To: m.to, Class: m.class, Terms: l.term, Total: l.total, Chain: l.chain, Block: l.initially()}
	blocks, err := bisim.Lump(ctx, p)
	if err != nil {
		return nil, err
	}
	return l.build(ctx, p.Block, blocks)
}

type lumping struct {
	*MDP
	reward *Reward
	chain  bool
	marks  bool   // tell branches apart by their marks, not by their rewards
	total  uint64 // the common denominator of the weights
	term   []bisim.Term
	gain   []*big.Rat // by class: weight times reward
	values []*big.Rat // rewards that differ, by mark of a term; of a chain: mean rewards of states, by mark of the quotient
}

// terms makes the weights integers, and marks what rewards tell apart.
func (l *lumping) terms() error {
	l.total = 1
	for _, c := range l.classes {
		var ok bool
		if l.total, ok = lcm(l.total, c.Weight.Den); !ok {
			return bisim.ErrWeights
		}
	}
	for _, c := range l.classes {
		t := bisim.Term{Weight: c.Weight.Num * (l.total / c.Weight.Den), First: c.First}
		r := new(big.Rat)
		if l.reward != nil {
			r = l.reward.At(c.Mark)
		}
		switch {
		case l.marks:
			t.Mark = c.Mark
		case !l.chain:
			t.Mark = l.number(r)
		}
		l.term = append(l.term, t)
		l.gain = append(l.gain, new(big.Rat).Mul(r, c.Weight.Rat()))
	}
	return nil
}

func (l *lumping) number(r *big.Rat) uint32 {
	i := slices.IndexFunc(l.values, func(v *big.Rat) bool { return v.Cmp(r) == 0 })
	if i < 0 {
		i = len(l.values)
		l.values = append(l.values, r)
	}
	return uint32(i)
}

// initially returns the partition to begin with: the goal, the terminal states, the others by their mean reward.
func (l *lumping) initially() []uint32 {
	const goal, terminal, others = 0, 1, 2
	block := make([]uint32, l.States())
	known := make(map[string]uint32) // by the classes of a state's branches
	var classes []byte
	for s := range block {
		first, end := l.rows[s], l.rows[s+1]
		switch {
		case s == len(block)-1:
			block[s] = goal
		case first == end:
			block[s] = terminal
		case !l.chain || l.reward == nil:
			block[s] = others
		default:
			classes = classes[:0]
			for _, c := range l.class[first:end] {
				classes = append(classes, byte(c), byte(c>>8))
			}
			n, ok := known[string(classes)]
			if !ok {
				n = l.number(l.mean(uint32(s)))
				known[string(classes)] = n
			}
			block[s] = others + n
		}
	}
	return block
}

// mean returns the mean reward of a step from s.
func (l *lumping) mean(s uint32) *big.Rat {
	sum, choices := new(big.Rat), int64(0)
	for _, c := range l.class[l.rows[s]:l.rows[s+1]] {
		sum.Add(sum, l.gain[c])
		if l.classes[c].First {
			choices++
		}
	}
	return sum.Quo(sum, big.NewRat(choices, 1))
}

// Minimize returns the quotient of m by probabilistic bisimilarity (Segala and Lynch 1995): of the states that have the same labels and the
// same choices, where two choices are the same if they lead into each class with equal probability, by branches with equal marks. States have
// each choice once, so that the extreme values of all goals and rewards are those of m, and those of the uniform scheduler need not be.
func Minimize(ctx context.Context, m *MDP) (*MDP, error) {
	l := &lumping{MDP: m, marks: true}
	if err := l.terms(); err != nil {
		return nil, exactError(err)
	}
	block := make([]uint32, m.States())
	for s := range block {
		if m.MayEnd(uint32(s)) {
			block[s] = 1 << 31
		}
	}
	for i, label := range m.Labels[:min(len(m.Labels), 31)] {
		for s := range block {
			if label.States.Has(uint32(s)) {
				block[s] |= 1 << i
			}
		}
	}
	p := &bisim.Process{Rows: m.rows, To: m.to, Class: m.class, Terms: l.term, Total: l.total, Block: block}
	blocks, err := bisim.Lump(ctx, p)
	if err != nil {
		return nil, exactError(err)
	}
	q, err := l.mdp(block, blocks)
	if err != nil {
		return nil, err
	}
	q.Rewards = m.Rewards
	blocksOf := func(states Set) Set {
		set := NewSet(q.States())
		for s, b := range block {
			if states.Has(uint32(s)) {
				set.Add(b)
			}
		}
		return set
	}
	for _, label := range m.Labels {
		q.Labels = append(q.Labels, Label{label.Name, blocksOf(label.States)})
	}
	if m.Stops != nil {
		q.Stops = blocksOf(m.Stops)
	}
	return q, nil
}

// build makes the quotient from the blocks.
func (l *lumping) build(ctx context.Context, block []uint32, blocks int) (*quotient, error) {
	m, err := l.mdp(block, blocks)
	if err != nil {
		return nil, err
	}
	goal := NewSet(m.States())
	goal.Add(block[len(block)-1])
	p, err := Prepare(ctx, m, Goal{States: goal})
	if err != nil {
		return nil, err
	}
	q := &quotient{Problem: p}
	if l.reward != nil {
		q.reward = &Reward{l.reward.Name, l.values}
	}
	return q, nil
}

// mdp makes a state of each block. Initial states that are equivalent stay several.
func (l *lumping) mdp(block []uint32, blocks int) (*MDP, error) {
	representative := make([]uint32, blocks)
	for s := len(block) - 1; s >= 0; s-- {
		representative[block[s]] = uint32(s)
	}
	b := NewBuilder()
	for _, s := range representative {
		if l.chain {
			l.chainRow(b, s, block)
		} else {
			l.rowsOf(b, s, block)
		}
		b.End()
	}
	var initial []start
	for _, s := range l.initial {
		initial = append(initial, start{block[s.state], s.weight})
	}
	return b.mdp(initial)
}

// chainRow adds the only choice of a block in a chain.
func (l *lumping) chainRow(b *Builder, s uint32, block []uint32) {
	var parts []Branch
	choices, mark := uint64(0), uint32(0)
	for i := l.rows[s]; i < l.rows[s+1]; i++ {
		t := &l.term[l.class[i]]
		if t.First {
			choices++
		}
		parts = append(parts, Branch{To: block[l.to[i]], Weight: Weight{Num: t.Weight, Den: 1}})
	}
	if choices == 0 {
		return
	}
	if l.reward != nil {
		mark = l.number(l.mean(s))
	}
	parts = merge(parts)
	for i := range parts {
		parts[i].Weight = NewWeight(parts[i].Weight.Num, l.total*choices)
		parts[i].Mark = mark
	}
	b.Choice(parts...)
}

// rowsOf adds the choices of a block, each once.
func (l *lumping) rowsOf(b *Builder, s uint32, block []uint32) {
	var all [][]Branch
	for i := l.rows[s]; i < l.rows[s+1]; {
		var parts []Branch
		for first := true; i < l.rows[s+1] && (first || !l.term[l.class[i]].First); i++ {
			t := &l.term[l.class[i]]
			parts = append(parts, Branch{block[l.to[i]], Weight{Num: t.Weight, Den: 1}, t.Mark})
			first = false
		}
		parts = merge(parts)
		for j := range parts {
			parts[j].Weight = NewWeight(parts[j].Weight.Num, l.total)
		}
		if !slices.ContainsFunc(all, func(c []Branch) bool { return slices.Equal(c, parts) }) {
			all = append(all, parts)
		}
	}
	for _, c := range all {
		b.Choice(c...)
	}
}

// merge makes branches with equal targets and marks one, in ascending order.
func merge(parts []Branch) []Branch {
	slices.SortFunc(parts, func(a, b Branch) int {
		if a.To != b.To {
			return int(int64(a.To) - int64(b.To))
		}
		return int(int64(a.Mark) - int64(b.Mark))
	})
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 && out[n-1].To == p.To && out[n-1].Mark == p.Mark {
			out[n-1].Weight.Num += p.Weight.Num
		} else {
			out = append(out, p)
		}
	}
	return out
}
