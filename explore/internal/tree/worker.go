package tree

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Worker is the access of one goroutine to a Store.
type Worker struct {
	*Store
	caches [][]entry // by node, of numbers without a record
	arena  *intern.Writer
	out    model.Successors
	in     []model.Value // of one group
	run    []uint32      // a run being made
	state  []model.Value // whole states, for direct crossings
	next   []model.Value
	free   []*expansion // for the recursion over inner nodes
	spare  []*column    // for the recursion of numbers
	touch  uint32
	probes []intern.Probe

	listener *Labelling // who wants to know the labels of transitions, or nil
	heard    []uint32
}

// Worker returns access to s for one more goroutine.
func (s *Store) Worker() *Worker {
	return &Worker{
		Store:  s,
		caches: make([][]entry, len(s.nodes)),
		arena:  s.arena.Writer(),
		in:     make([]model.Value, max(1, s.width)),
		state:  make([]model.Value, s.width),
		next:   make([]model.Value, s.width),
	}
}

// Root stores a state.
func (w *Worker) Root(state []model.Value) Root {
	return intern.Pair(w.root.left.encode(state), w.root.right.encode(state))
}

// Child stores a successor of the state before, whose root is r: what they share is not looked up.
func (w *Worker) Child(r Root, before, state []model.Value) Root {
	left, right := intern.Split(r)
	return intern.Pair(w.root.left.recode(state, before, left), w.root.right.recode(state, before, right))
}

// Vector writes the state with the given root to state, which has the length of the system's slots.
func (w *Worker) Vector(r Root, state []model.Value) {
	left, right := intern.Split(r)
	w.root.left.decode(left, state)
	w.root.right.decode(right, state)
}

// Successors appends the successors of states to out, once for each transition, and to ends where those of
// each state end in out. If the system reports an error for a state, ends stops short of it.
//
// The states are expanded in three passes, each of which has many independent memory reads under way at a
// time: the records of their halves; the successors, but for the halves that a crossing has changed, which
// are pairs so far; the numbers of those.
func (w *Worker) Successors(states []Root, out []Root, ends []int) ([]Root, []int, error) {
	w.touchRecords(states)
	x := w.acquire()
	defer w.release(x)
	spare := x.to
	x.to = out
	defer func() { x.to = spare }()
	for _, r := range states {
		left, right := intern.Split(r)
		if err := w.expand(w.root, left, right, x); err != nil {
			w.settle(w.root, x)
			return x.to, ends, err
		}
		ends = append(ends, len(x.to))
	}
	w.settle(w.root, x)
	return x.to, ends, nil
}

func (w *Worker) touchRecords(states []Root) {
	touch := uint32(0)
	for _, r := range states {
		left, right := intern.Split(r)
		touch ^= w.root.left.touch(left)
		touch ^= w.root.right.touch(right)
	}
	w.touch = touch
}
