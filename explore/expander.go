package explore

import (
	"context"

	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// An Expander generates successors for a search that keeps its states itself, on other machines for example. A state is
// a pair of numbers: one for the slots before Split, one for the others. The numbers are valid for one Expander only.
// It stores the values and the transitions of halves, so states that share a half are cheap to expand.
//
// It is safe for concurrent use by its Workers. Its methods other than Split, Bytes, Classes and Worker are for the
// searches of this package.
type Expander = tree.Store

// An ExpanderWorker is the access of one goroutine to an Expander.
//
// Expand sets an Expansion to the successors of states, except by transitions that are asleep there. Sleep sets are
// sets of classes of transitions, which are the same in all operating-system processes. An initial state has the empty
// sleep set. If several transitions from the level before find a state, its sleep set is the union of the sets that
// they give it. A breadth-first search that expands every state once, at its level, then finds every state. If the
// system reports an error for a state, the expansion ends before that, and the error comes with it.
type ExpanderWorker = tree.Worker

// An Expansion holds the successors of some states.
type Expansion = tree.Expansion

// Classes are those into which an Observer divides the states of an Expander. They are safe for concurrent use.
type Classes = tree.Classes

// Halves are the numbers of the two halves of a state: left number times 2^32, plus right number.
type Halves = tree.StateID

// NewExpander returns an Expander for the states of a system, and an error unless the system is valid.
func NewExpander(sys model.System) (*Expander, error) {
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	return tree.NewStore(context.Background(), sys, nil, nil), nil
}
