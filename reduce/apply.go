package reduce

import (
	"context"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
	"ringcheck/reduce/symmetry"
)

// A Level is an extent of confluence reduction.
type Level int

// The levels of reduction, each on top of the one before.
const (
	None     Level = iota
	Confelm        // confluent steps that are always enabled become part of the step before them
	OnTheFly       // only representatives remain
)

// Options select the reductions. The zero value selects none.
type Options struct {
	Level Level
	// NoConflict is assumed when deciding confluence, and checked; with Level None it is only checked. See
	// confluence.Options.
	NoConflict bool
	// Seen reports which changes of a local state properties can observe, see confluence.Options.
	Seen     func(before, after model.Value, moved bool) bool
	Rotation bool // store one state of each orbit under rotation
}

// An Applied is a system with its reductions.
type Applied struct {
	model.System // the system to search; a model.Quotient under Rotation

	full            *compile.System
	prioritized     *confluence.Prioritized // nil under None
	representatives *representative.Reduced // nil unless OnTheFly
	quotient        *symmetry.Quotient      // nil unless Rotation
}

// Apply reduces sys. The error says why sys is not symmetric, wraps compile.ErrCoupled, or is that of ctx.
//
// Under OnTheFly, groups are visited in the order of the linearised specification of Bakhshi et al. (2008), so that a
// search with one worker meets as many internal states as theirs.
func Apply(ctx context.Context, sys *compile.System, opt Options) (*Applied, error) {
	a := &Applied{System: sys, full: sys}
	if opt.Level != None || opt.NoConflict {
		if err := sys.Uncoupled(); err != nil {
			return nil, fmt.Errorf("confluence: %w", err)
		}
	}
	if opt.Level == None && opt.NoConflict {
		a.System = confluence.Check(sys)
	}
	if opt.Level != None {
		a.prioritized = confluence.Prioritize(sys, confluence.Options{NoConflict: opt.NoConflict, Seen: opt.Seen})
		a.System = a.prioritized
	}
	if opt.Rotation {
		q, err := symmetry.Rotation(ctx, a.System)
		if err != nil {
			return nil, fmt.Errorf("symmetry: %w", err)
		}
		a.quotient, a.System = q, q
	}
	if opt.Level == OnTheFly {
		a.represent()
	}
	return a, nil
}

// Unwrap returns the system to search.
func (a *Applied) Unwrap() model.System { return a.System }

// represent replaces the states of a.System by representatives.
func (a *Applied) represent() {
	if a.quotient == nil {
		opt := representative.Options{Order: a.prioritized.Linearised(), LastFirst: true}
		a.representatives = representative.Reduce(a.prioritized, opt)
		a.System = a.representatives
		return
	}
	a.representatives = representative.Reduce(a.quotient, representative.Options{})
	a.System = a.representatives
}

// Actions returns the labels of the transitions of the full system that a transition with label l stands for; under
// OnTheFly, without those that lead to representatives.
func (a *Applied) Actions(l model.Label) []model.Label {
	if a.prioritized == nil {
		return []model.Label{l}
	}
	return a.prioritized.Actions(l)
}

// Told reports whether Actions covers all transitions of the full system so far.
func (a *Applied) Told() bool {
	return a.prioritized == nil || a.representatives == nil && a.prioritized.Told()
}

// InternalStates returns the number of states whose representative has been searched for so far, 0 unless OnTheFly.
// Under Rotation it counts orbits.
func (a *Applied) InternalStates() uint64 {
	if a.representatives == nil {
		return 0
	}
	return a.representatives.InternalStates()
}

// Quotient returns the quotient to search, if its runs are those of the system state by state. It returns nil if the
// states are not orbits, or not all orbits that a run passes.
func (a *Applied) Quotient() *symmetry.Quotient {
	if a.representatives != nil {
		return nil
	}
	return a.quotient
}
