package verify

import (
	"context"
	"slices"

	"ringcheck/explore"
	"ringcheck/reduce/symmetry"
	"ringcheck/verify/product"
)

// A lassoLift turns a run of a quotient by permutations into one of the full system, step by step.
type lassoLift struct {
	*checker
	graph *graph
	at    *symmetry.Follower
	moves []explore.Move
}

// newLift returns the lift of a run from a place.
func (c *checker) newLift(g *graph, from uint64) (*lassoLift, error) {
	first, err := g.State(from)
	if err != nil {
		return nil, err
	}
	at := c.verifier.runQuotient().Follow()
	return &lassoLift{c, g, at, []explore.Move{{State: at.State(first)}}}, nil
}

// take lifts some steps, up to the end of the run.
func (l *lassoLift) take(steps []product.Step) error {
	sys := l.verifier.runSystem()
	for _, s := range steps {
		if s.Kind.Action == product.Over {
			return nil
		}
		kind := s.Kind
		if kind.Process >= 0 {
			kind.Process = l.at.Process(kind.Process)
		}
		if kind.Receiver > 0 {
			kind.Receiver = 1 + l.at.Process(kind.Receiver-1)
		}
		to, err := l.graph.State(s.To)
		if err != nil {
			return err
		}
		l.at.Take(s.Permutation)
		m := explore.Move{State: l.at.State(to)}
		if m.Step, err = explore.StepBetween(sys, l.moves[len(l.moves)-1].State, m.State, like(sys, kind)); err != nil {
			return err
		}
		l.moves = append(l.moves, m)
	}
	return nil
}

// liftSteps returns the run of the full system for a run of a quotient by permutations from a place.
func (c *checker) liftSteps(g *graph, from uint64, steps []product.Step) ([]explore.Move, error) {
	l, err := c.newLift(g, from)
	if err == nil {
		err = l.take(steps)
	}
	if err != nil {
		return nil, err
	}
	return l.moves, nil
}

// liftLasso sets the run of the full system for a lasso of a quotient by permutations. It repeats the cycle of the
// quotient until the state recurs and the run is fair, at the latest until no process is exchanged. Then it looks for a
// shorter run.
func (c *checker) liftLasso(ctx context.Context, l *Lasso, t *temporal, s *product.Search, g *graph) error {
	steps := slices.Concat(l.lasso.Stem, l.lasso.Cycle)
	lift, err := c.newLift(g, steps[0].From)
	if err == nil {
		err = lift.take(l.lasso.Stem)
	}
	if err != nil {
		return err
	}
	if l.Cycle == 0 {
		l.moves = lift.moves
		return c.explainLifted(l, t)
	}
	l.Stem = len(lift.moves) - 1
	begin := lift.at.Clone()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := lift.take(l.lasso.Cycle); err != nil {
			return err
		}
		closed := slices.Equal(lift.moves[l.Stem].State, lift.moves[len(lift.moves)-1].State)
		if closed && !lift.at.Equal(begin) {
			var unfair []int
			if unfair, err = c.unfairClauses(t, lift.moves[l.Stem:]); err != nil {
				return err
			}
			closed = len(unfair) == 0
		}
		if closed {
			break
		}
	}
	l.moves = lift.moves
	l.Cycle = len(l.moves) - 1 - l.Stem
	l.fold()
	if err := c.shorten(ctx, l, t, s, g); err != nil {
		return err
	}
	return c.explainLifted(l, t)
}

// fold makes the cycle of a lifted run begin as early as possible, and not repeat a shorter one.
func (l *Lasso) fold() {
	same := func(i, j int) bool {
		a, b := &l.moves[i], &l.moves[j]
		return a.Step == b.Step && slices.Equal(a.State, b.State)
	}
	for period := 1; period < l.Cycle; period++ {
		repeats := l.Cycle%period == 0 && slices.Equal(l.moves[l.Stem].State, l.moves[l.Stem+period].State)
		for i := l.Stem + 1; repeats && i+period < len(l.moves); i++ {
			repeats = same(i, i+period)
		}
		if repeats {
			l.Cycle = period
			l.moves = l.moves[:l.Stem+period+1]
		}
	}
	for l.Stem > 0 && same(l.Stem, l.Stem+l.Cycle) &&
		slices.Equal(l.moves[l.Stem-1].State, l.moves[l.Stem+l.Cycle-1].State) {
		l.Stem--
		l.moves = l.moves[:len(l.moves)-1]
	}
}

// unfairClauses returns the fairness clauses of a property to which the run that repeats a cycle of the full system is
// not fair.
func (c *checker) unfairClauses(t *temporal, cycle []explore.Move) (list []int, err error) {
	on, err := loopOf(c.verifier.runSystem(), cycle)
	if err != nil {
		return nil, err
	}
	view := c.verifier.System.NewView()
	for _, m := range cycle[:len(cycle)-1] {
		view.Show(m.State)
		letter, err := t.letter(view, t.protocol)
		if err != nil {
			return nil, err
		}
		on.letters = append(on.letters, letter)
	}
	for i := range t.property.Temporal.Fair {
		if slices.ContainsFunc(t.actions(&t.property.Temporal.Fair[i]), on.unfair) {
			list = append(list, i)
		}
	}
	return list, nil
}

// explainLifted sets the bindings for which a formula is false of a lifted run.
func (c *checker) explainLifted(l *Lasso, t *temporal) error {
	x := &lassoExplainer{of: t, view: c.verifier.System.NewView(), back: l.Stem}
	for i, m := range l.moves {
		if i > 0 {
			x.kinds = append(x.kinds, kindOf(c.verifier.runSystem().Label(m.Step.Label)))
		}
		if i < len(l.moves)-1 || l.Cycle == 0 {
			x.states = append(x.states, m.State)
		}
	}
	if l.Cycle == 0 {
		x.kinds = append(x.kinds, product.Kind{Process: environment, Action: product.Over})
	}
	l.Bindings = x.explain(t.property.Temporal.Formula, 0, false)
	return x.err
}
