package product

import (
	"slices"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/verify/ltl"
)

// reach makes the nodes alive that can be reached and in which the automaton is accepting.
func (m *multiplication) reach() error {
	if m.surelyReached() {
		every := all(m.System)
		for _, s := range m.alive {
			copy(s, every)
		}
		m.left.fill(m.System.States())
		return nil
	}
	width := len(m.accepting)
	reached, done := make([]set, width), make([]set, width)
	for q := range reached {
		reached[q], done[q] = m.alive[q], newSet(m.places)
		if reached[q] == nil {
			reached[q] = newSet(m.places)
		}
	}
	initial := m.Automaton.Initial
	if m.waits() {
		copy(reached[initial], all(m.System))
	}
	for _, p := range m.starts {
		reached[initial].add(p)
	}
	open := func(p uint64) bool {
		for q := range reached {
			if reached[q].has(p) && !done[q].has(p) {
				return true
			}
		}
		return false
	}
	for {
		var expanded atomic.Int64
		err := m.System.Sweep(m.ctx, false, explore.Selection{Place: open}, func(v *explore.Vertex) {
			expanded.Add(1)
			for q := range reached {
				if reached[q].has(v.Place) && !done[q].has(v.Place) {
					done[q].add(v.Place)
					m.each(v, q, 0, len(v.To), func(e edge) bool { reached[e.To].add(v.To[e.t]); return true })
					if m.accepting[q] {
						m.left.add(v.Number)
					}
				}
			}
		})
		if err != nil || expanded.Load() == 0 {
			return err
		}
	}
}

// waits reports whether the automaton can stay in its initial state with every letter.
func (m *multiplication) waits() bool {
	q := m.Automaton.Initial
	return slices.ContainsFunc(m.Automaton.Edges[q], func(e ltl.Edge) bool { return e.To == q && e.Guard.Yes|e.Guard.No == 0 })
}

// surelyReached reports whether all nodes on cycles can be reached in which the automaton is accepting, so that nobody need find out: since it
// can wait in every state, and go from there wherever such a node leads.
func (m *multiplication) surelyReached() bool {
	if !m.waits() {
		return false
	}
	for q, edges := range m.Automaton.Edges {
		for _, e := range edges {
			if m.accepting[q] && m.accepting[e.To] && !slices.ContainsFunc(m.Automaton.Edges[m.Automaton.Initial], func(f ltl.Edge) bool {
				return f.To == e.To && e.Guard.Within(f.Guard)
			}) {
				return false
			}
		}
	}
	return true
}

func (m *multiplication) empty() bool {
	for _, s := range m.alive {
		if s != nil && !s.empty() {
			return false
		}
	}
	return true
}

// converge eliminates the nodes that no run can be in for ever that is looked for: those without an edge inside, and those from which a mark
// cannot be taken any more that has to be, until nothing changes.
//
// What is left, if anything, has a lasso: in a bottom strongly connected component of it every edge inside leads to the component, and every
// mark that is needed is on one of its edges. And the nodes of a lasso are never eliminated (Emerson and Lei 1987; with strong fairness
// Kesten, Pnueli and Raviv, Algorithmic verification of linear temporal logic specifications, ICALP 1998: a state in which an action can be
// taken that cannot be taken later is none that comes again).
func (m *multiplication) converge() error {
	for {
		if err := m.trim(); err != nil {
			return err
		}
		if m.every == 0 || m.empty() {
			return nil
		}
		if err := m.spread(); err != nil {
			return err
		}
		if n, err := m.eliminate(); n == 0 || err != nil {
			return err
		}
	}
}

// living reports whether a node with some place is alive.
func (m *multiplication) living(p uint64) bool {
	for _, s := range m.alive {
		if s != nil && s.has(p) {
			return true
		}
	}
	return false
}

// trim eliminates nodes without an edge inside until there are none. What a sweep eliminates matters to states that it has not come to yet, and to
// those that lead back. When it has been through all, the next one looks at these only, and if it eliminates nothing, that is all.
func (m *multiplication) trim() error {
	seen, back := newSet(m.places), newSet(m.System.States()) // by place, by number
	for every := true; ; every = !every {
		selected := explore.Selection{Number: back.has}
		if every {
			selected.Number = m.left.has
			clear(seen)
			clear(back)
		}
		var gone atomic.Int64
		err := m.System.Sweep(m.ctx, true, selected, func(v *explore.Vertex) {
			if n := m.examine(v); n > 0 {
				gone.Add(n)
			}
			switch {
			case !m.living(v.Place):
				m.left.remove(v.Number)
			case every && slices.ContainsFunc(v.To, func(to uint64) bool { return !seen.has(to) && m.living(to) }):
				back.add(v.Number)
			}
			if every {
				seen.add(v.Place)
			}
		})
		if err != nil || gone.Load() == 0 {
			return err
		}
	}
}

// examine eliminates those nodes with the place of a state that have no edge inside, and returns how many.
func (m *multiplication) examine(v *explore.Vertex) (gone int64) {
	leads := m.leads(v)
	for q, s := range m.alive {
		if s == nil || !s.has(v.Place) {
			continue
		}
		stuck := true
		if leads {
			m.inside(v, q, func(edge) bool { stuck = false; return false })
		}
		if stuck {
			s.remove(v.Place)
			gone++
		}
	}
	return gone
}

// leads reports whether a transition of a state leads to one with a node that is alive. It asks of all at once, as no read waits for another then:
// that decides about most of the states that go.
func (m *multiplication) leads(v *explore.Vertex) bool {
	some := uint64(0)
	for _, s := range m.alive {
		if s == nil {
			continue
		}
		for _, to := range v.To {
			some |= atomic.LoadUint64(&s[to/64]) >> (to % 64)
		}
	}
	return some&1 != 0
}

// lacking reports whether a node with some place is alive from which not all marks are known to be taken.
func (m *multiplication) lacking(p uint64) bool {
	for q, s := range m.alive {
		if s != nil && s.has(p) && m.marks[q].at(p) != m.every {
			return true
		}
	}
	return false
}

// spread finds out which marks can be taken from the nodes.
func (m *multiplication) spread() error {
	for q, s := range m.alive {
		switch {
		case s == nil:
		case m.marks[q] == nil:
			m.marks[q] = newPacked(m.places, m.Automaton.Sets+len(m.Actions))
		default:
			m.marks[q].clear()
		}
	}
	for {
		var changed atomic.Bool
		err := m.System.Sweep(m.ctx, true, explore.Selection{Number: m.left.has, Place: m.lacking}, func(v *explore.Vertex) {
			enabled := m.enabled(v)
			for q, s := range m.alive {
				if s == nil || !s.has(v.Place) {
					continue
				}
				before := m.marks[q].at(v.Place)
				now := before
				m.inside(v, q, func(e edge) bool {
					now |= m.marksOf(v, e, enabled) | m.marks[e.To].at(v.To[e.t])
					return now != m.every
				})
				if now != before {
					m.marks[q].or(v.Place, now)
					changed.Store(true)
				}
			}
		})
		if err != nil || !changed.Load() {
			return err
		}
	}
}

// eliminate takes out the nodes from which a mark cannot be taken that has to be, and returns how many.
func (m *multiplication) eliminate() (int64, error) {
	var gone atomic.Int64
	err := m.System.Sweep(m.ctx, true, explore.Selection{Number: m.left.has, Place: m.lacking}, func(v *explore.Vertex) {
		need := m.every&^m.strong | m.strong&m.enabled(v)
		for q, s := range m.alive {
			if s != nil && s.has(v.Place) && need&^m.marks[q].at(v.Place) != 0 {
				s.remove(v.Place)
				gone.Add(1)
			}
		}
	})
	return gone.Load(), err
}
