package product

import "slices"

// A walk is a search for cycles in the components of a fragment.
type walk struct {
	*fragment
	reached []uint32 // by node: the number of the search that has reached it
	now     uint32   // the number of this search
	by      []walkEdge
	queue   []uint32
	edges   int // the number of edges that were examined
}

// A walkEdge is an edge by which a search reached a node: its source, and its index in fragment.edges.
type walkEdge struct{ from, edge uint32 }

// cycle returns a cycle with all marks through a node of a fair component: a path to the nearest edge with a missing
// mark, again and again, and back.
func (w *walk) cycle(home uint32) (way []pathEdge) {
	have, enabled := uint64(0), uint64(0)
	at := w.start(home)
	for {
		missing := w.missingMarks(have, enabled)
		if missing == 0 && at.node == home && len(way) > 0 {
			return way
		}
		var hops []walkEdge
		if missing != 0 && at.images != nil {
			hops = w.pathOfThreads(at, missing)
		} else {
			hops = w.path(at.node, func(e *fragmentEdge) bool {
				return missing == 0 && e.to == home || w.marks[e.marks]&missing != 0
			})
		}
		for _, h := range hops {
			e := &w.fragment.edges.All[h.edge]
			have |= at.atStart(w.marks[e.marks])
			enabled |= at.atStart(w.enabled[h.from])
			way = append(way, pathEdge{w.nodes[h.from], w.nodes[e.to], e.kind, e.by, w.marks[e.marks],
				w.enabled[h.from]})
			w.advance(&at, e)
		}
	}
}

// path returns a shortest path in the component of a node that ends with a goal. There is one, since components are
// strongly connected.
func (w *walk) path(from uint32, goal func(e *fragmentEdge) bool) []walkEdge {
	w.now++
	w.reached[from] = w.now
	w.queue = append(w.queue[:0], from)
	for at := 0; ; at++ {
		n := w.queue[at]
		w.effort.Tick()
		for i := w.fragment.edges.At[n]; i < w.fragment.edges.At[n+1]; i++ {
			if w.edges++; !w.inner.Has(i) {
				continue
			}
			e := &w.fragment.edges.All[i]
			if goal(e) {
				way := []walkEdge{{n, i}}
				for ; n != from; n = w.by[n].from {
					way = append(way, w.by[n])
				}
				slices.Reverse(way)
				return way
			}
			if w.reached[e.to] != w.now {
				w.reached[e.to], w.by[e.to] = w.now, walkEdge{n, i}
				w.queue = append(w.queue, e.to)
			}
		}
	}
}
