package product

import (
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// initAlive makes all nodes alive in which the automaton is accepting.
func (m *product) initAlive() error {
	states, width := m.System.States(), m.Automaton.Sets+len(m.Actions)
	bytes := 5*m.places/8 + 4*states/8 // including a trimming
	for _, accepting := range m.accepting {
		if accepting {
			bytes += 3*m.places/8 + bitTableBytes(m.places, width)
		}
	}
	if err := m.checkMemory(bytes); err != nil {
		return err
	}
	m.usedBytes += bytes
	for q, accepting := range m.accepting {
		if accepting {
			m.alive[q], m.backTargets[q] = graph.NewSet(m.places), graph.NewSet(m.places)
			m.alive[q].Fill(m.places) // trim removes places without a state
		}
	}
	m.remaining = graph.NewSet(states)
	m.remaining.Fill(states)
	return nil
}

func (m *product) isEmpty() bool {
	for _, s := range m.alive {
		if s != nil && !s.Empty() {
			return false
		}
	}
	return true
}

// converge computes the greatest fixed point: until nothing changes, it eliminates the nodes without an inner edge, and
// the nodes from which a required mark can no longer be taken.
//
// A non-empty result contains a lasso: in a bottom strongly connected component of it, every inner edge leads to the
// component, and every required mark is on one of its edges. The nodes of a lasso are never eliminated (Emerson and Lei
// 1987; with strong fairness Kesten, Pnueli and Raviv, Algorithmic verification of linear temporal logic
// specifications, ICALP 1998: a state in which an action is enabled that cannot be taken later is not on a fair cycle).
// If strong fairness takes a second round, or is likely to, decompose does the rest, provided that there is enough
// memory.
func (m *product) converge() error {
	t := m.newTrimming()
	decomposing := m.decomposes()
	for now := m.hasManyNodes(); ; now = true {
		if err := t.trim(); err != nil {
			return err
		}
		if m.allMarks == 0 || m.isEmpty() {
			return nil
		}
		if decomposing && now {
			if ok, err := m.decompose(); ok || err != nil {
				return err
			}
			decomposing = false
		}
		if err := m.propagateMarks(); err != nil {
			return err
		}
		if n, err := m.removeUnfair(); n == 0 || err != nil {
			return err
		}
	}
}

// isAlive reports whether a node of a place is alive.
func (m *product) isAlive(p uint64) bool {
	for _, s := range m.alive {
		if s != nil && s.Has(p) {
			return true
		}
	}
	return false
}

// sweep visits some states, and returns the sum of the results of visit.
func (m *product) sweep(
	backward bool, selected explore.Selection, visit func(v *explore.Vertex) int64,
) (int64, error) {
	var sum atomic.Int64
	err := m.System.Sweep(m.ctx, backward, selected, func(v *explore.Vertex) {
		if n := visit(v); n > 0 {
			sum.Add(n)
		}
	})
	return sum.Load(), err
}

// needsMarks reports whether an alive node of a place is not known to reach all marks.
func (m *product) needsMarks(p uint64) bool {
	for q, s := range m.alive {
		if s != nil && s.Has(p) && m.nodeMarks[q].at(p) != m.allMarks {
			return true
		}
	}
	return false
}

// anyNeedsMarks reports whether some place needs marks, or the context has ended.
func (m *product) anyNeedsMarks() bool {
	for p := range m.eachPlace {
		if m.needsMarks(p) {
			return true
		}
	}
	return m.ctx.Err() != nil
}

// propagateMarks computes the marks that can be taken from each node.
func (m *product) propagateMarks() error {
	for q, s := range m.alive {
		switch {
		case s == nil:
		case m.nodeMarks[q] == nil:
			m.nodeMarks[q] = newBitTable(m.places, m.Automaton.Sets+len(m.Actions))
		default:
			m.nodeMarks[q].clear()
		}
	}
	for m.anyNeedsMarks() {
		lacking := explore.Selection{Number: m.remaining.Has, Place: m.needsMarks}
		changed, err := m.sweep(true, lacking, func(v *explore.Vertex) (changed int64) {
			enabled := m.enabled(v)
			for q, s := range m.alive {
				if s == nil || !s.Has(v.Place) {
					continue
				}
				before := m.nodeMarks[q].at(v.Place)
				now := before
				m.innerEdges(v, q, func(e edge) bool {
					now |= m.marksOf(v, e, enabled) | m.nodeMarks[e.To].at(v.To[e.t])
					return now != m.allMarks
				})
				if now != before {
					m.nodeMarks[q].or(v.Place, now)
					changed++
				}
			}
			return changed
		})
		if err != nil || changed == 0 {
			return err
		}
	}
	return nil
}

// removeUnfair eliminates the nodes from which a required mark cannot be taken, and returns their number.
func (m *product) removeUnfair() (int64, error) {
	if !m.anyNeedsMarks() {
		return 0, nil
	}
	lacking := explore.Selection{Number: m.remaining.Has, Place: m.needsMarks}
	return m.sweep(true, lacking, func(v *explore.Vertex) (gone int64) {
		enabled := m.enabled(v)
		for q, s := range m.alive {
			if s != nil && s.Has(v.Place) && m.missingMarks(m.nodeMarks[q].at(v.Place), enabled) != 0 {
				s.Remove(v.Place)
				gone++
			}
		}
		return gone
	})
}
