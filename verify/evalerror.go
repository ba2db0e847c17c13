package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// An EvalError says that a property has no value in some state where it needs one.
type EvalError struct {
	Property *ir.Property
	Err      error // an *ir.Error

	// The following are set if a search met such states.
	Body  ir.Expr       // the part of the property that has no value; nil if it is the reward of a step
	Level int           // the length of a shortest run to such a state
	State []model.Value // the last state of that run, a state of the protocol

	searchedState []model.Value  // the state of the searched system for State
	moves         []explore.Move // after a symbolic search, that run of the searched system
}

func (e *EvalError) Error() string {
	text := fmt.Sprintf("property %s: %v", e.Property.Name, e.Err)
	if place := e.Position(); place != "" {
		return place + ": " + text
	}
	return text
}

func (e *EvalError) Unwrap() error { return e.Err }

// Position returns the position of the part without a value, as file:line:column; "" if it is unknown.
func (e *EvalError) Position() string {
	var at *ir.Error
	if errors.As(e.Err, &at) {
		return at.Pos.String()
	}
	return ""
}

// ModelError returns the error in the form of reports.
func (e *EvalError) ModelError() *model.Error {
	return &model.Error{Place: e.Position(), Process: -1, Message: e.Err.Error()}
}

// NewEvalError returns the error for a state of the searched system, which a run of the given length reaches.
func (s Verifier) NewEvalError(p *ir.Property, body ir.Expr, err error, level int, state []model.Value) *EvalError {
	return &EvalError{Property: p, Err: err, Body: body, Level: level, State: s.decode(state), searchedState: state}
}

// recordError records that a part of the property has no value in some states.
func (v *Judgment) recordError(of Verifier, s *explore.Sighting, body ir.Expr, err error) {
	if v.EvalError == nil || earlier(of.searched(), s, v.EvalError.Level, v.EvalError.searchedState) {
		v.EvalError = of.NewEvalError(v.Property, body, err, s.Level, s.State)
	}
}

// undefinedAtoms records for each LTL property the states in which an atom has no value.
func (c *checker) undefinedAtoms(r *Result) {
	for i, t := range c.temporal {
		if t == nil {
			continue
		}
		for class := range r.Search.Classes {
			seen := relevant(property.LTL, &r.Search.Classes[class])
			if seen.Count == 0 {
				continue
			}
			outcomes := c.observer.outcomes(uint32(class))[t.bodies:]
			for k, body := range t.predicates() {
				if outcomes[k].err != nil {
					r.Judgments[i].recordError(c.verifier, seen, body, outcomes[k].err)
				}
			}
		}
	}
}

// ErrorRun returns a shortest run of the protocol to the state of an error that a search met. It searches for it with
// the options, unless the search was symbolic.
func (s Verifier) ErrorRun(ctx context.Context, e *EvalError, opt explore.Options) (*Run, error) {
	p := *e.Property
	p.Body = e.Body
	if !p.Kind.OfEnds() { // a state decides, whatever the kind
		p.Kind = property.Invariant
	}
	moves, err := e.moves, error(nil)
	if moves == nil {
		moves, err = explore.Path(ctx, s.searched(), opt,
			func(_ int, state []model.Value) bool { return slices.Equal(state, e.searchedState) })
	}
	if err == nil {
		moves, err = s.lift(moves, e.State)
	}
	if err == nil {
		moves, err = s.unreduce(ctx, &p, moves)
	}
	if err != nil {
		return nil, err
	}
	return &Run{Property: &p, EvalError: e, Moves: moves}, nil
}
