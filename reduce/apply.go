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

// A ReducedSystem is a system with its reductions.
type ReducedSystem struct {
	model.System // the system to search; a model.Quotient under a symmetry

	// Symmetry is the symmetry of the searched quotient.
	Symmetry Symmetry

	full              *compile.System
	prioritizedSystem *confluence.PrioritizedSystem // nil under NoReduction
	representatives   *representative.ReducedSystem // nil unless OnTheFly
	quotient          symmetry.Orbits               // nil without symmetry
}

// Apply reduces sys as the search says. Properties that visible knows keep their values; it may be nil. Without a
// reduction, the assumption of the search is only checked. The error says why sys is not symmetric, wraps
// compile.ErrCoupled, or is the error of ctx.
//
// Under OnTheFly, groups are visited in the order of the linearised specification of Bakhshi et al. (2008), so that a
// search with one worker meets as many internal states as theirs.
//
// The symmetry is not Auto. The permutations leave the values of invariants as they are, as far as that is possible:
// see symmetry.Find.
func Apply(
	ctx context.Context, sys *compile.System, search Search, visible Visibility, invariants ...symmetry.Invariant,
) (*ReducedSystem, error) {
	a := &ReducedSystem{System: sys, full: sys}
	assumed, permutes := search.Assume == NoConflict, search.Symmetry == Permutation
	if search.Reduction != NoReduction || assumed {
		if err := sys.CheckUncoupled(); err != nil {
			return nil, fmt.Errorf("confluence: %w", err)
		}
	}
	if search.Reduction == NoReduction && assumed {
		a.System = confluence.Check(sys, confluence.Options{Equal: permutes})
	}
	if search.Reduction != NoReduction {
		a.prioritizedSystem = confluence.Prioritize(sys,
			confluence.Options{NoConflict: assumed, Observes: visible, Equal: permutes})
		a.System = a.prioritizedSystem
	}
	if search.Symmetry != NoSymmetry && search.Symmetry != none {
		var err error
		if a.quotient, err = a.find(ctx, search.Symmetry, invariants); err != nil {
			return nil, fmt.Errorf("symmetry: %w", err)
		}
		a.System, a.Symmetry = a.quotient, search.Symmetry
	}
	if search.Reduction == OnTheFly {
		a.represent()
	}
	return a, nil
}

// find returns the quotient by a symmetry. Under Rotation, a reduced system is compared with its rotations while it is
// searched.
func (a *ReducedSystem) find(
	ctx context.Context, kind Symmetry, invariants []symmetry.Invariant,
) (symmetry.Orbits, error) {
	if a.System == model.System(a.full) {
		return symmetry.Find(ctx, a.full, symmetry.Options{Rotations: kind == Rotation, Invariants: invariants})
	}
	if kind == Permutation {
		q, err := symmetry.PermutationOf(ctx, a.full, a.System, invariants...)
		if err != nil {
			return nil, err
		}
		return q, nil
	}
	q, err := symmetry.Rotation(ctx, a.System)
	if err != nil {
		return nil, err
	}
	q.Automorphisms = symmetry.RotationsOf(a.full.Protocol())
	return q, nil
}

// logSymmetry logs which permutations are used, and what reduces them.
func (a *ReducedSystem) logSymmetry(search Search) {
	q := a.quotient
	if q == nil {
		return
	}
	directions := ""
	if n := q.Exchanges(); n > 0 {
		directions = fmt.Sprintf(", and %d of them directions", n)
	}
	search.Logf("symmetry: %d permutations, which exchange the processes of each of the sets %v%s", q.Order(),
		q.Orbits(), directions)
	for _, b := range q.Breaks() {
		search.Logf("symmetry: not all: %s", b)
	}
}

// Order returns the number of rotations or permutations of which one state is stored; 1 without symmetry.
func (a *ReducedSystem) Order() int {
	if a.quotient == nil {
		return 1
	}
	return a.quotient.Order()
}

// Unwrap returns the system to search.
func (a *ReducedSystem) Unwrap() model.System { return a.System }

// represent replaces the states of a.System by representatives.
func (a *ReducedSystem) represent() {
	sys, opt := representative.System(a.prioritizedSystem), representative.Options{}
	if a.quotient != nil {
		sys = a.quotient.(representative.System)
	} else {
		opt = representative.Options{Order: a.prioritizedSystem.LinearisedOrder(), LastFirst: true}
	}
	a.representatives = representative.Reduce(sys, opt)
	a.System = a.representatives
}

// Actions returns the labels of the transitions of the full system that make up a transition with label l. Under
// OnTheFly it omits the transitions that lead to representatives.
func (a *ReducedSystem) Actions(l model.Label) []model.Label {
	if a.prioritizedSystem == nil {
		return []model.Label{l}
	}
	return a.prioritizedSystem.Actions(l)
}

// ActionsComplete reports whether Actions covers all transitions of the full system so far.
func (a *ReducedSystem) ActionsComplete() bool {
	return a.prioritizedSystem == nil || a.representatives == nil && a.prioritizedSystem.ActionsComplete()
}

// InternalStates returns the number of states whose representative has been searched for so far, 0 unless OnTheFly.
// Under Rotation it counts orbits.
func (a *ReducedSystem) InternalStates() uint64 {
	if a.representatives == nil {
		return 0
	}
	return a.representatives.InternalStates()
}

// Quotient returns the quotient to search if its runs match the runs of the system state by state. It returns nil if
// the states are not orbits, or if a run passes orbits that are not states.
func (a *ReducedSystem) Quotient() symmetry.Orbits {
	if a.representatives != nil {
		return nil
	}
	return a.quotient
}
