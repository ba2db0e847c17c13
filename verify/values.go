package verify

import (
	"sync"

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

// A valueObserver classifies the states of a system of one slot, about which properties are functions of Go.
type valueObserver struct {
	properties int
	holds      func(property int, v model.Value) bool

	mu      sync.Mutex
	numbers map[uint64]uint32 // by the set of the properties that hold
	sets    []uint64
}

func newValueObserver(properties int, holds func(property int, v model.Value) bool) *valueObserver {
	return &valueObserver{properties: properties, holds: holds, numbers: make(map[uint64]uint32)}
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
		o.mu.Lock()
		defer o.mu.Unlock()
		class, ok := o.numbers[set]
		if !ok {
			class = uint32(len(o.sets))
			o.numbers[set], o.sets = class, append(o.sets, set)
		}
		return class
	}
}

// Join implements explore.Observer. What is right of the slot is nothing.
func (o *valueObserver) Join(_, _, _ int) func(left, right uint32) uint32 {
	return func(left, _ uint32) uint32 { return left }
}

func (o *valueObserver) outcomes(class uint32) []outcome {
	o.mu.Lock()
	set := o.sets[class]
	o.mu.Unlock()
	all := make([]outcome, o.properties)
	for i := range all {
		all[i].value = int64(set >> i & 1)
	}
	return all
}

func (o *valueObserver) classes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sets)
}
