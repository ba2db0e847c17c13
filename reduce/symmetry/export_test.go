package symmetry

import "ringcheck/model"

// Goal returns the predicate of the quotient's states that holds where goal holds in some state of the orbit. It can
// be called from as many goroutines as goal; worker is passed on.
func (q *Quotient) Goal(goal func(worker int, state []model.Value) bool) func(worker int, cells []model.Value) bool {
	return func(worker int, cells []model.Value) bool {
		state := make([]model.Value, len(q.ring.positions))
		q.Decode(cells, 0, state)
		for by := range q.ring.n {
			if goal(worker, q.rotateState(state, by)) {
				return true
			}
		}
		return false
	}
}
