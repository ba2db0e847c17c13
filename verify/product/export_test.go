package product

import (
	"context"

	"ringcheck/internal/graph"
)

// Eliminate returns the nodes that an elimination leaves, by state of the automaton, and a lasso through some of them,
// nil if there is none.
func (s *Search) Eliminate(ctx context.Context) ([]graph.Set[uint64], *Lasso, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, nil, err
	}
	if some, err := m.eliminate(); !some {
		return nil, nil, err
	}
	lasso, err := m.lasso()
	return m.alive, lasso, err
}

// Fragment returns a lasso of a fragment with a number of edges, nil if there is none, and whether the fragment is the
// whole product.
func (s *Search) Fragment(ctx context.Context, edges int) (l *Lasso, complete bool, err error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, false, err
	}
	f := m.newFragment()
	f.bound = min(f.bound, edges)
	l, err = f.search(edges)
	return l, len(f.enabled) == len(f.nodes), err
}

// EndingRun returns a shortest run that ends and is accepted, nil if there is none, and whether it was certain that
// there is one.
func (s *Search) EndingRun(ctx context.Context) (l *Lasso, certain bool, err error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, false, err
	}
	e, err := m.endings()
	if err != nil {
		return nil, false, err
	}
	for _, good := range e.accepts {
		certain = certain || e.certain(good)
	}
	if e.isCertain {
		l, err = e.toCertain()
	} else {
		l, err = e.search()
	}
	return l, certain, err
}
