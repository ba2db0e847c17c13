package product

import (
	"math/bits"
	"slices"

	"ringcheck/internal/graph"
)

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

// A threadWalk is a node on a walk, with the actions at its start to which its actions belong; images is nil if actions
// are not followed.
type threadWalk struct {
	threads *threads
	node    uint32
	images  []uint8
}

// start returns the start of a walk.
func (f *fragment) start(home uint32) threadWalk {
	at := threadWalk{threads: f.threads, node: home}
	if f.threads != nil {
		for a := range f.Actions {
			at.images = append(at.images, uint8(a))
		}
	}
	return at
}

// atStart returns the marks at the start that marks at the node belong to.
func (w *threadWalk) atStart(marks uint64) uint64 {
	if w.threads == nil {
		return marks
	}
	return w.threads.replace(marks, w.images)
}

// advance takes an edge.
func (f *fragment) advance(w *threadWalk, e *fragmentEdge) {
	w.node = e.to
	if w.threads != nil {
		next := make([]uint8, len(w.images))
		for a, image := range f.threads.of(e.by) {
			next[image] = w.images[a]
		}
		w.images = next
	}
}

// A thread is a node with one of its marks.
type thread struct {
	node uint32
	mark uint8
}

// pathOfThreads returns a shortest path in the component of a node that ends with an edge with one of some missing
// marks, which are marks at the start of the walk.
func (w *walk) pathOfThreads(at threadWalk, missing uint64) []walkEdge {
	type step struct {
		from thread
		edge walkEdge
	}
	by := make(map[thread]step)
	var queue []thread
	add := func(t thread, s step) {
		if _, ok := by[t]; !ok {
			w.effort.Hold(threadBytes)
			by[t] = s
			queue = append(queue, t)
		}
	}
	for bit := range uint8(w.threads.first + len(w.Actions)) {
		if missing&at.atStart(1<<bit) != 0 {
			add(thread{at.node, bit}, step{edge: walkEdge{from: graph.None}})
		}
	}
	defer func() { w.effort.Release(threadBytes * uint64(len(by))) }()
	for i := 0; ; i++ {
		t := queue[i]
		w.effort.Tick()
		for edge := w.fragment.edges.At[t.node]; edge < w.fragment.edges.At[t.node+1]; edge++ {
			if w.edges++; !w.inner.Has(edge) {
				continue
			}
			e, s := &w.fragment.edges.All[edge], step{t, walkEdge{t.node, edge}}
			if w.marks[e.marks]>>t.mark&1 == 1 {
				var way []walkEdge
				for ; s.edge.from != graph.None; s = by[s.from] {
					way = append(way, s.edge)
				}
				slices.Reverse(way)
				return way
			}
			add(thread{e.to, uint8(bits.TrailingZeros64(w.threads.replace(1<<t.mark, w.threads.of(e.by))))}, s)
		}
	}
}

// threadBytes is about the memory of a thread that a search has reached.
const threadBytes = 64
