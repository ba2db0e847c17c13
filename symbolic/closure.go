package symbolic

import (
	"ringcheck/symbolic/internal/diagram"
)

// closure returns what is reachable from the vectors in n by the relations that begin at the given level or below: saturation
// (Ciardo, Lüttgen, Siminiceanu: Saturation: an efficient iteration strategy for symbolic state-space generation, TACAS
// 2001), with relations that are learned on the way (Ciardo, Marmorstein, Siminiceanu: Saturation unbound, TACAS 2003).
func (w *worker) closure(n diagram.Node, level int) diagram.Node {
	if level == len(w.tops) || n == diagram.Empty {
		return n
	}
	key := diagram.Key{Operation: opClosure, Parameter: uint32(level), A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	base := w.Begin()
	for _, a := range w.Arcs(n) {
		w.Append(a.Value, w.closure(a.To, level+1))
	}
	mark := w.Mark()
	result := w.saturate(w.Hold(w.Finish(base)), level)
	w.Release(mark)
	w.Store(key, result)
	return result
}

// saturate is closure for a node whose arcs lead to closed sets. What fire returns at a level is made of sets that are
// closed below; so are unions of closed sets. What remains is to take the relations that begin at this level until nothing
// is new: each time an arc has changed, all of them.
func (w *worker) saturate(n diagram.Node, level int) diagram.Node {
	if len(w.tops[level]) == 0 || n == diagram.Empty {
		return n
	}
	key := diagram.Key{Operation: opSaturate, Parameter: uint32(level), A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	b := w.Builder()
	for _, a := range w.Arcs(n) {
		b.Add(w.Worker, a.Value, a.To)
	}
	for !w.Poll() && w.settle(b, level) {
		if level == 0 && w.wanted() {
			mark := w.Mark()
			w.survey(w.Hold(b.Node(w.Worker)))
			w.Release(mark)
		}
	}
	mark := w.Mark()
	result := w.Hold(b.Finish(w.Worker))
	w.Store(key, result)
	key.A = result
	w.Store(key, result)
	w.Release(mark)
	return result
}

// settle takes the relations of a level from an arc that has changed, or from all of them if others can help. It returns false if
// there is none.
func (w *worker) settle(b *diagram.Builder, level int) bool {
	arc, ok := b.Next()
	if !ok {
		return false
	}
	if !w.Alone() {
		w.settleTogether(b, level, arc)
		return true
	}
	mark := w.Mark()
	w.Hold(arc.To)
	for _, r := range w.tops[level] {
		w.after(b, r, arc, true)
	}
	w.Release(mark)
	return true
}

// settleTogether takes the relations of a level from an arc and from all others that have changed. What they lead to is worked
// out by whoever has time; then the cache has it.
func (w *worker) settleTogether(b *diagram.Builder, level int, arc diagram.Arc) {
	mark := w.Mark()
	defer w.Release(mark)
	relations := w.tops[level]
	var changed []diagram.Arc
	for ok := true; ok; arc, ok = b.Next() {
		w.Hold(arc.To)
		changed = append(changed, arc)
	}
	results := w.All(len(changed)*len(relations), func(other *diagram.Worker, i int) diagram.Node {
		return w.like(other).image(relations[i%len(relations)], changed[i/len(relations)], true)
	})
	defer w.Drop()
	for _, n := range results {
		for _, a := range w.Arcs(n) {
			b.Add(w.Worker, a.Value, a.To)
		}
	}
}
