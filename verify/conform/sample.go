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

// Sample writes the log of a random run of at most the given number of steps: the assigned values and what
// Options.Observe lists, by default everything.
func Sample(ctx context.Context, w io.Writer, sys *reduce.System, steps int, random *rand.Rand, opt Options) error {
	opt.Properties = []string{} // none is judged
	f, err := newFollower(ctx, sys, opt)
	if err != nil {
		return err
	}
	var shown *alphabet
	if f.Observe != nil {
		if shown, err = f.visible(); err != nil {
			return err
		}
	}
	n := newNetwork(f.sys, shown)
	start, path, err := n.sample(ctx, steps, random)
	if err != nil {
		return err
	}
	_, values, err := n.run(start, path)
	if err != nil {
		return err
	}
	return n.write(w, path, values, f.Order == ByClock)
}

// write writes assigned values and moves as a log.
func (n *network) write(w io.Writer, moves []move, values []model.Value, clocked bool) error {
	out := bufio.NewWriter(w)
	for _, e := range n.assignments(values) {
		fmt.Fprintln(out, e)
	}
	clocks := slices.Repeat([][]int{make([]int, n.protocol.N)}, n.size)
	for _, m := range moves {
		if m.group < 0 {
			continue
		}
		e, hidden := n.event(m.step.Label), n.hides(m.step.Label)
		clock := n.tick(clocks, &m, !hidden && e.Process != nil)
		if clocked {
			e.Clock = clock
		}
		if !hidden {
			fmt.Fprintln(out, e)
		}
	}
	return out.Flush()
}

// tick merges the vector clocks of the slots that a move changes, by slot, and adds the move if it is counted: it is
// neither hidden nor the network's, which loses and duplicates messages but has no clock. The log so orders a little
// more than messages do: a send comes after earlier sends and receipts on its channel.
func (n *network) tick(clocks [][]int, m *move, counted bool) []int {
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

// sample takes a random run of at most so many steps. It ends early with ctx.
func (n *network) sample(ctx context.Context, steps int, random *rand.Rand) (start []model.Value, path []move,
	err error) {
	initial, err := n.initial()
	if err != nil {
		return nil, nil, err
	}
	start = initial[random.IntN(len(initial))]
	all := func(model.Label) (int, bool) { return -1, true }
	for state := start; steps > 0 && ctx.Err() == nil; {
		var moves []move
		n.grown = nil
		for _, p := range random.Perm(n.protocol.N + 1) {
			if moves, err = n.moves(moves, state, p-1, all); err != nil {
				return nil, nil, err
			}
			if len(moves) > 0 {
				break
			}
		}
		if len(moves) == 0 && n.grown != nil {
			return nil, nil, n.grown
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
