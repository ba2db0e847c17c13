package reduction

import "ringcheck/model"

// A RepresentativeSystem is a System whose states are representatives of the states of another system.
type RepresentativeSystem interface {
	// Unreduced returns the other system. The label of a step is a tag for its Representatives.
	Unreduced() model.System
	// Representatives returns a function that makes a Representer for each goroutine of a search. The Representers
	// share what they compute. The function is safe for concurrent use.
	Representatives() func(Space) Representer
}

// A Representer computes the transitions of the system of representatives.
type Representer interface {
	// Follow calls visit with the transitions of representatives, given by their numbers, one representative after the
	// other; i is the index of the representative. It returns the number of representatives that it has followed: all,
	// unless there is an error.
	Follow(states []uint64, visit func(i int, step model.Step, to uint64)) (int, error)
}

// A Space has the states of an unreduced system for one goroutine, by numbers that are the same for all goroutines.
type Space interface {
	// Number returns the number of a state.
	Number(state []model.Value) uint64
	// Read writes the state with a number to state.
	Read(number uint64, state []model.Value)
	// Next makes out the transitions of states, or only the confluent ones, whose tags have SleepTag.Bit 0. Transitions
	// of a group are in order. If the system reports an error for a state, out.Ends stops short of it.
	Next(states []uint64, confluent bool, out *Arrows) error
}

// Arrows are the transitions of some states, one state after the other.
type Arrows struct {
	All  []Arrow
	Ends []int // by state: the end of its transitions in All
}

// An Arrow is a transition in a Space.
type Arrow struct {
	Tag SleepTag // the label of the step
	To  uint64
}
