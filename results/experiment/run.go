package experiment

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/compile"
)

// A Question is what to find out beside the counts.
type Question struct {
	Quotient string // the equivalence to minimize by; "" to leave that out
}

// Run explores an instance and answers q. An outcome that is not complete is not an error. Under OnTheFly one worker
// explores, for the internal states depend on the order.
func (i *Instance) Run(ctx context.Context, opt explore.Options, q Question) (*Outcome, error) {
	o, err := i.run(ctx, opt, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name(), err)
	}
	return o, nil
}

func (i *Instance) run(ctx context.Context, opt explore.Options, q Question) (*Outcome, error) {
	compiled, err := compile.New(i.Protocol, compile.Options{})
	if err != nil {
		return nil, err
	}
	sys, err := Build(compiled, i.Reduction, i.Symmetry)
	if err != nil {
		return nil, err
	}
	if i.Reduction == OnTheFly {
		opt.Workers = 1
	}
	result, err := explore.Run(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	o := newOutcome(sys, result)
	if o.Complete {
		err = o.answer(ctx, sys, q)
	}
	return o, err
}

// answer answers a question about a system that is explored.
func (o *Outcome) answer(ctx context.Context, sys model.System, q Question) (err error) {
	if q.Quotient != "" {
		o.Quotient, err = minimize(ctx, sys, q.Quotient)
	}
	return err
}
