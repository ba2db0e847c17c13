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
