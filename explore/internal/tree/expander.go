package tree

import "ringcheck/internal/intern"

// An expander finds successors for one Worker. Each case has its own type, see doc.go.
type expander interface {
	// expand adds the successors of states to x, and their Ends, Counts, Environment and Asleep to out, see
	// Worker.Expand. It numbers all halves, also if the system reports an error.
	expand(states []StateID, asleep []Sleep, x *successors, out *Expansion) error
	// halvesMove reports whether a transition within a half is a transition of the state to a stored state.
	halvesMove() bool
	// orbitSize implements Worker.OrbitSize.
	orbitSize(id StateID) (n uint64, known bool)
}

// expandEach calls expand with each state, given by its index and its halves, and adds the end and the number of its
// transitions to out.
func (w *Worker) expandEach(
	states []StateID, x *successors, out *Expansion, expand func(i int, h halves) error,
) error {
	w.seek(states)
	for i, id := range states {
		x.count = 0
		if err := expand(i, w.halves(i, id)); err != nil {
			return err
		}
		w.countWork(1 + x.count)
		out.Ends = append(out.Ends, len(x.to))
		out.Counts = append(out.Counts, x.count)
	}
	return nil
}

// seek finds the records of the halves of states and reads from them, so that the independent reads overlap.
func (w *Worker) seek(states []StateID) {
	touch := uint32(0)
	for side, n := range []*node{w.root.left, w.root.right} {
		records := w.records[side][:0]
		for _, s := range states {
			number := uint32(s >> (32 - 32*side))
			r := n.record(number)
			touch ^= n.touch(number, r)
			records = append(records, r)
		}
		w.records[side] = records
	}
	w.touch = touch
}

// halves returns the halves of a state, which has index i in the last call of seek.
func (w *Worker) halves(i int, id StateID) halves {
	left, right := intern.Split(id)
	return halves{left, right, w.records[0][i], w.records[1][i]}
}

// tagOf returns the tag of transition i of the last answer of the system, for group g.
func (w *Worker) tagOf(g, i int) uint32 { return w.source.tag(g, w.out.Step(i)) }
