package model

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
)

// ErrInvalid means that a System violates the contract of the interface, so that its counts are meaningless.
var ErrInvalid = errors.New("the system is invalid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}

// Validate checks the shape of sys: the slots of each group exist and ascend. Every engine calls it before it explores;
// CheckInitial and Successors.Check check the rest on the way. The error is ErrInvalid.
func Validate(sys System) error {
	n := len(sys.Slots())
	for i, g := range sys.Groups() {
		before := -1
		for _, s := range g.Slots {
			switch {
			case s < 0 || s >= n:
				return invalid("group %d (%s) has slot %d, and there are slots 0 to %d", i, g.Name, s, n-1)
			case s == before:
				return invalid("group %d (%s) has slot %d twice", i, g.Name, s)
			case s < before:
				return invalid("group %d (%s) has slot %d after slot %d: slots must ascend", i, g.Name, s, before)
			}
			before = s
		}
	}
	return nil
}

// CheckInitial checks an initial state of a system with the given number of slots. The error is ErrInvalid.
func CheckInitial(state []Value, slots int) error {
	if len(state) != slots {
		return invalid("an initial state has %d values, and there are %d slots", len(state), slots)
	}
	return checkValues(state)
}

// Check checks the transitions from number first on, which one call of Next has added: choices ascend, and the weights
// of each are probabilities that add up to 1. The build tag invariants has the values checked, too. The error is
// ErrInvalid.
func (s *Successors) Check(first int) error {
	for begin, i := first, first; i < len(s.steps); begin = i {
		choice := s.steps[begin].Choice
		if begin > first && choice < s.steps[begin-1].Choice {
			return invalid("a transition of choice %d comes after one of choice %d", choice, s.steps[begin-1].Choice)
		}
		for i < len(s.steps) && s.steps[i].Choice == choice {
			i++
		}
		if err := checkWeights(s.steps[begin:i]); err != nil {
			return err
		}
	}
	return checkValues(s.values[first*s.width:])
}

// Ask is Next with its answer checked; engines call it. With the build tag invariants it asks twice and compares.
func Ask(sys System, g int, in []Value, out *Successors) error {
	out.Reset(len(in))
	if err := sys.Next(g, in, out); err != nil {
		return err
	}
	if err := out.Check(0); err != nil {
		return fmt.Errorf("group %d: %w", g, err)
	}
	return checkAnswer(sys, g, in, out)
}

// checkWeights checks the weights of one choice.
func checkWeights(steps []Step) error {
	if len(steps) == 1 && steps[0].Weight == Certain {
		return nil
	}
	sum, fits := Weight{0, 1}, true
	for _, step := range steps {
		w := step.Weight
		if w.Num == 0 || w.Den == 0 || w.Num > w.Den {
			return invalid("a transition has the weight %d/%d, which is no probability above 0", w.Num, w.Den)
		}
		if fits {
			sum, fits = sum.Plus(w)
		}
	}
	if fits && sum == Certain {
		return nil
	}
	return checkSum(steps)
}

// checkSum adds up the weights of a choice whatever the denominators.
func checkSum(steps []Step) error {
	sum := new(big.Rat)
	for _, step := range steps {
		sum.Add(sum, big.NewRat(int64(step.Weight.Num), int64(step.Weight.Den)))
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return invalid("the weights of a choice add up to %s", sum.RatString())
	}
	return nil
}

// Each calls visit with the transitions of a state, group by group, and their targets, valid during the call, until it
// returns false. It leaves out groups that report an error and returns the first such error.
func Each(sys System, state []Value, visit func(g int, step Step, to []Value) bool) error {
	to := make([]Value, len(state))
	cursor := NewCursor(sys)
	var failed error
	for g := range sys.Groups() {
		failed = cmp.Or(failed, cursor.Next(g, state))
		for i := range cursor.Len() {
			copy(to, state)
			cursor.Take(i, to)
			if !visit(g, cursor.Step(i), to) {
				return failed
			}
		}
	}
	return failed
}

// Quiescent reports whether a state is quiescent (only the environment has transitions there, so a run can end) and
// whether it is terminal (it has no transitions).
func Quiescent(sys System, state []Value) (quiescent, terminal bool, err error) {
	groups := sys.Groups()
	quiescent, terminal = true, true
	err = Each(sys, state, func(g int, _ Step, _ []Value) bool {
		quiescent, terminal = groups[g].Environment, false
		return quiescent
	})
	return quiescent, terminal, err
}
