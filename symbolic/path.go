package symbolic

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/symbolic/internal/diagram"
)

// Path returns a shortest run to a state of a set; the same one as explore.Path. It works out the levels of a breadth-first search
// as far as they are not known, and goes back from one to the other. The error is explore.ErrNoPath if the set is empty, or
// one of Reaching's.
func (s *Space) Path(ctx context.Context, target Set) ([]model.Move, error) {
	if target.Empty() {
		return nil, explore.ErrNoPath
	}
	var moves []model.Move
	var err error
	_, failed := s.work(ctx, func(w *worker) diagram.Node {
		level, n := w.distance(target.node)
		if !w.store.Halted() {
			moves, err = w.path(w.least(n), level)
		}
		return diagram.Empty
	})
	if failed != nil {
		return nil, failed
	}
	return moves, err
}

// distance returns the first level with vectors of n, and these, which are held.
func (w *worker) distance(n diagram.Node) (level int, found diagram.Node) {
	for ; ; level++ {
		if level == len(w.levels) && !w.deeper() {
			return level, diagram.Empty
		}
		if found = w.Intersection(w.levels[level], n); found != diagram.Empty {
			return level, w.Hold(found)
		}
	}
}

// path returns a run to a state of a level.
func (w *worker) path(state []model.Value, level int) ([]model.Move, error) {
	moves := []model.Move{{State: state}}
	for level--; level >= 0; level-- {
		before := w.predecessor(state, w.levels[level])
		if before == nil {
			return nil, errors.New("search for a run: a state has no predecessor in the level before it")
		}
		step, err := explore.StepBetween(w.sys, before, state, func(model.Step) bool { return true })
		if err != nil {
			return nil, err
		}
		moves[len(moves)-1].Step = step
		moves = append(moves, model.Move{State: before})
		state = before
	}
	slices.Reverse(moves)
	return moves, nil
}

// predecessor returns the least state in n with a transition to a state, nil if there is none.
func (w *worker) predecessor(state []model.Value, n diagram.Node) (least []model.Value) {
	before := make([]model.Value, len(state))
	for _, r := range w.relations {
		to := uint32(0)
		for d, level := range r.levels[:r.last()] {
			to = extend(&r.targets, d, to, state[w.order[level]])
		}
		becomes := state[w.order[r.levels[r.last()]]]
		for _, key := range r.known {
			prefix, value := intern.Split(key)
			if !leads(w.row(r, prefix, value), to, becomes) {
				continue
			}
			copy(before, state)
			for d, v := range w.shortVector(r, key) {
				before[w.order[r.levels[d]]] = v
			}
			if w.contains(n, before) && (least == nil || model.Compare(w.sys, before, least) < 0) {
				least = slices.Clone(before)
			}
		}
	}
	return least
}

// leads reports whether a row has a target.
func leads(r row, prefix, value uint32) bool {
	for t := r.targets; len(t) > 0; t = t[2:] {
		if t[0] == prefix && t[1] == value {
			return true
		}
	}
	return false
}

// contains reports whether a state is in n.
func (w *worker) contains(n diagram.Node, state []model.Value) bool {
	for _, slot := range w.order {
		n = w.child(n, state[slot])
	}
	return n == diagram.Accept
}

// least returns the state in n that is the first in readable form, see model.Compare. n is held and not empty.
func (w *worker) least(n diagram.Node) []model.Value {
	level := make([]int, len(w.order))
	for l, slot := range w.order {
		level[slot] = l
	}
	state := make([]model.Value, len(w.order))
	for slot := range state {
		values := w.values(n, level[slot])
		state[slot] = slices.MinFunc(values, func(a, b model.Value) int {
			return strings.Compare(w.sys.FormatSlot(slot, a), w.sys.FormatSlot(slot, b))
		})
		n = w.Hold(w.restrict(n, 0, level[slot], state[slot]))
	}
	return state
}

// values returns what stands at a level in the vectors of n.
func (w *worker) values(n diagram.Node, level int) []model.Value {
	layer := map[diagram.Node]bool{n: true}
	for range level {
		next := make(map[diagram.Node]bool)
		for n := range layer {
			for _, a := range w.Arcs(n) {
				next[a.To] = true
			}
		}
		layer = next
	}
	seen := make(map[model.Value]bool)
	var values []model.Value
	for n := range layer {
		for _, a := range w.Arcs(n) {
			if !seen[a.Value] {
				seen[a.Value] = true
				values = append(values, a.Value)
			}
		}
	}
	return values
}

// restrict returns the vectors in n, which begins at a level, with a value at another one, at or below.
func (w *worker) restrict(n diagram.Node, level, at int, value model.Value) diagram.Node {
	if level == at {
		to := w.child(n, value)
		base := w.Begin()
		w.Append(value, to)
		return w.Finish(base)
	}
	key := diagram.Key{Operation: w.restricting + uint32(at), Parameter: value, A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	base := w.Begin()
	for _, a := range w.Arcs(n) {
		w.Append(a.Value, w.restrict(a.To, level+1, at, value))
	}
	result := w.Finish(base)
	w.Store(key, result)
	return result
}
