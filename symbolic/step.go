package symbolic

import (
	"cmp"
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/symbolic/internal/diagram"
)

// after adds image(r, arc) to b, a node at the highest level of r.
func (w *worker) after(b *diagram.Builder, r *relation, arc diagram.Arc, closing bool) {
	mark := w.Mark()
	for _, a := range w.Arcs(w.Hold(w.image(r, arc, closing))) {
		b.Add(w.Worker, a.Value, a.To)
	}
	w.Release(mark)
}

// image returns where r leads from the vectors of an arc at its highest level. With closing, what lies below that level is closed.
func (w *worker) image(r *relation, arc diagram.Arc, closing bool) diagram.Node {
	if r.last() > 0 {
		return w.fire(r, 1, arc.Value, arc.To, r.levels[0]+1, closing)
	}
	base := len(w.Items)
	for targets := w.row(r, 0, arc.Value).targets; len(targets) > 0; targets = targets[2:] {
		w.item(0, targets[1], arc.To)
	}
	slices.SortFunc(w.Items[base:], byKey)
	n, _ := w.gather(base, len(w.Items), 0)
	w.Items = w.Items[:base]
	return n
}

func byKey(x, y diagram.Item) int { return cmp.Compare(x.Key, y.Key) }

// fire returns where r leads from the vectors in n, which begin at the given level. Of the slots of r above, depth in number,
// prefix says what they hold; what they hold afterwards may depend on the slots below, so that the result has an arc for each
// prefix of a target, to the vectors below. With closing, they are closed.
//
// Levels that r does not name stay as they are, and below the last one that it names there is nothing to do.
func (w *worker) fire(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) diagram.Node {
	to := stepping
	if closing {
		to = saturating
	}
	key := diagram.Key{Operation: r.operation(to, depth), Parameter: prefix, A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	if w.Poll() {
		return diagram.Empty
	}
	base := len(w.Items)
	switch {
	case level < r.levels[depth]:
		w.across(r, depth, prefix, n, level, closing)
	case depth < r.last():
		w.through(r, depth, prefix, n, level, closing)
	default:
		w.bottom(r, prefix, n)
	}
	result := w.bundle(base, level, closing)
	w.Store(key, result)
	return result
}

// item appends a vector set that begins with a value and is to be found under a prefix.
func (w *worker) item(prefix, value uint32, n diagram.Node) {
	w.Items = append(w.Items, diagram.Item{Key: intern.Pair(prefix, value), Node: n})
}

// across does fire at a level that r does not name.
func (w *worker) across(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) {
	arcs := w.Arcs(n)
	if len(arcs) < 2 || w.Alone() {
		for _, a := range arcs {
			w.items(a.Value, w.fire(r, depth, prefix, a.To, level+1, closing))
		}
		return
	}
	results := w.All(len(arcs), func(other *diagram.Worker, i int) diagram.Node {
		return w.like(other).fire(r, depth, prefix, arcs[i].To, level+1, closing)
	})
	for i, a := range arcs {
		w.items(a.Value, results[i])
	}
	w.Drop()
}

// items appends what the arcs of n lead to, each to be found under the value of the arc.
func (w *worker) items(value uint32, n diagram.Node) {
	for _, a := range w.Arcs(n) {
		w.item(a.Value, value, a.To)
	}
}

// through does fire at a level that r names and that is not the last.
func (w *worker) through(r *relation, depth int, prefix uint32, n diagram.Node, level int, closing bool) {
	for _, a := range w.Arcs(n) {
		longer := extend(&r.prefixes, depth, prefix, a.Value)
		for _, x := range w.Arcs(w.fire(r, depth+1, longer, a.To, level+1, closing)) {
			shorter, value := split(&r.targets, depth, x.Value)
			w.item(shorter, value, x.To)
		}
	}
}

// bottom does fire at the last level that r names.
func (w *worker) bottom(r *relation, prefix uint32, n diagram.Node) {
	for _, a := range w.Arcs(n) {
		targets := w.row(r, prefix, a.Value).targets
		for i := 0; i < len(targets); i += 2 {
			w.item(targets[i], targets[i+1], a.To)
		}
	}
}

// bundle makes of the items since base a node for each prefix, and a node with arcs to those.
func (w *worker) bundle(base, level int, closing bool) diagram.Node {
	slices.SortFunc(w.Items[base:], byKey)
	made, end := base, len(w.Items) // the items before made are done
	for i := base; i < end; {
		prefix, _ := intern.Split(w.Items[i].Key)
		from := i
		var n diagram.Node
		if n, i = w.gather(from, end, prefix); closing {
			mark := w.Mark()
			n = w.saturate(w.Hold(n), level)
			w.Release(mark)
		}
		if n != diagram.Empty {
			w.Items[made] = diagram.Item{Key: uint64(prefix), Node: n}
			made++
		}
	}
	b := w.Begin()
	for _, x := range w.Items[base:made] {
		w.Append(uint32(x.Key), x.Node)
	}
	result := w.Finish(b)
	w.Items = w.Items[:base]
	return result
}

// gather makes a node of the items of one prefix from index i on, and returns the index behind them.
func (w *worker) gather(i, end int, prefix uint32) (diagram.Node, int) {
	b := w.Begin()
	for i < end {
		p, value := intern.Split(w.Items[i].Key)
		if p != prefix {
			break
		}
		mark := w.Mark()
		n := w.Items[i].Node
		for i++; i < end && w.Items[i].Key == intern.Pair(prefix, value); i++ {
			n = w.Hold(w.Union(n, w.Items[i].Node))
		}
		w.Release(mark)
		w.Append(value, n)
	}
	return w.Finish(b), i
}
