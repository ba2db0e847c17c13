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

// A Visibility reports which changes of a local state properties can observe, see confluence.Options.
type Visibility = func(before, after model.Value, moved bool) bool

// An Applied is a system with its reductions.
type Applied struct {
	model.System // the system to search; a model.Quotient under Rotation

	full            *compile.System
	prioritized     *confluence.Prioritized // nil under NoReduction
	representatives *representative.Reduced // nil unless OnTheFly
	quotient        *symmetry.Quotient      // nil unless Rotation
}

// Apply reduces sys as the search says. Properties that visible knows keep their values; it may be nil. Without a
// reduction, the assumption of the search is only checked. The error says why sys is not symmetric, wraps
// compile.ErrCoupled, or is the error of ctx.
//
// Under OnTheFly, groups are visited in the order of the linearised specification of Bakhshi et al. (2008), so that a
// search with one worker meets as many internal states as theirs.
func Apply(ctx context.Context, sys *compile.System, search Search, visible Visibility) (*Applied, error) {
	a := &Applied{System: sys, full: sys}
	assumed := search.Assume == NoConflict
	if search.Reduction != NoReduction || assumed {
		if err := sys.Uncoupled(); err != nil {
			return nil, fmt.Errorf("confluence: %w", err)
		}
	}
	if search.Reduction == NoReduction && assumed {
		a.System = confluence.Check(sys)
	}
	if search.Reduction != NoReduction {
		a.prioritized = confluence.Prioritize(sys, confluence.Options{NoConflict: assumed, Seen: visible})
		a.System = a.prioritized
	}
	if search.Symmetry != NoSymmetry {
		q, err := symmetry.Rotation(ctx, a.System)
		if err != nil {
			return nil, fmt.Errorf("symmetry: %w", err)
		}
		a.quotient, a.System = q, q
	}
	if search.Reduction == OnTheFly {
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

// Actions returns the labels of the transitions of the full system that make up a transition with label l. Under
// OnTheFly it omits the transitions that lead to representatives.
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

// Quotient returns the quotient to search if its runs match the runs of the system state by state. It returns nil if
// the states are not orbits, or if a run passes orbits that are not states.
func (a *Applied) Quotient() *symmetry.Quotient {
	if a.representatives != nil {
		return nil
	}
	return a.quotient
}
