package experiment

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
)

// A Question is what to find out beside the counts.
type Question struct {
	Properties []string // names of properties to decide
	Quotient   string   // the equivalence to minimize by; "" to leave that out
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
	if err := i.CheckProperties(q.Properties); err != nil {
		return nil, err
	}
	compiled, err := compile.New(i.Protocol, compile.Options{})
	if err != nil {
		return nil, err
	}
	sys, err := i.apply(ctx, compiled)
	if err != nil {
		return nil, err
	}
	if i.Reduction == OnTheFly {
		opt.Workers = 1
	}
	result, err := explore.Run(ctx, sys.System, opt)
	if err != nil {
		return nil, err
	}
	o := newOutcome(sys, result)
	if o.Complete && len(q.Properties) > 0 {
		if o.Properties, err = i.decide(ctx, compiled, opt, q.Properties); err != nil {
			return nil, err
		}
	}
	if o.Complete && q.Quotient != "" {
		if o.Quotient, err = minimize(ctx, sys.System, opt, q.Quotient); err != nil {
			return nil, err
		}
	}
	o.miss(q)
	return o, nil
}

// miss notes that not all of q is answered.
func (o *Outcome) miss(q Question) {
	if o.Complete && (len(o.Properties) < len(q.Properties) || q.Quotient != "" && o.Quotient == nil) {
		o.Complete, o.Stopped = false, "stopped before all questions were answered"
	}
}
