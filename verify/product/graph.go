package product

import (
	"context"
	"errors"

	"ringcheck/explore"
)

// ErrTooLarge means that a product has more nodes than can be numbered, or that there are more things to be fair to than can be told apart.
var ErrTooLarge = errors.New("too large for a search for cycles")

// ErrMemory means that there is no room for what is to be known of the nodes.
var ErrMemory = errors.New("memory budget reached")

// A System is a transition system that is looked at state by state: an explore.Graph, of which the tags are numbers of kinds, and every
// state has a transition.
type System interface {
	Places() uint64
	// Has reports whether there is a state with a place below Places.
	Has(place uint64) bool
	Initial() []uint64
	// Kinds returns what is known of transitions, by tag.
	Kinds() []Kind
	// Room returns how many more bytes may be held.
	Room() uint64
	// Sweep calls visit, from several goroutines, with the states that are wanted: from those that are reached last to the first, or the other way.
	Sweep(ctx context.Context, backward bool, wanted func(place uint64) bool, visit func(v *explore.Vertex)) error
	// Expand calls visit with the states at some places, in order.
	Expand(places []uint64, visit func(v *explore.Vertex))
}

// A Kind is what matters of a transition but for its target.
type Kind struct {
	Process int    // who takes it; negative if nobody
	Action  string // what it is
	// Draw is above 0 if it is an outcome of a draw: those of a state that follow one another with the same Draw are one distribution.
	Draw int
}

// Over is the Action of what is added to terminal states: nothing happens any more.
const Over = "over"

// distribution returns up to where the transitions of v from the first on are outcomes of one draw.
func (m *multiplication) distribution(v *explore.Vertex, first int) (end int) {
	draw := m.kinds[v.Tags[first]].Draw
	for end = first + 1; draw > 0 && end < len(v.Tags) && m.kinds[v.Tags[end]].Draw == draw; end++ {
	}
	return end
}
