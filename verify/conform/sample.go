package conform

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"ringcheck/model"
	"ringcheck/reduce"
)

// Sample writes the log of a random run of at most the given number of steps: the assigned values and the actions in
// Options.Observe, by default all.
func Sample(ctx context.Context, w io.Writer, sys *reduce.System, steps int, random *rand.Rand, opt Options) error {
	opt.Properties = []string{} // no invariants are evaluated
	c, err := newChecker(ctx, sys, opt)
	if err != nil {
		return err
	}
	var observable *alphabet
	if c.Observe != nil {
		if observable, err = c.observableActions(); err != nil {
			return err
		}
	}
	n := newNetwork(c.sys, observable)
	start, path, err := n.randomRun(ctx, steps, random)
	if err != nil {
		return err
	}
	_, values, err := n.systemRun(start, path)
	if err != nil {
		return err
	}
	return n.writeLog(w, path, values, c.Order == ByClock)
}

// writeLog writes assigned values and moves as a log.
func (n *network) writeLog(w io.Writer, moves []move, values []model.Value, clocked bool) error {
	out := bufio.NewWriter(w)
	for _, e := range n.assignmentEvents(values) {
		fmt.Fprintln(out, e)
	}
	clocks := slices.Repeat([][]int{make([]int, n.protocol.N)}, n.size)
	for _, m := range moves {
		if m.group < 0 {
			continue
		}
		e, hidden := n.eventOf(m.step.Label), n.isInternal(m.step.Label)
		clock := n.stampMove(clocks, &m, !hidden && e.Process != nil)
		if clocked {
			e.Clock = clock
		}
		if !hidden {
			fmt.Fprintln(out, e)
		}
	}
	return out.Flush()
}

// stampMove merges the vector clocks of the slots that a move changes, and adds the move if it is counted. Internal
// actions are not counted, nor losses and duplicates, which have no process. The clocks order more events than messages
// do: a send comes after earlier sends and receipts on its channel.
func (n *network) stampMove(clocks [][]int, m *move, counted bool) []int {
	clock := make([]int, n.protocol.N)
	slots := n.sys.Groups()[m.group].Slots
	for _, slot := range slots {
		for p, count := range clocks[slot] {
			clock[p] = max(clock[p], count)
		}
	}
	if counted {
		clock[m.process]++
	}
	for _, slot := range slots {
		clocks[slot] = clock
	}
	return clock
}

// randomRun returns a random run of at most the given number of steps. It ends early with ctx.
func (n *network) randomRun(ctx context.Context, steps int, random *rand.Rand) (start []model.Value, path []move,
	err error) {
	initial, err := n.initialStates()
	if err != nil {
		return nil, nil, err
	}
	start = initial[random.IntN(len(initial))]
	all := func(model.Label) (int, bool) { return -1, true }
	for state := start; steps > 0 && ctx.Err() == nil; {
		var moves []move
		n.growth = nil
		for _, p := range random.Perm(n.protocol.N + 1) {
			if moves, err = n.moves(moves, state, p-1, all); err != nil {
				return nil, nil, err
			}
			if len(moves) > 0 {
				break
			}
		}
		if len(moves) == 0 && n.growth != nil {
			return nil, nil, n.growth
		}
		if len(moves) == 0 {
			break
		}
		m := moves[random.IntN(len(moves))]
		if state = m.after; m.group >= 0 {
			steps--
		}
		path = append(path, m)
	}
	return start, path, ctx.Err()
}
