package verify

import (
	"context"
	"errors"

	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// A Prefix is a finite run that violates an LTL property however it continues. Judgment.Level is its length.
type Prefix struct {
	// Bindings are values of binders for which the formula is false.
	Bindings []Binding
	// Why says which assumption about runs would not make the property hold.
	Why []string

	prefix *product.Prefix
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
	p, err := s.Prefix(ctx, t.formula)
	switch {
	case errors.Is(err, product.ErrNoMonitor), undecided(err):
		return nil
	case err != nil:
		return err
	case p != nil:
		return c.violatedBy(ctx, v, t, s, g, p)
	case safety.String() == t.formula.String():
		v.Outcome, v.kinds = Holds, g.kinds
		v.idle, err = t.superfluous(ctx, s, c.verifier.Unreduce != nil)
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
	v.Outcome, v.Level, v.Prefix = Violated, len(p.Steps), &Prefix{prefix: p}
	if v.searched, err = g.State(p.Last); err != nil {
		return err
	}
	v.State = c.verifier.decode(v.searched)
	if !c.verifier.quotient() { // its states are states of the run
		if v.Prefix.Bindings, err = c.instance(t, p.Lasso(), g); err != nil {
			return err
		}
	}
	v.Prefix.Why = c.whyPrefix(t, g)
	return nil
}
