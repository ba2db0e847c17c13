package symbolic

import (
	"context"
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/symbolic/internal/diagram"
)

// Reaching returns the reachable states from which a state of a set can be reached: saturation backward, constrained to
// the reachable states (Zhao, Ciardo: Symbolic CTL model checking of asynchronous systems using constrained saturation, ATVA
// 2009).
func (s *Space) Reaching(ctx context.Context, goal Set) (Set, error) {
	return s.work(ctx, func(w *worker) diagram.Node {
		for _, r := range w.relations {
			r.reverse(w)
		}
		n := w.Intersection(goal.node, w.reached)
		w.store.Pin(n)
		defer w.store.Unpin(n)
		return w.closureBack(n, w.reached, 0)
	})
}

// An inverse is the known rows of a relation, by prefix: for each depth from 1 on, what a prefix can become, and for depth 1 what
// it can have been.
type inverse struct {
	becomes []map[uint32][]uint32 // by depth and prefix
	was     map[uint32][]uint32
	edges   intern.Pairs // of a prefix before and after
}

// reverse works the inverse out.
func (r *relation) reverse(w *worker) {
	if r.inverse != nil {
		return
	}
	in := &inverse{was: make(map[uint32][]uint32)}
	for range r.levels {
		in.becomes = append(in.becomes, make(map[uint32][]uint32))
	}
	for _, key := range r.known {
		from, value := intern.Split(key)
		for targets := w.row(r, from, value).targets; len(targets) > 0; targets = targets[2:] {
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

// insert adds a number to a list in ascending order, unless it is there.
func insert(list []uint32, x uint32) []uint32 {
	if i, ok := slices.BinarySearch(list, x); !ok {
		return slices.Insert(list, i, x)
	}
	return list
}

// closureBack returns the vectors in c from which one in n, a part of c, can be reached by the relations that begin at the
// given level or below. No relation leads out of c.
func (w *worker) closureBack(n, c diagram.Node, level int) diagram.Node {
	if level > w.lowest || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opClosureBack, Parameter: uint32(level), A: n, B: c}
	if result, ok := w.Load(key); ok {
		return result
	}
	if w.Poll() {
		return n
	}
	base := w.Begin()
	for _, a := range w.Arcs(n) {
		w.Append(a.Value, w.closureBack(a.To, w.child(c, a.Value), level+1))
	}
	mark := w.Mark()
	result := w.saturateBack(w.Hold(w.Finish(base)), c, level)
	w.Release(mark)
	w.Store(key, result)
	return result
}

// saturateBack is closureBack for a node whose arcs lead to closed sets. What is in a part of c that the transitions of r do not
// touch is in all that they lead to or come from; that is why what is closed there stays closed when it is cut down to another
// part of c.
func (w *worker) saturateBack(n, c diagram.Node, level int) diagram.Node {
	if len(w.tops[level]) == 0 || n == diagram.Empty || n == c {
		return n
	}
	key := diagram.Key{Operation: opSaturateBack, Parameter: uint32(level), A: n, B: c}
	if result, ok := w.Load(key); ok {
		return result
	}
	b := w.Builder()
	for _, a := range w.Arcs(n) {
		b.Add(w.Worker, a.Value, a.To)
	}
	for arc, ok := b.Next(); ok && !w.Poll(); arc, ok = b.Next() {
		mark := w.Mark()
		w.Hold(arc.To)
		for _, r := range w.tops[level] {
			for _, from := range r.inverse.was[arc.Value] {
				before := w.back(r, 1, from, arc.Value, arc.To, w.child(c, from), level+1)
				b.Add(w.Worker, from, w.Hold(before))
			}
		}
		w.Release(mark)
	}
	result := b.Finish(w.Worker)
	w.Store(key, result)
	return result
}

// back returns the vectors in c from which r leads to one in n, closed. Of the slots of r above, depth in number, the prefix from
// says what they hold before, and to what they hold afterwards.
func (w *worker) back(r *relation, depth int, from, to uint32, n, c diagram.Node, level int) diagram.Node {
	switch {
	case n == diagram.Empty || c == diagram.Empty:
		return diagram.Empty
	case depth > r.last():
		return w.Intersection(n, c)
	}
	edge := r.inverse.edges.Number(intern.Pair(from, to))
	key := diagram.Key{Operation: r.operation(backing, depth), Parameter: edge, A: n, B: c}
	if result, ok := w.Load(key); ok {
		return result
	}
	if w.Poll() {
		return diagram.Empty
	}
	base := w.Begin()
	for _, a := range w.Arcs(c) {
		if level < r.levels[depth] {
			w.Append(a.Value, w.back(r, depth, from, to, w.child(n, a.Value), a.To, level+1))
			continue
		}
		w.Append(a.Value, w.backAt(r, depth, from, to, n, a, level))
	}
	mark := w.Mark()
	result := w.saturateBack(w.Hold(w.Finish(base)), c, level)
	w.Release(mark)
	w.Store(key, result)
	return result
}

// backAt does back for one arc of c at a level that r names.
func (w *worker) backAt(r *relation, depth int, from, to uint32, n diagram.Node, a diagram.Arc, level int) diagram.Node {
	mark := w.Mark()
	defer w.Release(mark)
	all := diagram.Empty
	add := func(some diagram.Node) { all = w.Hold(w.Union(all, w.Hold(some))) }
	if depth == r.last() {
		for targets := w.row(r, from, a.Value).targets; len(targets) > 0; targets = targets[2:] {
			if targets[0] == to {
				add(w.Intersection(w.child(n, targets[1]), a.To))
			}
		}
		return all
	}
	longer := extend(&r.prefixes, depth, from, a.Value)
	for _, target := range r.inverse.becomes[depth+1][longer] {
		if shorter, value := split(&r.targets, depth, target); shorter == to {
			add(w.back(r, depth+1, longer, target, w.child(n, value), a.To, level+1))
		}
	}
	return all
}

// child returns what an arc of n leads to, Empty if there is no such arc.
func (w *worker) child(n diagram.Node, value uint32) diagram.Node {
	arcs := w.Arcs(n)
	i, ok := slices.BinarySearchFunc(arcs, value, func(a diagram.Arc, v uint32) int { return int(a.Value) - int(v) })
	if !ok {
		return diagram.Empty
	}
	return arcs[i].To
}
