package symbolic

import (
	"context"
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/symbolic/internal/diagram"
)

// Reaching returns the reachable states from which a state of a set can be reached.
func (s *Space) Reaching(ctx context.Context, goal Set) (Set, error) {
	return s.work(ctx, func(s *search) diagram.Node {
		for _, r := range s.relations {
			r.reverse(s)
		}
		n := s.Intersection(goal.node, s.reached)
		s.Pin(n)
		defer s.Unpin(n)
		return s.closure(n, s.reached, 0)
	})
}

// An inverse is the known rows of a relation, by prefix: for each depth from 1 on, what a prefix can become, and for
// depth 1 what it can have been.
type inverse struct {
	becomes []map[uint32][]uint32 // by depth and prefix
	was     map[uint32][]uint32
	edges   intern.Pairs // of a prefix before and after
}

// reverse computes the inverse of r.
func (r *relation) reverse(s *search) {
	if r.inverse != nil {
		return
	}
	in := &inverse{was: make(map[uint32][]uint32)}
	for range r.levels {
		in.becomes = append(in.becomes, make(map[uint32][]uint32))
	}
	for _, key := range r.known {
		from, value := intern.Split(key)
		for targets := s.row(r, from, value).targets; len(targets) > 0; targets = targets[2:] {
			in.add(r, from, value, targets[0], targets[1])
		}
	}
	r.inverse = in
}

// add adds a transition from one short vector to another, both given as a prefix and the last value.
func (in *inverse) add(r *relation, from, value, to, becomes uint32) {
	if r.last() == 0 {
		in.was[becomes] = insert(in.was[becomes], value)
		return
	}
	for d := r.last(); ; d-- {
		in.becomes[d][from] = insert(in.becomes[d][from], to)
		if d == 1 {
			in.was[to] = insert(in.was[to], from)
			return
		}
		from, _ = split(&r.prefixes, d-1, from)
		to, _ = split(&r.targets, d-1, to)
	}
}

// insert adds x to a sorted list unless it is present.
func insert(list []uint32, x uint32) []uint32 {
	if i, ok := slices.BinarySearch(list, x); !ok {
		return slices.Insert(list, i, x)
	}
	return list
}

// back returns the vectors in c from which r leads to one in n, closed. Of the slots of r above, depth in number, the
// prefix from says what they hold before, and to what they hold afterwards.
func (s *search) back(r *relation, depth int, from, to uint32, n, c diagram.Node, level int) diagram.Node {
	switch {
	case n == diagram.Empty || c == diagram.Empty:
		return diagram.Empty
	case depth > r.last():
		return s.Intersection(n, c)
	}
	edge := r.inverse.edges.Number(intern.Pair(from, to))
	key := diagram.Key{Operation: r.operation(backing, depth), Parameter: edge, A: n, B: c}
	if result, ok := s.Cached(key); ok {
		return result
	}
	if s.Halted() {
		return diagram.Empty
	}
	base := s.Begin()
	for _, a := range s.Arcs(c) {
		if level < r.levels[depth] {
			s.Append(a.Value, s.back(r, depth, from, to, s.child(n, a.Value), a.To, level+1))
			continue
		}
		s.Append(a.Value, s.backAt(r, depth, from, to, n, a, level))
	}
	mark := s.Mark()
	result := s.saturate(s.Hold(s.Finish(base)), c, level)
	s.Release(mark)
	s.Cache(key, result)
	return result
}

// backAt does back for one arc of c at a level that r names.
func (s *search) backAt(r *relation, depth int, from, to uint32, n diagram.Node, a diagram.Arc, level int) diagram.Node {
	mark := s.Mark()
	defer s.Release(mark)
	all := diagram.Empty
	add := func(some diagram.Node) { all = s.Hold(s.Union(all, s.Hold(some))) }
	if depth == r.last() {
		for targets := s.row(r, from, a.Value).targets; len(targets) > 0; targets = targets[2:] {
			if targets[0] == to {
				add(s.Intersection(s.child(n, targets[1]), a.To))
			}
		}
		return all
	}
	longer := extend(&r.prefixes, depth, from, a.Value)
	for _, target := range r.inverse.becomes[depth+1][longer] {
		if shorter, value := split(&r.targets, depth, target); shorter == to {
			add(s.back(r, depth+1, longer, target, s.child(n, value), a.To, level+1))
		}
	}
	return all
}

// child returns what an arc of n leads to, Empty if there is no such arc; of unconstrained, that
// itself.
func (s *search) child(n diagram.Node, value uint32) diagram.Node {
	if n == unconstrained {
		return n
	}
	arcs := s.Arcs(n)
	i, ok := slices.BinarySearchFunc(arcs, value, func(a diagram.Arc, v uint32) int { return int(a.Value) - int(v) })
	if !ok {
		return diagram.Empty
	}
	return arcs[i].To
}
