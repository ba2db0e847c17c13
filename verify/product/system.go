package product

import (
	"context"

	"ringcheck/explore"
)

// A System is a transition system that is explored state by state: an explore.Graph whose tags are numbers of kinds.
// Every state has a transition.
type System interface {
	Places() uint64
	// States returns the number of states. They are numbered in the order of sweeps.
	States() uint64
	// Has reports whether a place below Places has a state.
	Has(place uint64) bool
	Initial() []uint64
	// Kinds returns the kinds of transitions, by tag.
	Kinds() []Kind
	// FreeBytes returns the number of bytes that are available.
	FreeBytes() uint64
	// Sweep calls visit, from several goroutines, with the selected states: level by level from the first to the last,
	// or backward.
	Sweep(ctx context.Context, backward bool, selected explore.Selection, visit func(v *explore.Vertex)) error
	// Hold prepares for many sweeps.
	Hold(ctx context.Context) error
	// Expand calls visit with the states at some places, in order, without their numbers.
	Expand(places []uint64, visit func(v *explore.Vertex)) error
}

// A Kind has the properties of a transition that fairness and formulas depend on, without its target.
type Kind struct {
	Process int    // that takes it; negative if none does
	Action  string // its name
	// Receiver is one more than the process that receives a message of Process in the same step, 0 if none does.
	Receiver int
	// Draw is above 0 if it is an outcome of a draw. Consecutive transitions of a state with the same Draw are one
	// distribution.
	Draw int
}

// Over is the Action of the loops at the states in which a run can end.
const Over = "over"
