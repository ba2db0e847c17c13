package exchange

import (
	"cmp"
	"context"
	"maps"
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

// loop is the mark of branches that only a file has.
const loop = math.MaxUint32

// flatten returns a process as other tools want to have it. They know no states without choices, so such a state goes
// to itself, for no reward, and has the label deadlock, which comes first. That is what PRISM writes of one, and what
// process takes back. Where a run may end in spite of choices, to stay there for ever is one more.
func flatten(ctx context.Context, m *prob.MDP) (x *explicit, err error) {
	defer effort.Catch(&err)
	x = newExplicit(&effort.Effort{Context: ctx})
	states, initial, err := unfold(m)
	if err != nil {
		return nil, err
	}
	choices, branches := m.Choices(), m.Branches() // and one of each for a state without any
	x.choices, x.branches = make([]uint32, 1, len(states)+1), make([]uint32, 1, choices+1)
	x.to, x.weight, x.initial = make([]uint32, 0, branches), make([]uint16, 0, branches), initial
	for range m.Rewards {
		x.rewards = append(x.rewards, gain{choices: make([]uint16, 0, choices)})
	}
	for i, s := range states {
		x.Tick()
		m.Each(s, func(choice []prob.Branch) { err = cmp.Or(err, x.add(m, choice)) })
		if m.Terminal(s) || m.MayEnd(s) {
			err = cmp.Or(err, x.add(m, []prob.Branch{{To: uint32(i), Weight: prob.Certain, Mark: loop}}))
		}
		x.choices = append(x.choices, uint32(len(x.branches)-1))
	}
	label := func(name string, has func(s uint32) bool) {
		set := prob.NewSet(len(states))
		for i, s := range states {
			if has(s) {
				set.Add(uint32(i))
			}
		}
		x.labels = append(x.labels, prob.Label{Name: name, States: set})
	}
	label(deadlockLabel, m.Terminal)
	for _, l := range m.Labels {
		label(l.Name, l.States.Has)
	}
	return x, err
}

// unfold returns the states of a file, as those of m that they are. In a file the initial states are a set, and equally
// likely; so one of greater weight is there several times, with the same choices and labels.
func unfold(m *prob.MDP) (states []uint32, initial prob.Set, err error) {
	weights, unit := m.InitialWeights(), new(big.Int)
	for _, w := range weights {
		unit.GCD(nil, nil, unit, new(big.Int).SetUint64(w))
	}
	for s := range uint32(m.States()) {
		states = append(states, s)
	}
	for _, s := range slices.Sorted(maps.Keys(weights)) {
		copies := weights[s]/unit.Uint64() - 1
		if copies > maxStates-uint64(len(states)) {
			return nil, nil, prob.ErrTooLarge
		}
		states = append(states, slices.Repeat([]uint32{s}, int(copies))...)
	}
	initial = prob.NewSet(len(states))
	for i, s := range states {
		if weights[s] > 0 {
			initial.Add(uint32(i))
		}
	}
	return states, initial, nil
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
	if uint64(len(x.to)) > maxBranches {
		return prob.ErrTooLarge
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
