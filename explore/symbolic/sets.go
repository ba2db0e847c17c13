package symbolic

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Set is a set of states of a Space, valid until that is closed.
type Set struct{ node diagram.Node }

// Empty reports whether there is no state in s.
func (s Set) Empty() bool { return s.node == diagram.Empty }

// Reachable returns the reachable states.
func (s *Space) Reachable() Set { return Set{s.search.reachable} }

// Quiescent returns the reachable states with no transitions except the environment's, if the search is complete.
func (s *Space) Quiescent() Set { return Set{s.search.quiescent} }

// work computes a set and pins it. The error is the context's, explore.ErrMemory, or explore.ErrIncomplete if the
// search did not complete.
func (s *Space) work(ctx context.Context, do func(s *search) diagram.Node) (set Set, err error) {
	if err := s.ready(ctx); err != nil {
		return Set{}, err
	}
	s.search.run(ctx, func() { set.node = s.search.Pin(do(s.search)) })
	return set, s.ready(ctx)
}

// ready returns an error if the search can compute nothing more.
func (s *Space) ready(ctx context.Context) error {
	switch why := s.search.why(); {
	case why == explore.Exhausted:
		return nil
	case !s.result.Complete():
		return explore.ErrIncomplete
	case why == explore.MemoryLimit:
		return explore.ErrMemory
	case ctx.Err() != nil:
		return ctx.Err()
	case s.search.modelError != nil:
		return s.search.modelError
	default:
		return fmt.Errorf("symbolic search: %v", why)
	}
}

// Count returns the number of states in a set.
func (s *Space) Count(ctx context.Context, set Set) (n *big.Int, err error) {
	_, err = s.work(ctx, func(s *search) diagram.Node {
		n = s.count(set.node)
		return diagram.Empty
	})
	return n, err
}

// Difference returns the states that are in a and not in b.
func (s *Space) Difference(ctx context.Context, a, b Set) (Set, error) {
	return s.work(ctx, func(s *search) diagram.Node { return s.Difference(a.node, b.node) })
}

// Where returns the states of a set whose classes wanted selects. The observer sees the slots in the order of the
// diagram, Result.Order: its slot i is Order[i]. wanted is called once for each class of whole states.
//
// The observer is a tree automaton. It reads the diagram from the lowest level up: it divides the vectors of each node
// into classes, and the vectors of each class are a node again. So each node is processed once, however many states
// contain it.
func (s *Space) Where(ctx context.Context, set Set, o explore.Observer, wanted func(class uint32) bool) (Set, error) {
	return s.work(ctx, func(s *search) diagram.Node {
		c := &classifier{search: s, parts: make(map[diagram.Node][]part)}
		c.leaves, c.joins = explore.Chain(o, len(s.order))
		defer c.close()
		mark := s.Mark()
		defer s.Release(mark)
		n := diagram.Empty
		for _, p := range c.of(set.node, 0) {
			if wanted(p.class) {
				n = s.Hold(s.Union(n, p.node))
			}
		}
		return n
	})
}

// A classifier divides nodes by the classes of their vectors.
type classifier struct {
	*search
	leaves []func(v model.Value) uint32
	joins  []func(left, right uint32) uint32 // by level: joins the class of its slot and of the slots below
	parts  map[diagram.Node][]part           // pinned
}

// A part of a node consists of its vectors of one class.
type part struct {
	class uint32
	node  diagram.Node
}

// close unpins the known parts.
func (c *classifier) close() {
	for n, parts := range c.parts {
		c.Unpin(n)
		for _, p := range parts {
			c.Unpin(p.node)
		}
	}
}

// of returns the parts of a node at a level.
func (c *classifier) of(n diagram.Node, level int) []part {
	if n == diagram.Empty || c.Halted() {
		return nil
	}
	if parts, ok := c.parts[n]; ok {
		return parts
	}
	var parts []part
	index := make(map[uint32]int) // by class
	add := func(class, value uint32, to diagram.Node) {
		i, ok := index[class]
		if !ok {
			i = len(parts)
			index[class] = i
			parts = append(parts, part{class: class})
		}
		mark := c.Mark()
		more := c.Make([]diagram.Arc{{Value: value, To: to}})
		parts[i].node = c.repin(parts[i].node, c.Union(parts[i].node, c.Hold(more)))
		c.Release(mark)
	}
	last := len(c.order) - 1
	for _, a := range c.Arcs(n) {
		leaf := c.leaves[level](a.Value)
		if level == last && last > 0 {
			add(leaf, a.Value, a.To)
			continue
		}
		below := []part{{node: diagram.Accept}}
		if level < last {
			below = c.of(a.To, level+1)
		}
		for _, p := range below {
			add(c.joins[level](leaf, p.class), a.Value, p.node)
		}
	}
	c.parts[c.Pin(n)] = parts
	return parts
}

// repin pins a node in the place of another one.
func (c *classifier) repin(old, n diagram.Node) diagram.Node {
	c.Pin(n)
	c.Unpin(old)
	return n
}

// Path returns a shortest run to a state of a set, the same one as explore.Path. It computes the levels of a
// breadth-first search, as far as they are unknown, and searches backward through them. The error is explore.ErrNoPath
// if the set is empty, or one of Reaching's.
func (s *Space) Path(ctx context.Context, target Set) ([]model.Move, error) {
	if target.Empty() {
		return nil, explore.ErrNoPath
	}
	var moves []model.Move
	var err error
	_, failed := s.work(ctx, func(s *search) diagram.Node {
		level, n := s.distance(target.node)
		if !s.Halted() {
			moves, err = s.path(s.leastState(n), level)
		}
		return diagram.Empty
	})
	if failed != nil {
		return nil, failed
	}
	return moves, err
}

// distance returns the first level that contains vectors of n, and these vectors, as a node that is held.
func (s *search) distance(n diagram.Node) (level int, found diagram.Node) {
	for ; ; level++ {
		if level == len(s.levels) && !s.addLevel() {
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

// predecessor returns the least state in n with a transition to a state, nil if no state has one.
func (s *search) predecessor(state []model.Value, n diagram.Node) (least []model.Value) {
	before := make([]model.Value, len(state))
	for _, r := range s.relations {
		to := uint32(0)
		for d, level := range r.levels[:r.last()] {
			to = extend(&r.targets, d, to, state[s.order[level]])
		}
		becomes := state[s.order[r.levels[r.last()]]]
		for _, key := range r.keys {
			prefix, value := intern.Split(key)
			if !s.row(r, prefix, value).leads(to, becomes) {
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

// contains reports whether a state is in n.
func (s *search) contains(n diagram.Node, state []model.Value) bool {
	for _, slot := range s.order {
		n = s.child(n, state[slot])
	}
	return n == diagram.Accept
}

// leastState returns the first state of n in the order of model.Compare. n must be held and not empty.
func (s *search) leastState(n diagram.Node) []model.Value {
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

// values returns the values at a level of the vectors in n.
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
	if result, ok := s.LookUp(key); ok {
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
