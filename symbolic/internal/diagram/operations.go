package diagram

// Union returns the vectors that are in a or in b, which are sets of vectors of one length.
func (w *Worker) Union(a, b Node) Node {
	switch {
	case a == b || b == Empty:
		return a
	case a == Empty:
		return b
	case a > b:
		a, b = b, a
	}
	return w.merge(opUnion, a, b)
}

// Intersection returns the vectors that are in a and in b.
func (w *Worker) Intersection(a, b Node) Node {
	switch {
	case a == b:
		return a
	case a == Empty || b == Empty:
		return Empty
	case a > b:
		a, b = b, a
	}
	return w.merge(opIntersection, a, b)
}

// Difference returns the vectors that are in a and not in b.
func (w *Worker) Difference(a, b Node) Node {
	switch {
	case a == b || a == Empty:
		return Empty
	case b == Empty:
		return a
	}
	return w.merge(opDifference, a, b)
}

// merge works an operation out for two different sets that are not empty: it goes through the arcs of both in the order of their values.
func (w *Worker) merge(operation uint32, a, b Node) Node {
	key := Key{Operation: operation, A: a, B: b}
	if n, ok := w.Load(key); ok {
		return n
	}
	left, right := operation != opIntersection, operation == opUnion // what is in this set only stays
	if w.Poll() {
		if right {
			return a // part of the union
		}
		return Empty
	}
	x, y := w.Arcs(a), w.Arcs(b)
	base := w.Begin()
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Value < y[0].Value:
			if left {
				w.arcs = append(w.arcs, x[0])
			}
			x = x[1:]
		case x[0].Value > y[0].Value:
			if right {
				w.arcs = append(w.arcs, y[0])
			}
			y = y[1:]
		default:
			w.Append(x[0].Value, w.mergeBelow(operation, x[0].To, y[0].To))
			x, y = x[1:], y[1:]
		}
	}
	if left {
		w.arcs = append(w.arcs, x...)
	}
	if right {
		w.arcs = append(w.arcs, y...)
	}
	n := w.Finish(base)
	w.Store(key, n)
	return n
}

func (w *Worker) mergeBelow(operation uint32, a, b Node) Node {
	switch operation {
	case opUnion:
		return w.Union(a, b)
	case opIntersection:
		return w.Intersection(a, b)
	}
	return w.Difference(a, b)
}

// Vector returns the set of one vector.
func (w *Worker) Vector(values []uint32) Node {
	n := Accept
	for i := len(values) - 1; i >= 0; i-- {
		n = w.Make([]Arc{{values[i], n}})
	}
	return n
}
