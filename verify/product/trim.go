package product

import (
	"math/bits"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// A trimming is the state of trim.
type trimming struct {
	*product
	stages   stageTable        // of the last sweep through all states
	back     graph.Set[uint64] // by number: the states that lead back
	entering graph.Set[uint64] // by number: all other states with a transition to one of these
}

func (m *product) newTrimming() *trimming {
	n := m.System.States()
	return &trimming{product: m, stages: newStageTable(m.places), back: graph.NewSet(n), entering: graph.NewSet(n)}
}

// trim eliminates nodes without an inner edge until all have one.
//
// A sweep visits each remaining state once. A state leads back if it has a successor on its own level, on a level that
// has not been visited, or 4 or 8 levels further, because stages have the level modulo 4: a transition of the search
// leads at most one level further, a shortcut for several transitions seldom more than three. When any other state is
// visited, the sweep has already decided which nodes of its successors remain. It follows:
//
//   - The eliminations of the sweep affect only states that lead back. If visiting these again eliminates nothing, all
//     remaining nodes have an inner edge.
//   - A run that stays inside visits states that lead back infinitely often: each other state leads only to states
//     visited before it, and there are finitely many. So if no state that leads back is left, no state is.
//   - If no inner edge leads from any other state to a state that leads back, a run in any other state cannot stay
//     inside, and all these states are eliminated. Nodes and edges are only removed, also with chances, so the order of
//     visits does not matter.
func (t *trimming) trim() error {
	for {
		t.beginSweep()
		gone, err := t.sweep(true, explore.Selection{Number: t.remaining.Has, Touch: t.stages.bits.touch}, t.visit)
		if err == nil {
			t.stages.removeWaiting(t.alive) // there is no state
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
			if entering, err = t.sweep(true, explore.Selection{Number: t.entering.Has}, t.countEntering); err != nil {
				return err
			}
		}
		if entering == 0 {
			t.removeOthers()
		}
	}
}

// beginSweep begins a sweep through all states.
func (t *trimming) beginSweep() {
	t.stages.reset(t.alive)
	for _, s := range t.backTargets {
		clear(s)
	}
	clear(t.back)
	clear(t.entering)
}

// visit examines a state, and returns the number of nodes that it eliminates.
func (t *trimming) visit(v *explore.Vertex) int64 {
	now, successors := visitedOn(v.Level), t.stages.of(v)
	n := t.examine(v, successors&^deadStages != 0)
	switch {
	case !t.isAlive(v.Place):
		t.remaining.Remove(v.Number)
		now = dead
	case successors&now.notBefore() != 0:
		t.back.Add(v.Number)
		t.recordTargets(v, now)
		now |= leadsBack
	case successors&backStages != 0:
		t.entering.Add(v.Number)
	}
	t.stages.add(v.Place, now)
	return n
}

// recordTargets records the targets of the edges from a state that lead back.
func (t *trimming) recordTargets(v *explore.Vertex, now stage) {
	for q, s := range t.alive {
		if s != nil && s.Has(v.Place) {
			t.innerEdges(v, q, func(e edge) bool {
				if now.notBefore().has(t.stages.at(v.To[e.t])) {
					t.backTargets[e.To].Add(v.To[e.t])
				}
				return true
			})
		}
	}
}

// revisit examines a state that leads back again.
func (t *trimming) revisit(v *explore.Vertex) int64 {
	n := t.examine(v, t.stages.of(v)&^deadStages != 0)
	if !t.isAlive(v.Place) {
		t.remaining.Remove(v.Number)
		t.back.Remove(v.Number)
		t.stages.add(v.Place, dead)
	}
	return n
}

// countEntering returns a positive number if an inner edge of a state leads to a state that still leads back, else 0.
func (t *trimming) countEntering(v *explore.Vertex) (n int64) {
	for q, s := range t.alive {
		if s != nil && s.Has(v.Place) {
			t.innerEdges(v, q, func(e edge) bool {
				if backStages.has(t.stages.at(v.To[e.t])) {
					n++
				}
				return n == 0
			})
		}
	}
	return n
}

// removeOthers eliminates the states that do not lead back.
func (t *trimming) removeOthers() {
	for _, s := range t.alive {
		for i := range s {
			for w := s[i]; w != 0; w &= w - 1 {
				if p := uint64(64*i + bits.TrailingZeros64(w)); !backStages.has(t.stages.at(p)) {
					s.Remove(p)
				}
			}
		}
	}
	t.remaining.Intersect(t.back)
}

// examine eliminates the nodes of a state that have no inner edge, and returns their number. Without leads, no edge
// leads to an alive node, and all nodes are eliminated.
func (m *product) examine(v *explore.Vertex, leads bool) (gone int64) {
	for q, s := range m.alive {
		if s == nil || !s.Has(v.Place) {
			continue
		}
		stuck := true
		if leads {
			m.innerEdges(v, q, func(edge) bool { stuck = false; return false })
		}
		if stuck {
			s.Remove(v.Place)
			gone++
		}
	}
	return gone
}
