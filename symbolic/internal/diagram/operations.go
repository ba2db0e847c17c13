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
	key := Key{Operation: opUnion, A: a, B: b}
	if n, ok := w.Load(key); ok {
		return n
	}
	if w.Poll() {
		return a
	}
	x, y := w.Arcs(a), w.Arcs(b)
	base := w.Begin()
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Value < y[0].Value:
			w.arcs = append(w.arcs, x[0])
			x = x[1:]
		case x[0].Value > y[0].Value:
			w.arcs = append(w.arcs, y[0])
			y = y[1:]
		default:
			w.Append(x[0].Value, w.Union(x[0].To, y[0].To))
			x, y = x[1:], y[1:]
		}
	}
	w.arcs = append(append(w.arcs, x...), y...)
	n := w.Finish(base)
	w.Store(key, n)
	return n
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
	key := Key{Operation: opIntersection, A: a, B: b}
	if n, ok := w.Load(key); ok {
		return n
	}
	if w.Poll() {
		return Empty
	}
	x, y := w.Arcs(a), w.Arcs(b)
	base := w.Begin()
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Value < y[0].Value:
			x = x[1:]
		case x[0].Value > y[0].Value:
			y = y[1:]
		default:
			w.Append(x[0].Value, w.Intersection(x[0].To, y[0].To))
			x, y = x[1:], y[1:]
		}
	}
	n := w.Finish(base)
	w.Store(key, n)
	return n
}

// Difference returns the vectors that are in a and not in b.
func (w *Worker) Difference(a, b Node) Node {
	switch {
	case a == b || a == Empty:
		return Empty
	case b == Empty:
		return a
	}
	key := Key{Operation: opDifference, A: a, B: b}
	if n, ok := w.Load(key); ok {
		return n
	}
	if w.Poll() {
		return Empty
	}
	x, y := w.Arcs(a), w.Arcs(b)
	base := w.Begin()
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Value < y[0].Value:
			w.arcs = append(w.arcs, x[0])
			x = x[1:]
		case x[0].Value > y[0].Value:
			y = y[1:]
		default:
			w.Append(x[0].Value, w.Difference(x[0].To, y[0].To))
			x, y = x[1:], y[1:]
		}
	}
	w.arcs = append(w.arcs, x...)
	n := w.Finish(base)
	w.Store(key, n)
	return n
}

// Vector returns the set of one vector.
func (w *Worker) Vector(values []uint32) Node {
	n := Accept
	for i := len(values) - 1; i >= 0; i-- {
		n = w.Make([]Arc{{values[i], n}})
	}
	return n
}
