package verify

import (
	"context"
	"errors"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// A Prefix is a finite run that violates an LTL property however it continues. Judgment.Level is its length.
type Prefix struct {
	// Bindings are values of binders for which the formula is false.
	Bindings []Binding
	// Why says which assumption about runs would not make the property hold.
	Why []string

	moves []explore.Move
}

// Reasons says for which values a property is false of a run, and what is known about that.
func (p *Prefix) Reasons() []string {
	return append((&Witness{Bindings: p.Bindings}).Lines(), p.Why...)
}

// judgeSafety judges an LTL property by a breadth-first search for a finite run that violates it. If the property is
// not pure safety and no such run violates it, it remains unknown. Such a run does not show with which probability a
// scheduler can violate the property.
func (c *checker) judgeSafety(ctx context.Context, v *Judgment, t *temporal, s *product.Search, g *graph) error {
	safety := t.formula.Safety()
	if s.Surely || v.EvalError != nil || safety == ltl.True {
		return nil
	}
	var p *product.Prefix
	var err error
	if !t.safe {
		p, err = s.Prefix(ctx, t.formula)
	}
	switch {
	case errors.Is(err, product.ErrNoMonitor), undecided(err):
		return nil
	case err != nil:
		return err
	case p != nil:
		return c.violatedBy(ctx, v, t, s, g, p)
	case safety.String() == t.formula.String():
		v.Outcome, v.kinds = Holds, g.kinds
		v.idle, err = c.superfluous(ctx, t, s)
	}
	return err
}

// violatedBy records that a finite run violates an LTL property.
func (c *checker) violatedBy(
	ctx context.Context, v *Judgment, t *temporal, s *product.Search, g *graph, p *product.Prefix,
) error {
	if p.Ends {
		if fair, err := s.Fair(p.Lasso()); err != nil || !fair {
			return err
		}
		return c.violatedByLasso(ctx, v, t, s, g, p.Lasso())
	}
	err := s.CheckPrefix(p, t.formula)
	if err != nil {
		return err
	}
	v.Outcome, v.Level, v.Prefix = Violated, len(p.Steps), &Prefix{}
	if v.searched, err = g.State(p.Last); err != nil {
		return err
	}
	v.State = c.verifier.decode(v.searched)
	if c.verifier.runQuotient() != nil {
		moves, err := c.liftSteps(g, p.First(), p.Steps)
		if err != nil {
			return err
		}
		v.State = moves[len(moves)-1].State
		return c.showPrefix(v, t, moves, hasDraws(g.kinds))
	}
	if c.verifier.quotient() { // its states are no run
		v.Prefix.Why = c.whyPrefix(t, hasDraws(g.kinds))
		return nil
	}
	moves, err := c.moves(g, p.First(), p.Steps)
	if err != nil {
		return err
	}
	return c.showPrefix(v, t, moves, hasDraws(g.kinds))
}

// showPrefix explains a violation by a finite run.
func (c *checker) showPrefix(v *Judgment, t *temporal, moves []explore.Move, draws bool) (err error) {
	v.Prefix.moves, v.Prefix.Why = moves, c.whyPrefix(t, draws)
	v.Prefix.Bindings, err = c.instanceOfPrefix(t, moves)
	return err
}

// checkPrefix returns an error unless every continuation of a run violates the formula. It follows the definitions.
func (t *temporal) checkPrefix(sys *compile.System, moves []explore.Move) error {
	view := sys.NewView()
	rest := t.formula.Safety()
	letter := uint64(0)
	for i, m := range moves {
		if i > 0 {
			rest = rest.Progress(letter | t.events(kindOf(sys.Label(m.Step.Label))))
		}
		view.Show(m.State)
		var err error
		if letter, err = t.letter(view, t.protocol); err != nil {
			return err
		}
	}
	may := func(k product.Kind) bool { return ltl.Satisfiable(rest.Progress(letter | t.events(k))) }
	good, quiescent := false, true
	groups := sys.Groups()
	err := model.Each(sys, moves[len(moves)-1].State, func(group int, step model.Step, _ []model.Value) bool {
		good = may(kindOf(sys.Label(step.Label)))
		quiescent = quiescent && groups[group].Environment
		return !good
	})
	if _, failed := errors.AsType[*model.Error](err); failed {
		return nil // the search has not come to this state
	}
	if err == nil && (good || quiescent && may(product.Kind{Action: product.Over})) {
		err = errors.New("a run that should violate a property has a continuation that may not")
	}
	return err
}
