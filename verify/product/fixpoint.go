package product

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// initAlive makes alive all nodes in which the automaton is accepting.
func (m *multiplication) initAlive() error {
	states, width := m.System.States(), m.Automaton.Sets+len(m.Actions)
	bytes := 5*m.places/8 + 4*states/8 // with what a trimming takes
	for _, accepting := range m.accepting {
		if accepting {
			bytes += 3*m.places/8 + wordBytes(m.places, width)
		}
	}
	if err := m.fits(bytes); err != nil {
		return err
	}
	m.held += bytes
	for q, accepting := range m.accepting {
		if accepting {
			m.alive[q], m.entries[q] = graph.NewSet(m.places), graph.NewSet(m.places)
			m.alive[q].Fill(m.places) // trim drops those without a state
		}
	}
	m.left = graph.NewSet(states)
	m.left.Fill(states)
	return nil
}

func (m *multiplication) empty() bool {
	for _, s := range m.alive {
		if s != nil && !s.Empty() {
			return false
		}
	}
	return true
}

// converge computes the greatest fixed point: it eliminates, until nothing changes, the nodes without an edge inside
// the set and those from which a required mark can no longer be taken.
//
// A non-empty result contains a lasso: in a bottom strongly connected component of it every edge inside leads to the
// component, and every required mark is on one of its edges. The nodes of a lasso are never eliminated (Emerson and Lei
// 1987; with strong fairness Kesten, Pnueli and Raviv, Algorithmic verification of linear temporal logic
// specifications, ICALP 1998: a state in which an action is enabled that cannot be taken later is not on a fair cycle).
// If strong fairness takes a second round, or is likely to, decompose does the rest, provided that there is room.
func (m *multiplication) converge() error {
	t := m.trimming()
	decomposing := m.decomposes()
	for now := m.crowded(); ; now = true {
		if err := t.trim(); err != nil {
			return err
		}
		if m.every == 0 || m.empty() {
			return nil
		}
		if decomposing && now {
			if ok, err := m.decompose(); ok || err != nil {
				return err
			}
			decomposing = false
		}
		if err := m.spread(); err != nil {
			return err
		}
		if n, err := m.discard(); n == 0 || err != nil {
			return err
		}
	}
}

// living reports whether a node with some place is alive.
func (m *multiplication) living(p uint64) bool {
	for _, s := range m.alive {
		if s != nil && s.Has(p) {
			return true
		}
	}
	return false
}

// A trimming is the state of trim.
type trimming struct {
	*multiplication
	stages *packed           // by place: what the last sweep through all states has done there
	back   graph.Set[uint64] // by number: states that lead back
	enter  graph.Set[uint64] // by number: others with a transition to one of them
}

// Stages of a place in a sweep. One follows another by more bits.
const (
	waiting = 0
	visited = 1 // in an even level, one more in an odd one
	later   = 8 // with visited: the level modulo 4 is 2 or 3
	dead    = 3 // no node is alive
	behind  = 4 // with visited or dead: the state leads back
)

func (m *multiplication) trimming() *trimming {
	n := m.System.States()
	return &trimming{multiplication: m, stages: newPacked(m.places, 4), back: graph.NewSet(n), enter: graph.NewSet(n)}
}

// Sets of stages, a bit each.
const (
	areDead   = 1<<dead | 1<<(dead|behind) | 1<<(dead|later) | 1<<(dead|behind|later)
	areBehind = 1<<(visited|behind) | 1<<(visited+1|behind) | 1<<(visited|behind|later) | 1<<(visited+1|behind|later)
)

// ahead returns the stages of the states that a state leads to, as a set.
func (t *trimming) ahead(v *explore.Vertex) (stages uint64) {
	for _, to := range v.To {
		stages |= 1 << t.stages.at(to)
	}
	return stages
}

// trim eliminates nodes without an edge inside until there are none.
//
// A sweep visits each remaining state once. A state leads back if it has a successor on its own level, on one that has
// not been visited, or 4 or 8 levels further, since levels are told apart modulo 4: a transition of the search leads at
// most one level further, a shortcut for several seldom more than three. When any other state is visited, the sweep has
// already decided which nodes of its successors remain. It follows:
//
//   - The eliminations of the sweep affect only states that lead back. If visiting these again eliminates nothing, no
//     node is left without an edge inside.
//   - A run that stays inside visits states that lead back infinitely often: each other state leads only to states
//     visited before it, and there are finitely many. So if no state that leads back is left, no state is.
//   - If no edge inside leads from another state to one that leads back, a run that is in one of the others cannot stay
//     inside, and they are eliminated. Nodes and edges are only removed, also with chances, so the order of visits does
//     not matter.
func (t *trimming) trim() error {
	for {
		t.forget()
		gone, err := t.sweep(true, explore.Selection{Number: t.left.Has, Touch: t.stages.touch}, t.visit)
		if err == nil {
			t.drop()
		}
		if gone == 0 || err != nil {
			return err
		}
		if gone, err = t.sweep(true, explore.Selection{Number: t.back.Has}, t.revisit); gone == 0 || err != nil {
			return err
		}
		for gone > 0 {
			if gone, err = t.sweep(true, explore.Selection{Number: t.back.Has}, t.revisit); err != nil {
				return err
			}
		}
		entering := int64(0)
		if !t.back.Empty() {
			if entering, err = t.sweep(true, explore.Selection{Number: t.enter.Has}, t.enters); err != nil {
				return err
			}
		}
		if entering == 0 {
			t.leave()
		}
	}
}

// forget begins a sweep through all states.
func (t *trimming) forget() {
	for i := range t.stages.list {
		living := uint64(0)
		for _, s := range t.alive {
			if i/4 < len(s) {
				living |= s[i/4] >> (i % 4 * 16) & math.MaxUint16
			}
		}
		for n := 8; n > 0; n /= 2 { // each bit to the lowest of four
			living = (living | living<<(3*n)) & (math.MaxUint64 / (1<<(4*n) - 1) * (1<<n - 1))
		}
		t.stages.list[i] = (living ^ math.MaxUint64/15) * dead
	}
	for _, s := range t.entries {
		clear(s)
	}
	clear(t.back)
	clear(t.enter)
}

// drop eliminates nodes of places that a sweep through all states has not visited: there is no state.
func (t *trimming) drop() {
	for i, now := range t.stages.list {
		now = (now | now>>1 | now>>2 | now>>3) & (math.MaxUint64 / 15)
		for n := 1; n < 16; n *= 2 { // the lowest bit of each four to one of sixteen
			now = (now | now>>(3*n)) & (math.MaxUint64 / (1<<(8*n) - 1) * (1<<(2*n) - 1))
		}
		for _, s := range t.alive {
			if i/4 < len(s) {
				s[i/4] &^= (now ^ math.MaxUint16) << (i % 4 * 16)
			}
		}
	}
}

// sweep visits some states, and returns the sum of what visit does.
func (m *multiplication) sweep(
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

// visit returns how many nodes it eliminates.
func (t *trimming) visit(v *explore.Vertex) int64 {
	now := visited + uint64(v.Level%2) + uint64(v.Level/2%2)*later
	ahead := t.ahead(v)
	n := t.examine(v, ahead&^areDead != 0)
	switch {
	case !t.living(v.Place):
		t.left.Remove(v.Number)
		now = dead
	case ahead&notBefore(now) != 0:
		t.back.Add(v.Number)
		t.note(v, now)
		now |= behind
	case ahead&areBehind != 0:
		t.enter.Add(v.Number)
	}
	t.stages.or(v.Place, now)
	return n
}

// notBefore returns the stages of states that may be on the level being visited as now, or on a level not visited yet.
func notBefore(now uint64) uint64 { return 1<<waiting | 1<<now | 1<<(now|behind) }

// note notes the nodes to which the edges back lead from those of a state.
func (t *trimming) note(v *explore.Vertex, now uint64) {
	for q, s := range t.alive {
		if s != nil && s.Has(v.Place) {
			t.inside(v, q, func(e edge) bool {
				if notBefore(now)>>t.stages.at(v.To[e.t])&1 == 1 {
					t.entries[e.To].Add(v.To[e.t])
				}
				return true
			})
		}
	}
}

// revisit examines again a state that leads back.
func (t *trimming) revisit(v *explore.Vertex) int64 {
	n := t.examine(v, t.ahead(v)&^areDead != 0)
	if !t.living(v.Place) {
		t.left.Remove(v.Number)
		t.back.Remove(v.Number)
		t.stages.or(v.Place, dead)
	}
	return n
}

// enters returns how many edges inside lead to states that still lead back.
func (t *trimming) enters(v *explore.Vertex) (n int64) {
	for q, s := range t.alive {
		if s != nil && s.Has(v.Place) {
			t.inside(v, q, func(e edge) bool {
				if areBehind>>t.stages.at(v.To[e.t])&1 == 1 {
					n++
				}
				return n == 0
			})
		}
	}
	return n
}

// leave eliminates the states that do not lead back.
func (t *trimming) leave() {
	for _, s := range t.alive {
		for i := range s {
			for w := s[i]; w != 0; w &= w - 1 {
				if p := uint64(64*i + bits.TrailingZeros64(w)); areBehind>>t.stages.at(p)&1 == 0 {
					s.Remove(p)
				}
			}
		}
	}
	t.left.Intersect(t.back)
}

// examine eliminates the nodes of a state that have no edge inside, and returns how many. These are all of them if the
// state does not lead to a living node.
func (m *multiplication) examine(v *explore.Vertex, leads bool) (gone int64) {
	for q, s := range m.alive {
		if s == nil || !s.Has(v.Place) {
			continue
		}
		stuck := true
		if leads {
			m.inside(v, q, func(edge) bool { stuck = false; return false })
		}
		if stuck {
			s.Remove(v.Place)
			gone++
		}
	}
	return gone
}

// lacking reports whether a node of a place is alive from which some mark is not known to be taken.
func (m *multiplication) lacking(p uint64) bool {
	for q, s := range m.alive {
		if s != nil && s.Has(p) && m.marks[q].at(p) != m.every {
			return true
		}
	}
	return false
}

// lacks reports whether there is such a place. If the context has ended, there may be.
func (m *multiplication) lacks() bool {
	for p := range m.everywhere {
		if m.lacking(p) {
			return true
		}
	}
	return m.ctx.Err() != nil
}

// spread computes which marks can be taken from the nodes.
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
	for m.lacks() {
		lacking := explore.Selection{Number: m.left.Has, Place: m.lacking}
		changed, err := m.sweep(true, lacking, func(v *explore.Vertex) (changed int64) {
			enabled := m.enabled(v)
			for q, s := range m.alive {
				if s == nil || !s.Has(v.Place) {
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

// discard eliminates the nodes from which a mark that is needed cannot be taken, and returns how many.
func (m *multiplication) discard() (int64, error) {
	if !m.lacks() {
		return 0, nil
	}
	lacking := explore.Selection{Number: m.left.Has, Place: m.lacking}
	return m.sweep(true, lacking, func(v *explore.Vertex) (gone int64) {
		enabled := m.enabled(v)
		for q, s := range m.alive {
			if s != nil && s.Has(v.Place) && m.missing(m.marks[q].at(v.Place), enabled) != 0 {
				s.Remove(v.Place)
				gone++
			}
		}
		return gone
	})
}

// keepAlmostSure keeps the starts from which a scheduler can reach the living nodes with probability one: those in the
// greatest set of nodes from each of which the living nodes can be reached by draws without an outcome outside the set
// (de Alfaro 1997, Sect. 3.1). From living nodes the scheduler can stay among living nodes, and reach an end component,
// for all outcomes of draws.
//
// If a suitable automaton is not deterministic, only its breakpoints are accepting. A scheduler need not move to one
// before it can stay there (see ltl.Automaton.Suitable): those that are not alive are excluded.
func (m *multiplication) keepAlmostSure() error {
	width := len(m.accepting)
	if err := m.fits(uint64(2*width) * m.places / 8); err != nil {
		return err
	}
	outer, postponed := make([]graph.Set[uint64], width), !m.Automaton.IsDeterministic()
	for q := range outer {
		if postponed && m.accepting[q] {
			outer[q] = slices.Clone(m.alive[q])
		} else {
			outer[q] = m.all()
		}
	}
	for {
		inner := make([]graph.Set[uint64], len(outer))
		for q := range inner {
			inner[q] = graph.NewSet(m.places)
			copy(inner[q], m.alive[q])
		}
		if err := m.attract(outer, inner); err != nil {
			return err
		}
		if slices.EqualFunc(outer, inner, slices.Equal[graph.Set[uint64]]) {
			break
		}
		outer = inner
	}
	m.starts = slices.DeleteFunc(m.starts, func(p uint64) bool { return !outer[m.Automaton.Initial].Has(p) })
	return nil
}

// attract adds to inner the nodes of outer with a draw that can stay in outer and lead to inner, until nothing changes.
func (m *multiplication) attract(outer, inner []graph.Set[uint64]) error {
	open := func(p uint64) bool {
		for q := range outer {
			if outer[q].Has(p) && !inner[q].Has(p) {
				return true
			}
		}
		return false
	}
	for {
		added, err := m.sweep(true, explore.Selection{Place: open}, func(v *explore.Vertex) (added int64) {
			for q := range outer {
				if outer[q].Has(v.Place) && !inner[q].Has(v.Place) && m.chooses(v, q, outer, inner) {
					inner[q].Add(v.Place)
					added++
				}
			}
			return added
		})
		if err != nil || added == 0 {
			return err
		}
	}
}

// chooses reports whether a node has a draw that can stay in outer and lead to inner.
func (m *multiplication) chooses(v *explore.Vertex, q int, outer, inner []graph.Set[uint64]) bool {
	leads := func(t int, to []graph.Set[uint64]) bool {
		return !m.each(v, q, t, t+1, func(e edge) bool { return !to[e.To].Has(v.To[t]) })
	}
	for first := 0; first < len(v.To); {
		end := m.distribution(v, first)
		stays, comes := true, false
		for t := first; t < end; t++ {
			stays = stays && leads(t, outer)
			comes = comes || leads(t, inner)
		}
		if stays && comes {
			return true
		}
		first = end
	}
	return false
}
