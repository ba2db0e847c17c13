package exchange

import (
	"context"
	"math"

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
