package experiment

import (
	"errors"

	"ringcheck/model"
	"ringcheck/model/compile"
	"ringcheck/model/ir"
)

// ErrUnavailable means that a reduction or symmetry does not exist yet.
var ErrUnavailable = errors.New("not available")

// Build returns the transition system of p, made smaller by a reduction and a symmetry.
func Build(p *ir.Protocol, limits compile.Options, r Reduction, s Symmetry) (model.System, error) {
	if r != NoReduction || s != NoSymmetry {
		return nil, ErrUnavailable
	}
	return compile.New(p, limits)
}
