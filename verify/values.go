package verify

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A classifier divides the states that a search meets by the outcomes of the properties in them.
type classifier interface {
	Leaf(slot int) func(v model.Value) uint32
	Join(first, mid, end int) func(left, right uint32) uint32
	// outcomes returns those in the states of a class, by property.
	outcomes(class uint32) []outcome
	// classes returns how many there are.
	classes() int
}

// maxValueProperties is how many properties a system of values can have.
const maxValueProperties = 64

// A valueObserver classifies the states of a system of one slot, about which properties are functions of Go: by the set
// of the properties that hold.
type valueObserver struct {
	properties int
	holds      func(property int, v model.Value) bool
	sets       intern.Values[uint64]
}

// Leaf implements explore.Observer.
func (o *valueObserver) Leaf(int) func(v model.Value) uint32 {
	return func(v model.Value) uint32 {
		var set uint64
		for i := range o.properties {
			if o.holds(i, v) {
				set |= 1 << i
			}
		}
		return o.sets.Number(set)
	}
}

// Join implements explore.Observer. What is right of the slot is nothing.
func (o *valueObserver) Join(_, _, _ int) func(left, right uint32) uint32 {
	return func(left, _ uint32) uint32 { return left }
}

func (o *valueObserver) outcomes(class uint32) []outcome {
	set := *o.sets.At(class)
	all := make([]outcome, o.properties)
	for i := range all {
		all[i].value = int64(set >> i & 1)
	}
	return all
}

func (o *valueObserver) classes() int { return o.sets.Len() }
