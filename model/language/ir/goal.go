package ir

import (
	"errors"
	"fmt"
)

// A Goal is reached by a run that has one of some events, or a state that satisfies one of some formulas.
type Goal struct {
	Formula *Formula
	Events  []*Event
	States  []*Formula // without events
}

// A GoalError reports a formula that is not a goal.
type GoalError struct {
	Formula *Formula
	Reason  string
}

func (e *GoalError) Error() string { return fmt.Sprintf("%s: %s", e.Formula.Pos, e.Reason) }

// A ValueError says that a part of a goal has no value in a state.
type ValueError struct {
	Part Expr
	Err  error
}

func (e *ValueError) Error() string { return e.Err.Error() }
func (e *ValueError) Unwrap() error { return e.Err }

// NewGoal splits a disjunction into events and formulas of states. The error is a *GoalError.
func NewGoal(f *Formula) (*Goal, error) {
	g := &Goal{Formula: f}
	if err := g.collect(f); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Goal) collect(f *Formula) error {
	switch {
	case !f.Propositional():
		return &GoalError{f, "a goal must be a predicate of states and events, without temporal operators"}
	case f.Op == EventAtom:
		g.Events = append(g.Events, f.Event)
		return nil
	case f.Op == Disjunction:
		return errors.Join(g.collect(f.X), g.collect(f.Y))
	}
	g.States = append(g.States, f)
	return ofStates(f)
}

// ofStates returns an error if a formula contains an event.
func ofStates(f *Formula) error {
	switch {
	case f == nil:
		return nil
	case f.Op == EventAtom:
		return &GoalError{f, "in a goal, an event must be the whole goal or an alternative: E happens or …"}
	}
	return errors.Join(ofStates(f.X), ofStates(f.Y))
}

// Holds reports whether the state of an environment satisfies one of the formulas: if the run goes on, and if it ends
// there. The error is a *ValueError.
func (g *Goal) Holds(env *Env) (running, ended bool, err error) {
	for _, f := range g.States {
		now, last, err := f.holds(env)
		if err != nil {
			return false, false, err
		}
		running, ended = running || now, ended || last
	}
	return running, ended, nil
}

// holds evaluates a formula of states.
func (f *Formula) holds(env *Env) (running, ended bool, err error) {
	switch f.Op {
	case StateAtom:
		value, err := f.State.Eval(env)
		if err != nil {
			return false, false, &ValueError{f.State, err}
		}
		return value != 0, value != 0, nil
	case TerminalAtom:
		return false, true, nil
	case Negation:
		x, xEnded, err := f.X.holds(env)
		return !x, !xEnded, err
	case Conjunction, Disjunction, Implication:
		return f.evalOperands(env)
	case EventAtom, Next, Always, Eventually, Until, Unless, Releases: // of steps: NewGoal refuses them
	}
	panic("ir: a goal that depends on steps is evaluated in a state")
}

// evalOperands evaluates the operands of a formula as holds does, and joins their values.
func (f *Formula) evalOperands(env *Env) (running, ended bool, err error) {
	x, xEnded, err := f.X.holds(env)
	if err != nil {
		return false, false, err
	}
	y, yEnded, err := f.Y.holds(env)
	if f.Op == Implication {
		x, xEnded = !x, !xEnded
	}
	if f.Op == Conjunction {
		return x && y, xEnded && yEnded, err
	}
	return x || y, xEnded || yEnded, err
}
