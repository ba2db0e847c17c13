package experiment

import (
	"fmt"

	"ringcheck/model"
	"ringcheck/model/compile"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
	"ringcheck/reduce/symmetry"
)

// Build returns sys made smaller by a reduction, and then by a symmetry. The error says why that cannot be done.
//
// Under OnTheFly the order in which things are looked at is that of the linearised specification of Bakhshi et al.
// (2008), so that a search with one worker meets as many internal states as it did there.
func Build(sys *compile.System, r Reduction, s Symmetry) (model.System, error) {
	smaller := reduced(sys, r)
	if s == NoSymmetry {
		return smaller, nil
	}
	q, err := symmetry.Rotation(smaller)
	if err != nil {
		return nil, fmt.Errorf("symmetry %s: %w", s, err)
	}
	return q, nil
}

func reduced(sys *compile.System, r Reduction) model.System {
	if r == NoReduction {
		return sys
	}
	p := confluence.Prioritize(sys, confluence.Options{})
	if r == Confelm {
		return p
	}
	return representative.Reduce(p, representative.Options{Order: p.Linearised(), LastFirst: true})
}

// InternalStates returns for how many states a system from Build has looked for a representative, 0 if it does not do
// that.
func InternalStates(sys model.System) uint64 {
	if r := representatives(sys); r != nil {
		return r.InternalStates()
	}
	return 0
}

// Bytes returns the memory that a system from Build holds, apart from what a search of it does.
func Bytes(sys model.System) uint64 {
	if r := representatives(sys); r != nil {
		return uint64(r.Bytes())
	}
	return 0
}

func representatives(sys model.System) *representative.Reduced {
	if q, ok := sys.(*symmetry.Quotient); ok {
		sys = q.System
	}
	r, _ := sys.(*representative.Reduced)
	return r
}
