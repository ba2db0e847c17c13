package symbolic

import (
	"cmp"
	"context"
	"slices"

	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/internal/intern"
)

// unconstrained represents the set of all vectors. It is Accept, which is no other constraint above the last level.
const unconstrained = diagram.Accept

// closure returns the vectors that are reachable from n by the relations that begin at the given level or below:
// saturation (Ciardo, Lüttgen, Siminiceanu: Saturation: an efficient iteration strategy for symbolic state-space
// generation, TACAS 2001), with relations that are computed on the fly (Ciardo, Marmorstein, Siminiceanu: Saturation
// unbound, TACAS 2003).
//
// Constrained by c, which contains n and is closed under the relations, it searches backward: it returns the vectors in
// c from which one in n can be reached (Zhao, Ciardo: Symbolic CTL model checking of asynchronous systems using
// constrained saturation, ATVA 2009).
func (s *search) closure(n, c diagram.Node, level int) diagram.Node {
	if level > s.lowest || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opClosure, Parameter: uint32(level), A: n, B: c}
	if result, ok := s.LookUp(key); ok {
		return result
	}
	if s.Halted() {
		return n
	}
	base := s.Begin()
	for _, a := range s.Arcs(n) {
		s.Append(a.Value, s.closure(a.To, s.child(c, a.Value), level+1))
	}
	mark := s.Mark()
	result := s.saturate(s.Hold(s.Finish(base)), c, level)
	s.Release(mark)
	s.Cache(key, result)
	return result
}

// saturate is closure for a node whose arcs lead to closed sets. The arcs that fire and preimage add also lead to
// closed sets, and so do unions of them. It remains to apply the relations that begin at this level, all of them for
// each arc that has changed, until nothing changes.
//
// Below the slots of a transition, c allows after it all that it allows before it. So a set that is closed there stays
// closed when it is intersected with the part of c before the transition. The same is true of the complement in c of a
// closed set, because no relation leads from there into the set: preimage looks for new vectors only.
func (s *search) saturate(n, c diagram.Node, level int) diagram.Node {
	if len(s.tops[level]) == 0 || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opSaturate, Parameter: uint32(level), A: n, B: c}
	if result, ok := s.LookUp(key); ok {
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
			if c == unconstrained {
				s.addImage(b, r, arc, true)
				continue
			}
			for _, from := range r.inverse.was[arc.Value] {
				left := s.Hold(s.Difference(s.child(c, from), b.Target(from)))
				b.Add(s.Store, from, s.Hold(s.preimage(r, 1, from, arc.Value, arc.To, left, level+1)))
			}
		}
		s.Release(mark)
		if level == 0 && s.wanted() {
			mark := s.Mark()
			s.survey(s.Hold(b.Node(s.Store)))
			s.Release(mark)
		}
	}
	mark := s.Mark()
	result := s.Hold(b.Finish(s.Store))
	s.Cache(key, result)
	key.A = result
	s.Cache(key, result)
	s.Release(mark)
	return result
}

// addImage adds the image under r of the vectors of an arc to b, a node at the highest level of r. With closing, it is
// closed below that level.
func (s *search) addImage(b *diagram.Builder, r *relation, arc diagram.Arc, closing bool) {
	if r.last() == 0 {
		for targets := s.row(r, 0, arc.Value).targets; len(targets) > 0; targets = targets[2:] {
			b.Add(s.Store, targets[1], arc.To)
		}
		return
	}
	mark := s.Mark()
	for _, a := range s.Arcs(s.Hold(s.fire(r, 1, arc.Value, arc.To, r.levels[0]+1, closing))) {
		b.Add(s.Store, a.Value, a.To)
	}
	s.Release(mark)
}

func byKey(x, y diagram.Item) int { return cmp.Compare(x.Key, y.Key) }

// fire returns the image under r of the vectors in n, which begin at the given level. prefix is the values of the depth
// slots of r above it; their values afterwards may depend on the slots below, so the result has an arc for each prefix
// of a target, to the vectors below, which are closed if closing is set.
func (s *search) fire(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) diagram.Node {
	to := stepping
	if closing {
		to = saturating
	}
	key := diagram.Key{Operation: r.operation(to, depth), Parameter: prefix, A: n}
	if result, ok := s.LookUp(key); ok {
		return result
	}
	if s.Halted() {
		return diagram.Empty
	}
	base := len(s.Items)
	switch {
	case level < r.levels[depth]:
		s.across(r, depth, prefix, n, level, closing)
	case depth < r.last():
		s.through(r, depth, prefix, n, level, closing)
	default:
		s.bottom(r, prefix, n)
	}
	result := s.bundle(base, level, closing)
	s.Cache(key, result)
	return result
}

// item appends the vectors that begin with a value and continue in n, under a prefix.
func (s *search) item(prefix, value uint32, n diagram.Node) {
	s.Items = append(s.Items, diagram.Item{Key: intern.Pair(prefix, value), Node: n})
}

// across is fire at a level that is not a slot of r.
func (s *search) across(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) {
	for _, a := range s.Arcs(n) {
		s.items(a.Value, s.fire(r, depth, prefix, a.To, level+1, closing))
	}
}

func (s *search) items(value uint32, n diagram.Node) {
	for _, a := range s.Arcs(n) {
		s.item(a.Value, value, a.To)
	}
}

// through is fire at a slot of r that is not the last.
func (s *search) through(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) {
	for _, a := range s.Arcs(n) {
		longer := extend(&r.prefixes, depth, prefix, a.Value)
		for _, x := range s.Arcs(s.fire(r, depth+1, longer, a.To, level+1, closing)) {
			shorter, value := split(&r.targets, depth, x.Value)
			s.item(shorter, value, x.To)
		}
	}
}

// bottom is fire at the last slot of r.
func (s *search) bottom(r *relation, prefix uint32, n diagram.Node) {
	for _, a := range s.Arcs(n) {
		targets := s.row(r, prefix, a.Value).targets
		for i := 0; i < len(targets); i += 2 {
			s.item(targets[i], targets[i+1], a.To)
		}
	}
}

// bundle makes a node for each prefix of the items since base, and a node with arcs to these.
func (s *search) bundle(base, level int, closing bool) diagram.Node {
	slices.SortFunc(s.Items[base:], byKey)
	made, end := base, len(s.Items) // the items before this index have been processed
	for i := base; i < end; {
		prefix, _ := intern.Split(s.Items[i].Key)
		from := i
		var n diagram.Node
		if n, i = s.gather(from, end, prefix); closing {
			mark := s.Mark()
			n = s.saturate(s.Hold(n), unconstrained, level)
			s.Release(mark)
		}
		if n != diagram.Empty {
			s.Items[made] = diagram.Item{Key: uint64(prefix), Node: n}
			made++
		}
	}
	b := s.Begin()
	for _, x := range s.Items[base:made] {
		s.Append(uint32(x.Key), x.Node)
	}
	result := s.Finish(b)
	s.Items = s.Items[:base]
	return result
}

// gather makes a node of the items of one prefix from index i on, and returns the index after them.
func (s *search) gather(i, end int, prefix uint32) (diagram.Node, int) {
	b := s.Begin()
	for i < end {
		p, value := intern.Split(s.Items[i].Key)
		if p != prefix {
			break
		}
		mark := s.Mark()
		n := s.Items[i].Node
		for i++; i < end && s.Items[i].Key == intern.Pair(prefix, value); i++ {
			n = s.Hold(s.Union(n, s.Items[i].Node))
		}
		s.Release(mark)
		s.Append(value, n)
	}
	return s.Finish(b), i
}

// Reaching returns the reachable states from which a state of a set can be reached.
func (s *Space) Reaching(ctx context.Context, goal Set) (Set, error) {
	return s.work(ctx, func(s *search) diagram.Node {
		for _, r := range s.relations {
			r.reverse(s)
		}
		n := s.Intersection(goal.node, s.reachable)
		s.Pin(n)
		defer s.Unpin(n)
		return s.closure(n, s.reachable, 0)
	})
}

// An inverse has the known rows of a relation, by prefix: for each depth from 1 on, the prefixes to which it can lead,
// and for depth 1 the prefixes that lead to it.
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
	for _, key := range r.keys {
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

// insert adds x to a sorted list if it is absent.
func insert(list []uint32, x uint32) []uint32 {
	if i, ok := slices.BinarySearch(list, x); !ok {
		return slices.Insert(list, i, x)
	}
	return list
}

// preimage returns the vectors in c from which r leads to one in n, closed. from and to are the values of the depth
// slots of r above, before and after.
func (s *search) preimage(r *relation, depth int, from, to uint32, n, c diagram.Node, level int) diagram.Node {
	switch {
	case n == diagram.Empty || c == diagram.Empty:
		return diagram.Empty
	case depth > r.last():
		return s.Intersection(n, c)
	}
	edge := r.inverse.edges.Number(intern.Pair(from, to))
	key := diagram.Key{Operation: r.operation(reversing, depth), Parameter: edge, A: n, B: c}
	if result, ok := s.LookUp(key); ok {
		return result
	}
	if s.Halted() {
		return diagram.Empty
	}
	base := s.Begin()
	for _, a := range s.Arcs(c) {
		if level < r.levels[depth] {
			s.Append(a.Value, s.preimage(r, depth, from, to, s.child(n, a.Value), a.To, level+1))
			continue
		}
		s.Append(a.Value, s.preimageAt(r, depth, from, to, n, a, level))
	}
	mark := s.Mark()
	result := s.saturate(s.Hold(s.Finish(base)), c, level)
	s.Release(mark)
	s.Cache(key, result)
	return result
}

// preimageAt is preimage for one arc of c at a slot of r.
func (s *search) preimageAt(
	r *relation, depth int, from, to uint32, n diagram.Node, a diagram.Arc, level int,
) diagram.Node {
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
			add(s.preimage(r, depth+1, longer, target, s.child(n, value), a.To, level+1))
		}
	}
	return all
}

// child returns the target of an arc of n, Empty if there is no such arc, unconstrained for unconstrained.
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
