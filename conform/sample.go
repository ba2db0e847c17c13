package conform

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"ringcheck"
	"ringcheck/model"
	"ringcheck/model/language/step"
)

// Sample writes the log of a random run of at most the given number of steps: the assigned values and what
// Options.Observe lists, by default everything.
func Sample(ctx context.Context, w io.Writer, sys *ringcheck.System, steps int, random *rand.Rand, opt Options) error {
	f, err := newFollower(ctx, sys, Options{Observe: opt.Observe, Order: opt.Order, Properties: []string{}})
	if err != nil {
		return err
	}
	shown := func(step.Action) bool { return true }
	if f.Observe != nil {
		if shown, err = f.visible(); err != nil {
			return err
		}
	}
	s := sampler{network: newNetwork(f.sys, shown), random: random}
	var moves []move
	start, err := s.run(ctx, steps, func(m *move) { moves = append(moves, *m) })
	if err != nil {
		return err
	}
	_, values, err := s.network.run(start, moves)
	if err != nil {
		return err
	}
	return s.write(w, moves, values, f.Order == ByClock)
}

// write writes assigned values and moves as a log.
func (s *sampler) write(w io.Writer, moves []move, values []model.Value, clocked bool) error {
	out := bufio.NewWriter(w)
	for _, e := range s.assignments(values) {
		fmt.Fprintln(out, e)
	}
	clocks := slices.Repeat([][]int{make([]int, s.protocol.N)}, s.size)
	for _, m := range moves {
		if m.group < 0 {
			continue
		}
		e, hidden := s.event(m.step.Label), s.hides(m.step.Label)
		clock := s.tick(clocks, &m, !hidden && e.Process != nil)
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
func (s *sampler) tick(clocks [][]int, m *move, counted bool) []int {
	clock := make([]int, s.protocol.N)
	slots := s.sys.Groups()[m.group].Slots
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

// A sampler takes random runs of a network.
type sampler struct {
	*network
	random *rand.Rand
}

// run takes a random run of at most so many steps and calls yield with the moves. It ends early with ctx.
func (s *sampler) run(ctx context.Context, steps int, yield func(m *move)) (start []model.Value, err error) {
	initial, err := s.initial()
	if err != nil {
		return nil, err
	}
	start = initial[s.random.IntN(len(initial))]
	all := func(model.Label) (int, bool) { return -1, true }
	for state := start; steps > 0 && ctx.Err() == nil; {
		var moves []move
		for _, p := range s.random.Perm(s.protocol.N + 1) {
			if moves, err = s.moves(moves[:0], state, p-1, all); err != nil {
				return nil, err
			}
			if len(moves) > 0 {
				break
			}
		}
		if len(moves) == 0 {
			break
		}
		m := &moves[s.random.IntN(len(moves))]
		if state = m.after; m.group >= 0 {
			steps--
		}
		yield(m)
	}
	return start, ctx.Err()
}
