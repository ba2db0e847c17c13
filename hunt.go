package ringcheck

import (
	"context"

	"ringcheck/verify/hunt"
)

// A Hunted is the report of Hunt: what was tried.
type Hunted = hunt.Report

// Hunt looks for a run that violates an invariant or a terminal property in a system with too many states for
// Counterexample, see hunt.Search.
func Hunt(
	ctx context.Context, sys *System, properties []string, seed uint64, search Search,
) (*Run, *Hunted, error) {
	t, err := newStepwiseTask(sys, search)
	if err == nil {
		err = t.Choose(properties, "")
	}
	if err != nil {
		return nil, nil, err
	}
	run, r, err := hunt.Search(ctx, t.Subject, seed)
	return run, r, propertyError(err)
}
