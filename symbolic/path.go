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

// Path returns a shortest run to a state of a set; the same one as explore.Path. It works out the levels of a
// breadth-first search as far as they are not known, and goes back from one to the other. The error is
// explore.ErrNoPath if the set is empty, or one of Reaching's.
func (s *Space) Path(ctx context.Context, target Set) ([]model.Move, error) {
	if target.Empty() {
		return nil, explore.ErrNoPath
	}
	var moves []model.Move
	var err error
	_, failed := s.work(ctx, func(s *search) diagram.Node {
		level, n := s.distance(target.node)
		if !s.Halted() {
			moves, err = s.path(s.least(n), level)
		}
		return diagram.Empty
	})
	if failed != nil {
		return nil, failed
	}
	return moves, err
}

// distance returns the first level with vectors of n, and these, which are held.
func (s *search) distance(n diagram.Node) (level int, found diagram.Node) {
	for ; ; level++ {
		if level == len(s.levels) && !s.deeper() {
			return level, diagram.Empty
		}
		if found = s.Intersection(s.levels[level], n); found != diagram.Empty {
			return level, s.Hold(found)
		}
	}
}

// path returns a run to a state of a level.
func (s *search) path(state []model.Value, level int) ([]model.Move, error) {
	moves := []model.Move{{State: state}}
	for level--; level >= 0; level-- {
		before := s.predecessor(state, s.levels[level])
		if before == nil {
			return nil, errors.New("search for a run: a state has no predecessor in the level before it")
		}
		step, err := explore.StepBetween(s.sys, before, state, func(model.Step) bool { return true })
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
func (s *search) predecessor(state []model.Value, n diagram.Node) (least []model.Value) {
	before := make([]model.Value, len(state))
	for _, r := range s.relations {
		to := uint32(0)
		for d, level := range r.levels[:r.last()] {
			to = extend(&r.targets, d, to, state[s.order[level]])
		}
		becomes := state[s.order[r.levels[r.last()]]]
		for _, key := range r.known {
			prefix, value := intern.Split(key)
			if !leads(s.row(r, prefix, value), to, becomes) {
				continue
			}
			copy(before, state)
			for d, v := range s.shortVector(r, key) {
				before[s.order[r.levels[d]]] = v
			}
			if s.contains(n, before) && (least == nil || model.Compare(s.sys, before, least) < 0) {
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
func (s *search) contains(n diagram.Node, state []model.Value) bool {
	for _, slot := range s.order {
		n = s.child(n, state[slot])
	}
	return n == diagram.Accept
}

// least returns the first state of n in the order of model.Compare. n must be held and not empty.
func (s *search) least(n diagram.Node) []model.Value {
	level := make([]int, len(s.order))
	for l, slot := range s.order {
		level[slot] = l
	}
	state := make([]model.Value, len(s.order))
	for slot := range state {
		values := s.values(n, level[slot])
		state[slot] = slices.MinFunc(values, func(a, b model.Value) int {
			return strings.Compare(s.sys.FormatSlot(slot, a), s.sys.FormatSlot(slot, b))
		})
		n = s.Hold(s.restrict(n, 0, level[slot], state[slot]))
	}
	return state
}

// values returns what stands at a level in the vectors of n.
func (s *search) values(n diagram.Node, level int) []model.Value {
	layer := map[diagram.Node]bool{n: true}
	for range level {
		next := make(map[diagram.Node]bool)
		for n := range layer {
			for _, a := range s.Arcs(n) {
				next[a.To] = true
			}
		}
		layer = next
	}
	seen := make(map[model.Value]bool)
	var values []model.Value
	for n := range layer {
		for _, a := range s.Arcs(n) {
			if !seen[a.Value] {
				seen[a.Value] = true
				values = append(values, a.Value)
			}
		}
	}
	return values
}

// restrict returns the vectors in n, which begins at a level, with a value at another one, at or below.
func (s *search) restrict(n diagram.Node, level, at int, value model.Value) diagram.Node {
	if level == at {
		to := s.child(n, value)
		base := s.Begin()
		s.Append(value, to)
		return s.Finish(base)
	}
	key := diagram.Key{Operation: s.restricting + uint32(at), Parameter: value, A: n}
	if result, ok := s.Cached(key); ok {
		return result
	}
	base := s.Begin()
	for _, a := range s.Arcs(n) {
		s.Append(a.Value, s.restrict(a.To, level+1, at, value))
	}
	result := s.Finish(base)
	s.Cache(key, result)
	return result
}
