package prob

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"ringcheck/bisim"
	"ringcheck/internal/effort"
)

// A quotient is a problem with its equivalent states lumped: by probabilistic bisimilarity, or, for the uniform
// scheduler, by bisimilarity of the Markov chain, in which every state has one choice. It has the values of the
// problem.
type quotient struct {
	*Problem
	reward *Reward // of the quotient's marks, nil for a probability
}

// lump returns the quotient of a process, whose last state is the goal, for a scheduler and a reward.
func lump(f *effort.Effort, m *MDP, k Scheduler, reward *Reward) (*quotient, error) {
	l := &lumping{MDP: m, reward: reward, chain: k == Uniform}
	l.terms()
	l.block = l.initially()
	lumped, err := l.quotient(f.Context)
	if err != nil {
		return nil, err
	}
	goal := NewSet(lumped.States())
	goal.Add(l.block[len(l.block)-1])
	q := &quotient{Problem: prepare(f, lumped, Goal{States: goal})}
	if l.reward != nil {
		q.reward = &Reward{l.reward.Name, l.values}
	}
	return q, nil
}

type lumping struct {
	*MDP
	reward *Reward
	chain  bool
	marks  bool // distinguish branches by their marks, not by their rewards
	term   []bisim.Term
	gain   []*big.Rat // by class: weight times reward
	values []*big.Rat // distinct rewards, by mark of a term; in a chain mean rewards, by mark of the quotient
	block  []uint32   // by state: first the initial partition, then the classes of equivalent states
}

// terms gives different marks to branches with different rewards.
func (l *lumping) terms() {
	for _, c := range l.classes {
		t := bisim.Term{Weight: c.Weight.Rat(), First: c.First}
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
		l.gain = append(l.gain, new(big.Rat).Mul(r, t.Weight))
	}
}

func (l *lumping) number(r *big.Rat) uint32 {
	i := slices.IndexFunc(l.values, func(v *big.Rat) bool { return v.Cmp(r) == 0 })
	if i < 0 {
		i = len(l.values)
		l.values = append(l.values, r)
	}
	return uint32(i)
}

// initially returns the initial partition: the goal, the terminal states, and the others, in a chain by mean reward.
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

// Minimize returns the quotient of m by probabilistic bisimilarity (Segala and Lynch 1995): equivalent states have the
// same labels and the same choices, where two choices are the same if they lead into each class with equal probability,
// by branches with equal marks. Equal choices of a state are merged, so extreme values are equal to those in m, but
// values of the uniform scheduler need not be.
func Minimize(ctx context.Context, m *MDP) (*MDP, error) {
	l := &lumping{MDP: m, marks: true, block: make([]uint32, m.States())}
	l.terms()
	for s := range l.block {
		if m.MayEnd(uint32(s)) {
			l.block[s] = 1 << 31
		}
		for i, label := range m.Labels[:min(len(m.Labels), 31)] {
			if label.States.Has(uint32(s)) {
				l.block[s] |= 1 << i
			}
		}
	}
	q, err := l.quotient(ctx)
	if err != nil {
		return nil, err
	}
	q.Rewards = m.Rewards
	blocksOf := func(states Set) Set {
		set := NewSet(q.States())
		for s, b := range l.block {
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

// quotient refines the initial partition and makes a state of each block. Equivalent initial states are not merged.
func (l *lumping) quotient(ctx context.Context) (*MDP, error) {
	blocks, err := bisim.Lump(ctx, &bisim.Process{
		Rows: l.rows, To: l.to, Class: l.class, Terms: l.term, Chain: l.chain, Block: l.block,
	})
	if err != nil {
		return nil, err
	}
	representative := make([]uint32, blocks)
	for s, b := range slices.Backward(l.block) {
		representative[b] = uint32(s)
	}
	b := NewBuilder()
	for _, s := range representative {
		if l.chain {
			l.chainRow(b, s)
		} else {
			l.choicesOf(b, s)
		}
		b.End()
	}
	var initial []start
	for _, s := range l.initial {
		initial = append(initial, start{l.block[s.state], s.weight})
	}
	return b.mdp(initial)
}

// chainRow adds the only choice of a block in a chain.
func (l *lumping) chainRow(b *Builder, s uint32) {
	choices, mark := int64(0), uint32(0)
	for range l.choices(s) {
		choices++
	}
	if choices == 0 {
		return
	}
	if l.reward != nil {
		mark = l.number(l.mean(s))
	}
	row := l.blockBranches(l.rows[s], l.rows[s+1], choices)
	for i := range row {
		row[i].Mark = mark
	}
	b.Choice(row...)
}

// choicesOf adds the choices of a block, each once.
func (l *lumping) choicesOf(b *Builder, s uint32) {
	var all [][]Branch
	for first, end := range l.choices(s) {
		c := l.blockBranches(first, end, 1)
		if !slices.ContainsFunc(all, func(other []Branch) bool { return slices.Equal(other, c) }) {
			all = append(all, c)
			b.Choice(c...)
		}
	}
}

// blockBranches returns the given branches as branches between blocks, in ascending order. Branches with equal targets
// and marks are merged. Weights are divided by the number of choices that the branches belong to.
func (l *lumping) blockBranches(first, end uint32, choices int64) []Branch {
	type branch struct{ to, mark uint32 }
	weights := make(map[branch]*big.Rat)
	for i := first; i < end; i++ {
		t := &l.term[l.class[i]]
		b := branch{l.block[l.to[i]], t.Mark}
		if w, ok := weights[b]; ok {
			weights[b] = new(big.Rat).Add(w, t.Weight)
		} else {
			weights[b] = t.Weight
		}
	}
	var out []Branch
	for b, w := range weights {
		if choices > 1 {
			w = new(big.Rat).Quo(w, big.NewRat(choices, 1))
		}
		out = append(out, Branch{b.to, WeightOf(w), b.mark})
	}
	slices.SortFunc(out, func(a, b Branch) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Mark, b.Mark)) })
	return out
}
