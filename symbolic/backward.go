package symbolic

import (
	"context"
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/symbolic/internal/diagram"
)

// Reaching returns the reachable states from which a state of a set can be reached: saturation backward, constrained to
// the reachable states (Zhao, Ciardo: Symbolic CTL model checking of asynchronous systems using constrained saturation,
// ATVA 2009).
func (s *Space) Reaching(ctx context.Context, goal Set) (Set, error) {
	return s.work(ctx, func(s *search) diagram.Node {
		for _, r := range s.relations {
			r.reverse(s)
		}
		n := s.Intersection(goal.node, s.reached)
		s.Pin(n)
		defer s.Unpin(n)
		return s.closureBack(n, s.reached, 0)
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

// closureBack returns the vectors in c from which one in n, a part of c, can be reached by the relations that begin at
// the given level or below. No relation leads out of c.
func (s *search) closureBack(n, c diagram.Node, level int) diagram.Node {
	if level > s.lowest || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opClosureBack, Parameter: uint32(level), A: n, B: c}
	if result, ok := s.Cached(key); ok {
		return result
	}
	if s.Halted() {
		return n
	}
	base := s.Begin()
	for _, a := range s.Arcs(n) {
		s.Append(a.Value, s.closureBack(a.To, s.child(c, a.Value), level+1))
	}
	mark := s.Mark()
	result := s.saturateBack(s.Hold(s.Finish(base)), c, level)
	s.Release(mark)
	s.Cache(key, result)
	return result
}

// saturateBack is closureBack for a node whose arcs lead to closed sets. What is in a part of c that the transitions of
// r do not touch is in all that they lead to or come from; that is why what is closed there stays closed when it is cut
// down to another part of c.
func (s *search) saturateBack(n, c diagram.Node, level int) diagram.Node {
	if len(s.tops[level]) == 0 || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opSaturateBack, Parameter: uint32(level), A: n, B: c}
	if result, ok := s.Cached(key); ok {
		return result
	}
	b := s.Builder()
	for _, a := range s.Arcs(n) {
		b.Add(s.Store, a.Value, a.To)
	}
	for arc, ok := b.Next(); ok && !s.Halted(); arc, ok = b.Next() {
		mark := s.Mark()
		s.Hold(arc.To)
		for _, r := range s.tops[level] {
			for _, from := range r.inverse.was[arc.Value] {
				before := s.back(r, 1, from, arc.Value, arc.To, s.child(c, from), level+1)
				b.Add(s.Store, from, s.Hold(before))
			}
		}
		s.Release(mark)
	}
	result := b.Finish(s.Store)
	s.Cache(key, result)
	return result
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
	result := s.saturateBack(s.Hold(s.Finish(base)), c, level)
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

// child returns what an arc of n leads to, Empty if there is no such arc.
func (s *search) child(n diagram.Node, value uint32) diagram.Node {
	arcs := s.Arcs(n)
	i, ok := slices.BinarySearchFunc(arcs, value, func(a diagram.Arc, v uint32) int { return int(a.Value) - int(v) })
	if !ok {
		return diagram.Empty
	}
	return arcs[i].To
}
