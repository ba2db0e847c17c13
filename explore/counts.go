package explore

import "sync/atomic"

// counts is what one worker has counted lately.
type counts struct {
	stored, states, expanded, generated, transitions, deadlocks uint64
}

// totals is what all workers have counted. expanded is that of the current level.
type totals struct {
	stored, states, expanded, generated, transitions, deadlocks atomic.Uint64
}

func (t *totals) add(c *counts) {
	t.stored.Add(c.stored)
	t.states.Add(c.states)
	t.expanded.Add(c.expanded)
	t.generated.Add(c.generated)
	t.transitions.Add(c.transitions)
	t.deadlocks.Add(c.deadlocks)
}
