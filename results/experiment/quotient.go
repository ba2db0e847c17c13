package experiment

import (
	"context"
	"errors"
	"fmt"

	"ringcheck/bisim"
	"ringcheck/explore"
	"ringcheck/lts"
	"ringcheck/model"
)

// minimize returns the size of the quotient of sys by an equivalence, with all but visible events hidden.
func minimize(ctx context.Context, sys model.System, equivalence string) (*Quotient, error) {
	e, err := bisim.ParseEquivalence(equivalence)
	if err != nil {
		return nil, err
	}
	l, err := generate(ctx, sys)
	if err != nil {
		return nil, fmt.Errorf("minimizing: %w", err)
	}
	q, _, err := bisim.Minimize(ctx, l, e, bisim.Options{})
	if err != nil {
		return nil, fmt.Errorf("minimizing: %w", err)
	}
	return &Quotient{Equivalence: equivalence, States: uint64(q.States()), Transitions: uint64(q.Transitions())}, nil
}

// generate returns the transition system of sys. Several initial states are reached by a τ each from one that
// comes before them.
func generate(ctx context.Context, sys model.System) (*lts.LTS, error) {
	b := lts.NewBuilder()
	out := b.Appender()
	labels := make(map[model.Label]lts.Label)
	var initial []uint32
	result, err := explore.Walk(ctx, sys, explore.Options{MaxStates: lts.MaxStates - 1}, explore.Visitor{
		State: func(id uint64, level int, _ []model.Value) error {
			if level == 0 {
				initial = append(initial, uint32(id))
			}
			return nil
		},
		Transition: func(from uint64, step model.Step, to uint64) error {
			a, ok := labels[step.Label]
			if !ok {
				if info := sys.Label(step.Label); info.Visible {
					a = b.Label(info.Text)
				}
				labels[step.Label] = a
			}
			out.Add(uint32(from), lts.Edge{Label: a, To: uint32(to)})
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case !result.Complete():
		return nil, errors.New(result.Stop.String())
	case len(initial) == 1:
		return b.Build(initial[0], int(result.States))
	}
	for _, s := range initial {
		out.Add(uint32(result.States), lts.Edge{Label: lts.Tau, To: s})
	}
	return b.Build(uint32(result.States), int(result.States)+1)
}
