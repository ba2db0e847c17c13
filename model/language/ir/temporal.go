package ir

import (
	"errors"

	"ringcheck/model/language/syntax"
)

// The nodes of this file make up the formulas of LTL properties, together with And, Or, Implies, Not and quantifiers that range over
// constants; below them are expressions that speak of one state. A run goes on for ever: in a terminal state time passes and nothing
// happens.
type (
	// Temporal speaks of a run.
	Temporal struct {
		Op   TemporalOp
		X, Y Expr // Y is nil for Always, Eventually and Next
		Pos  syntax.Pos
	}
	// Happens holds of a run that begins with Event, of Process, of any process if that is nil.
	Happens struct {
		Event   *Event
		Process Expr
		Pos     syntax.Pos
	}
)

// A TemporalOp is an operator of linear-time temporal logic.
type TemporalOp int

// The temporal operators.
const (
	Always     TemporalOp = iota
	Eventually            // now or later
	Next                  // after one step
	Until                 // Y holds sometime, and X up to there
	Unless                // X holds until Y does, or for ever
	Releases              // Y holds up to and including where X does, or for ever
	LeadsTo               // always, if X holds, Y holds then or later
)

func (e *Temporal) Type() *Type { return BoolType() }
func (e *Happens) Type() *Type  { return BoolType() }

var errTemporal = errors.New("a temporal formula has no value in a state")

// Eval returns an error: one state does not tell.
func (e *Temporal) Eval(*Env) (int64, error) { return 0, errTemporal }

// Eval returns an error: one state does not tell.
func (e *Happens) Eval(*Env) (int64, error) { return 0, errTemporal }

// IsTemporal reports whether e speaks of runs.
func IsTemporal(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		switch e.(type) {
		case *Temporal, *Happens:
			found = true
		}
		return !found
	})
	return found
}

// FormulaParts returns the formulas that e joins; not ok if e is not temporal, or an event, or not a formula.
func FormulaParts(e Expr) (parts []Expr, ok bool) {
	if !IsTemporal(e) {
		return nil, false
	}
	switch e := e.(type) {
	case *Temporal:
		return Children(e), true
	case *Unary:
		return []Expr{e.X}, e.Op == Not
	case *Binary:
		return []Expr{e.X, e.Y}, e.Op == And || e.Op == Or || e.Op == Implies
	case *Quantifier:
		return []Expr{e.Body}, e.Op != Sum
	}
	return nil, false
}

// Fixed reports whether the quantifier ranges over the same values in every state.
func (e *Quantifier) Fixed() bool {
	if e.Over != nil {
		return false
	}
	_, lo := e.Lo.(*Const)
	_, hi := e.Hi.(*Const)
	return lo && hi
}

// Bind returns e with a constant in place of a variable.
func Bind(e Expr, v *Var, value int64) Expr {
	if ref, ok := e.(*VarRef); ok && ref.Var == v {
		return &Const{T: v.Type, Value: value}
	}
	parts := Children(e)
	if len(parts) == 0 {
		return e
	}
	bound, changed := make([]Expr, len(parts)), false
	for i, p := range parts {
		bound[i] = Bind(p, v, value)
		changed = changed || bound[i] != p
	}
	if !changed {
		return e
	}
	return WithChildren(e, bound)
}
