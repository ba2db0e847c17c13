package exchange

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// Labels that PRISM and Storm define themselves.
const (
	initialLabel  = "init"
	deadlockLabel = "deadlock"
)

// loop is the mark of what does not happen in the process.
const loop = math.MaxUint32

// flatten returns a process as other tools want to have it. They know no states without choices, so such a state goes
// to itself, for no reward, and has the label deadlock, which comes first. That is what PRISM writes of one, and what
// process takes back. Where a run may end in spite of choices, to stay there for ever is one more.
func flatten(ctx context.Context, m *prob.MDP) (x *explicit, err error) {
	defer effort.Catch(&err)
	if m, err = m.Unfolded(); err != nil { // the initial states of a file are a set
		return nil, err
	}
	x = newExplicit(&effort.Effort{Context: ctx})
	choices, branches := m.Choices(), m.Branches() // and one of each for a state without any
	x.choices, x.branches = make([]uint32, 1, m.States()+1), make([]uint32, 1, choices+1)
	x.to, x.weight = make([]uint32, 0, branches), make([]uint16, 0, branches)
	for range m.Rewards {
		x.rewards = append(x.rewards, gain{choices: make([]uint16, 0, choices)})
	}
	x.initial = prob.NewSet(m.States())
	for _, s := range m.Initial() {
		x.initial.Add(s)
	}
	deadlock := prob.NewSet(m.States())
	for s := range uint32(m.States()) {
		x.Tick()
		if m.Terminal(s) {
			deadlock.Add(s)
			err = cmp.Or(err, x.add(m, []prob.Branch{{To: s, Weight: prob.Certain, Mark: loop}}))
		}
		m.Each(s, func(choice []prob.Branch) { err = cmp.Or(err, x.add(m, choice)) })
		if m.MayEnd(s) {
			err = cmp.Or(err, x.add(m, []prob.Branch{{To: s, Weight: prob.Certain, Mark: loop}}))
		}
		x.choices = append(x.choices, uint32(len(x.branches)-1))
	}
	x.labels = append([]prob.Label{{Name: deadlockLabel, States: deadlock}}, m.Labels...)
	return x, err
}

// add adds a choice. In the decision processes of PRISM and Storm rewards are those of choices: PRISM refuses a .trew
// in which two branches of a choice have different ones, and does not read those of branches in a .umb. With the mean
// of its branches for a choice all expectations stay.
func (x *explicit) add(m *prob.MDP, choice []prob.Branch) error {
	for i := range x.rewards {
		r := &x.rewards[i]
		n, err := x.number(mean(&m.Rewards[i], choice))
		if err != nil {
			return err
		}
		r.choices = append(r.choices, n)
	}
	for _, b := range merged(choice) {
		n, err := x.number(b.Weight.Rat())
		if err != nil {
			return err
		}
		x.to, x.weight = append(x.to, b.To), append(x.weight, n)
	}
	x.branches = append(x.branches, uint32(len(x.to)))
	return nil
}

// number returns the place of a number in the table.
func (x *explicit) number(r *big.Rat) (uint16, error) {
	return x.numbers.add(x.Effort, []byte(r.RatString()), func() (number, error) { return number{r, r}, nil })
}

// merged returns the branches of a choice by their targets, in ascending order, those to one state as one.
func merged(choice []prob.Branch) []prob.Branch {
	if len(choice) == 1 {
		return choice
	}
	list := slices.Clone(choice)
	slices.SortFunc(list, func(a, b prob.Branch) int { return cmp.Compare(a.To, b.To) })
	out := list[:1]
	for _, b := range list[1:] {
		last := &out[len(out)-1]
		if last.To == b.To {
			last.Weight = prob.WeightOf(new(big.Rat).Add(last.Weight.Rat(), b.Weight.Rat()))
			continue
		}
		out = append(out, b)
	}
	return out
}

// mean returns the mean reward of a choice.
func mean(r *prob.Reward, choice []prob.Branch) *big.Rat {
	if len(choice) == 1 {
		return r.At(choice[0].Mark)
	}
	sum := new(big.Rat)
	for _, b := range choice {
		if of := r.At(b.Mark); of.Sign() != 0 {
			sum.Add(sum, new(big.Rat).Mul(b.Weight.Rat(), of))
		}
	}
	return sum
}

// decimal writes a number: as a fraction if it is to be exact, else as the shortest decimal that is the same double.
func decimal(r *big.Rat, exact bool) string {
	if exact || r.IsInt() {
		return r.RatString()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
