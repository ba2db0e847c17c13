package experiment

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/model/compile"
)

// A Question is what to find out beside the counts.
type Question struct {
	Quotient string // the equivalence to minimize by; "" to leave that out
}

// Run explores an instance and answers q. An outcome that is not complete is not an error.
func (i *Instance) Run(ctx context.Context, opt explore.Options, q Question) (*Outcome, error) {
	sys, err := Build(i.Protocol, compile.Options{}, i.Reduction, i.Symmetry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name(), err)
	}
	result, err := explore.Run(ctx, sys, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name(), err)
	}
	o := newOutcome(result)
	if !o.Complete {
		return o, nil
	}
	if q.Quotient != "" {
		if o.Quotient, err = minimize(ctx, sys, q.Quotient); err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name(), err)
		}
	}
	return o, nil
}
