package exchange

import (
	"context"
	"math"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// Labels that PRISM and Storm define themselves.
const (
	initialLabel  = "init"
	deadlockLabel = "deadlock"
)

// closed is a process as other tools want to have it: they know no states without choices, so such a state goes to itself, for no reward, and has the label
// deadlock. That is what PRISM writes of one. It has no label of that name of its own.
type closed struct {
	*prob.MDP
	*effort.Effort
}

// newClosed returns a process as it is to be written. The initial states of a file are a set.
func newClosed(ctx context.Context, m *prob.MDP) (closed, error) {
	m, err := m.Unfolded()
	return closed{m, &effort.Effort{Context: ctx}}, err
}

// loop is the mark of what does not happen in the process.
const loop = math.MaxUint32

// Each calls yield with the branches of each choice of a state.
func (c closed) Each(s uint32, yield func(choice []prob.Branch)) {
	if c.Terminal(s) {
		yield([]prob.Branch{{To: s, Weight: prob.Certain, Mark: loop}})
		return
	}
	c.MDP.Each(s, yield)
}

// all calls yield with every choice, its state, and its number there.
func (c closed) all(yield func(s uint32, number int, choice []prob.Branch)) {
	for s := range uint32(c.States()) {
		n := 0
		c.Each(s, func(choice []prob.Branch) {
			c.Tick()
			yield(s, n, choice)
			n++
		})
	}
}

// counts returns the numbers of choices and of branches, those to one state of a choice being one.
func (c closed) counts() (choices, branches int) {
	c.all(func(_ uint32, _ int, choice []prob.Branch) {
		choices++
		branches += len(merged(choice))
	})
	return choices, branches
}

// terminal returns the states without choices.
func (c closed) terminal() prob.Set {
	x := prob.NewSet(c.States())
	for s := range uint32(c.States()) {
		if c.Terminal(s) {
			x.Add(s)
		}
	}
	return x
}

// initial returns the initial states.
func (c closed) initial() prob.Set {
	x := prob.NewSet(c.States())
	for _, s := range c.Initial() {
		x.Add(s)
	}
	return x
}

// sets returns the labels, deadlock being the first.
func (c closed) sets() []prob.Label {
	return append([]prob.Label{{Name: deadlockLabel, States: c.terminal()}}, c.Labels...)
}

// opened takes back what closed does: states with the label deadlock that only go to themselves lose that choice, and the label goes.
func opened(f *effort.Effort, m *prob.MDP) (*prob.MDP, error) {
	deadlock := m.Label(deadlockLabel)
	if deadlock == nil {
		return m, nil
	}
	f.Hold(branchBytes*uint64(m.Branches()) + stateBytes*uint64(m.States()))
	b := prob.NewBuilder()
	for s := range uint32(m.States()) {
		f.Tick()
		if !deadlock.States.Has(s) || !stays(m, s) {
			m.Each(s, func(choice []prob.Branch) { b.Choice(choice...) })
		}
		b.End()
	}
	out, err := b.MDP(m.Initial()...)
	if err != nil {
		return nil, err
	}
	out.Rewards = m.Rewards
	out.Labels = slices.DeleteFunc(slices.Clone(m.Labels), func(l prob.Label) bool { return l.Name == deadlockLabel })
	return out, nil
}

// stays reports whether all that can happen in a state leads to it again.
func stays(m *prob.MDP, s uint32) bool {
	stays := true
	m.Each(s, func(choice []prob.Branch) {
		stays = stays && !slices.ContainsFunc(choice, func(b prob.Branch) bool { return b.To != s })
	})
	return stays
}
