package verify

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify/product"
)

// A Prioritized is a system with fewer states, in which confluent steps are part of the step before them: see
// confluence.Prioritized.
type Prioritized interface {
	model.System
	Settled(slot int, v model.Value) bool
	Actions(l model.Label) []model.Label
}

// holdsPrioritized reports whether the Prioritized system shows that a property of a large system holds: whether a
// search finds no lasso there, even if runs need not be fair. If it finds one, the property may still hold. Small
// systems are left to a search that can be repeated for the vacuity of the property: see superfluous.
func (c *checker) holdsPrioritized(ctx context.Context, t *temporal, s product.Search) (bool, error) {
	if c.verifier.Prioritize == nil || s.System.States() <= maxRechecked || !t.formula.Inert(t.stepAtoms()) {
		return false, nil
	}
	lasso, err := c.lassoPrioritized(ctx, t, s)
	if undecided(err) {
		return false, nil
	}
	return err == nil && !lasso, err
}

// lassoPrioritized reports whether there is a lasso in the Prioritized system, or the system cannot be searched.
//
// Its states are taken from the search of the full system, and so is the order in which they are swept, in which few
// steps lead back. In Franklin's ring of five they are a third of the states, with a third of the transitions.
//
// The argument in visibility.go is about the states that the Prioritized system can reach. Here all settled states of
// the full system are searched. There may be more of them, but a lasso through such a state represents a run of the
// full system, which violates the property as well.
func (c *checker) lassoPrioritized(ctx context.Context, t *temporal, s product.Search) (lasso bool, err error) {
	seen, err := Seen(ctx, c.verifier.System, []*ir.Property{t.property}, c.verifier.Memory)
	if err != nil {
		return false, err
	}
	p, g := c.verifier.Prioritize(seen), s.System.(*graph)
	tag := func(group int, step model.Step) uint32 {
		step.Label = p.Actions(step.Label)[0]
		return g.tag(group, step) // the tag of a step of the full system, whose kind is in g.kinds
	}
	lasso = true
	steps := explore.Shortcuts{System: p, Has: p.Settled, Tag: tag}
	err = g.space.WithShortcuts(ctx, steps, func(along explore.Graph) (err error) {
		within := *g
		within.Graph = along
		if within.initial, err = along.Initial(); err != nil {
			return err
		}
		s.System, s.Actions, s.Ends = &within, nil, nil
		lasso, err = s.Exists(ctx)
		return err
	})
	return lasso, err
}
