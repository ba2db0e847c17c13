// Package distinct merges transitions, and choices with the same transitions, that differ in a system but are equal in
// its reduction.
package distinct

import (
	"slices"

	"ringcheck/model"
)

// A Set collects the transitions of a group for one valuation of its slots. The zero value is ready for use; Reset
// keeps the memory.
type Set struct {
	width  int
	steps  []model.Step
	values []model.Value
}

// Reset empties s and sets the number of values per target.
func (s *Set) Reset(width int) { s.width, s.steps, s.values = width, s.steps[:0], s.values[:0] }

func (s *Set) target(i int) []model.Value { return s.values[i*s.width : (i+1)*s.width] }

// Add adds a transition. If its choice already has one with the same label and target, their weights add up.
func (s *Set) Add(step model.Step, target []model.Value) {
	for i := len(s.steps) - 1; i >= 0 && s.steps[i].Choice == step.Choice; i-- {
		if s.steps[i].Label != step.Label || !slices.Equal(s.target(i), target) {
			continue
		}
		if sum, ok := s.steps[i].Weight.Plus(step.Weight); ok {
			s.steps[i].Weight = sum
			return
		}
	}
	s.steps = append(s.steps, step)
	s.values = append(s.values, target...)
}

// Len returns the number of transitions that Each visits.
func (s *Set) Len() (n int) {
	s.Each(func(model.Step, []model.Value) { n++ })
	return n
}

// A choice is a run of transitions.
type choice struct{ from, to int }

// Each calls visit with the transitions of the distinct choices, which are numbered from 0 on.
func (s *Set) Each(visit func(step model.Step, target []model.Value)) {
	number := uint32(0)
	for c := s.choiceFrom(0); c.from < len(s.steps); c = s.choiceFrom(c.to) {
		if s.repeated(c) {
			continue
		}
		for i := c.from; i < c.to; i++ {
			step := s.steps[i]
			step.Choice, step.Repeated = number, s.met(c.from, i)
			visit(step, s.target(i))
		}
		number++
	}
}

// met reports whether a transition with an index below before is equal to transition i.
func (s *Set) met(before, i int) bool {
	for j := range before {
		if s.steps[j].Label == s.steps[i].Label && slices.Equal(s.target(j), s.target(i)) {
			return true
		}
	}
	return false
}

// choiceFrom returns the choice that begins at from.
func (s *Set) choiceFrom(from int) choice {
	to := from
	for to < len(s.steps) && s.steps[to].Choice == s.steps[from].Choice {
		to++
	}
	return choice{from, to}
}

// repeated reports whether an earlier choice has the same transitions as c.
func (s *Set) repeated(c choice) bool {
	for d := s.choiceFrom(0); d.from < c.from; d = s.choiceFrom(d.to) {
		if s.sameTransitions(c, d) {
			return true
		}
	}
	return false
}

func (s *Set) sameTransitions(c, d choice) bool {
	if c.to-c.from != d.to-d.from {
		return false
	}
	for i := c.from; i < c.to; i++ {
		if !s.contains(d, i) {
			return false
		}
	}
	return true
}

// contains reports whether choice d has a transition equal to i.
func (s *Set) contains(d choice, i int) bool {
	for j := d.from; j < d.to; j++ {
		if s.steps[i].Label == s.steps[j].Label && s.steps[i].Weight == s.steps[j].Weight &&
			slices.Equal(s.target(i), s.target(j)) {
			return true
		}
	}
	return false
}
