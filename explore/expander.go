package explore

import (
	"context"

	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// An Expander generates successors for a search that keeps its states itself, on other machines for example. A state is
// two numbers, those of its halves: the slots before Split, and the others. The numbers mean something to one Expander
// only. It remembers what halves hold and what they lead to, which is why states are cheap to expand that have a half
// in common.
//
// It is safe for concurrent use by its ExpanderWorkers.
type Expander struct{ store *tree.Store }

// NewExpander returns an Expander for the states of a system, and an error unless the system is valid.
func NewExpander(sys model.System) (*Expander, error) {
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	return &Expander{tree.NewStore(context.Background(), sys, nil)}, nil
}

// Split returns how many slots the left half has.
func (e *Expander) Split() int { return e.store.Split() }

// Bytes returns the memory that the Expander holds, in bytes. It only grows.
func (e *Expander) Bytes() int64 { return e.store.Bytes() }

// Classes are those into which an Observer divides the states of an Expander. They are safe for concurrent use.
type Classes struct{ classes *tree.Classes }

// Classes returns those of o.
func (e *Expander) Classes(o Observer) *Classes { return &Classes{e.store.Classes(o)} }

// Of returns the class of a state.
func (c *Classes) Of(state Halves) uint32 { return c.classes.Of(state) }

// Bytes returns the memory that is held, but for the observer's, in bytes; 0 if c is nil.
func (c *Classes) Bytes() int64 {
	if c == nil {
		return 0
	}
	return c.classes.Bytes()
}

// Halves are the numbers of the two halves of a state: that of the left one times 2^32, plus that of the right one.
type Halves = uint64

// An ExpanderWorker is the access of one goroutine to an Expander.
type ExpanderWorker struct {
	tree *tree.Worker
	next tree.Expansion
}

// Worker returns access for one more goroutine.
func (e *Expander) Worker() *ExpanderWorker { return &ExpanderWorker{tree: e.store.Worker()} }

// Left returns the number of the left half of a state. It does not look at the right one.
func (w *ExpanderWorker) Left(state []model.Value) uint32 { return w.tree.Left(state) }

// Right returns the number of the right half of a state. It does not look at the left one.
func (w *ExpanderWorker) Right(state []model.Value) uint32 { return w.tree.Right(state) }

// SetLeft sets the left half of a state to what has a number.
func (w *ExpanderWorker) SetLeft(number uint32, state []model.Value) { w.tree.SetLeft(number, state) }

// SetRight sets the right half of a state to what has a number.
func (w *ExpanderWorker) SetRight(number uint32, state []model.Value) { w.tree.SetRight(number, state) }

// An Expansion is where the transitions of some states lead. It is valid until the worker is asked again.
type Expansion struct {
	To     []Halves // once for each transition that is not asleep
	Asleep []uint64 // what is asleep at each if it is found by that transition
	Ends   []int    // where the successors of each state end in To
	Counts []int    // how many transitions each state has, those that are asleep included

	next *tree.Expansion
}

// Quiescent reports whether state i has no transitions but the environment's.
func (x *Expansion) Quiescent(i int) bool { return x.next.Quiescent(i) }

// Expand returns the successors of states but for those by transitions that are asleep there: sets of classes of
// transitions, which are the same in all processes, and empty at an initial state. A state that is found by several
// transitions from the level before sleeps with the union of what each of them gives it; a breadth-first search that
// expands every state once, at its level, then meets every state. If the system reports an error for a state, the
// expansion ends before that, and the error comes with it.
func (w *ExpanderWorker) Expand(states []Halves, asleep []uint64) (Expansion, error) {
	err := w.tree.Expand(states, asleep, &w.next)
	return Expansion{w.next.To, w.next.Asleep, w.next.Ends, w.next.Counts, &w.next}, err
}
