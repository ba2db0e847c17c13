package experiment

import (
	"context"
	"fmt"

	"ringcheck/bisim"
	"ringcheck/explore"
	"ringcheck/lts"
	"ringcheck/model"
)

// A Quotient is the size of a minimized system.
type Quotient struct {
	Equivalence string `json:"equivalence"` // "strong", "branching" or "divergence"
	States      uint64 `json:"states"`
	Transitions uint64 `json:"transitions"`
}

func (q Quotient) String() string {
	return fmt.Sprintf("%d states and %d transitions modulo %s bisimilarity", q.States, q.Transitions, q.Equivalence)
}

// minimize returns the size of the quotient of sys by an equivalence, with all but visible events hidden; nil if
// the search stopped early.
func minimize(ctx context.Context, sys model.System, opt explore.Options, equivalence string) (*Quotient, error) {
	e, err := bisim.ParseEquivalence(equivalence)
	if err != nil {
		return nil, err
	}
	l, result, err := explore.Generate(ctx, sys, opt, visible)
	if err != nil {
		return nil, fmt.Errorf("minimizing: %w", err)
	}
	if !result.Complete() {
		return nil, nil
	}
	q, _, err := bisim.Minimize(ctx, l, e, bisim.Options{Workers: opt.Workers})
	if err != nil {
		return nil, fmt.Errorf("minimizing: %w", err)
	}
	return &Quotient{Equivalence: equivalence, States: uint64(q.States()), Transitions: uint64(q.Transitions())}, nil
}

// visible hides all but visible events.
func visible(l model.LabelInfo) string {
	if l.Visible {
		return l.Text
	}
	return lts.TauName
}
