//go:build invariants

package model

import (
	"math"
	"slices"
)

// Invariants says that checks are on that are too expensive for production.
const Invariants = true

// checkValues checks that an engine can tell the values from its own marks.
func checkValues(values []Value) error {
	for i, v := range values {
		if v == math.MaxUint32 {
			return invalid("value %d is %d, which is no value", i, v)
		}
	}
	return nil
}

// checkAnswer asks a system again, and checks that it answers the same and does not change its argument.
func checkAnswer(sys System, g int, in []Value, answer *Successors) error {
	var again Successors
	again.Reset(len(in))
	question := slices.Clone(in)
	if err := sys.Next(g, question, &again); err != nil {
		return invalid("group %d has transitions from %v, and when asked again the error %w", g, in, err)
	}
	if !slices.Equal(question, in) {
		return invalid("Next of group %d changes %v, its argument, to %v", g, in, question)
	}
	if !slices.Equal(again.steps, answer.steps) || !slices.Equal(again.values, answer.values) {
		return invalid("group %d has transitions from %v, and others when asked again", g, in)
	}
	return nil
}
