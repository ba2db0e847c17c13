package product

import (
	"cmp"
	"errors"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// Bounds of a depth-first search: the depths, which are tried one after the other, the approximate number of edges of
// each search, and the number of nodes that are searched for a shortest stem.
const (
	shallow  = 1 << 1
	deep     = 1 << 10
	maxEdges = 1 << 17
	maxStem  = 1 << 17
)

// searchDepthFirst looks for a lasso depth-first, before any node is eliminated. A violation is often near the initial
// states, with a run that repeats the same steps. Then no sweep through all states is needed. Depths are bounded, and
// small ones are tried first, so that stems and cycles are short. It returns the search that has found a fair
// component. A nil result decides nothing. With chances, it does not search, because outcomes of draws belong together.
func (m *product) searchDepthFirst() (*dfs, error) {
	if m.Chances {
		return nil, nil
	}
	for depth := shallow; depth <= deep; depth *= 2 {
		d := &dfs{m: m, depth: depth, index: make(map[node]int)}
		if found, err := d.search(); err != nil {
			return nil, err
		} else if found {
			return d, nil
		}
		if d.complete {
			break
		}
	}
	return nil, nil
}

// lasso returns a lasso with a cycle through the first node of the component that was found. The stem is a shortest one
// or, if the search for that takes too long, the path of the depth-first search.
func (d *dfs) lasso() (*Lasso, error) {
	only := *d.m
	only.alive = make([]graph.Set[uint64], len(d.m.accepting))
	component := d.open[d.components[len(d.components)-1].first:]
	for _, n := range component {
		q := d.m.stateOf(n)
		if only.alive[q] == nil {
			only.alive[q] = graph.NewSet(d.m.places)
		}
		only.alive[q].Add(d.m.placeOf(n))
	}
	s := &bfs{m: &only}
	cycle, closed, err := s.cycle(component[0])
	if err != nil || !closed {
		return nil, cmp.Or(err, errNoPath)
	}
	s.limit = s.total + maxStem
	var l *Lasso
	if err = s.restart(d.m.initial()); err == nil {
		l, err = s.runTo(cycle)
	}
	if !errors.Is(err, errNoPath) && !errors.Is(err, explore.ErrMemory) {
		return l, err
	}
	at := slices.IndexFunc(d.calls, func(c call) bool { return c.by.to == component[0] })
	var stem []pathEdge
	for _, c := range d.calls[1 : 1+at] {
		stem = append(stem, c.by)
	}
	return fold(d.m.steps(stem), d.m.steps(cycle)), nil
}

// A dfs is a depth-first search for a fair strongly connected component. It ends as soon as the visited edges form one
// (Couvreur, On-the-fly verification of linear temporal logic, FM 1999). It omits nodes below the depth.
type dfs struct {
	m          *product
	depth      int
	index      map[node]int // 1 + the index in open, or closed
	open       []node       // the nodes of incomplete components, in the order of their visits
	components []component
	calls      []call
	edges      []pathEdge // a stack: the remaining edges of the calls
	edgeCount  int        // the number of edges so far
	complete   bool       // no node was omitted
}

// closed is the index of a node of a complete component.
const closed = -1

// A component is a part of an incomplete component: the nodes in open from an index up to the next part.
type component struct {
	first          int
	by             uint64 // the marks of the edge to the first node
	marks, enabled uint64 // of the inner edges
}

// A call is a visit of the node to which an edge leads. Its remaining edges are in dfs.edges, from first on.
type call struct {
	by    pathEdge // without marks at an initial node
	first int
}

// search reports whether it finds a fair component. That is the last one then.
func (d *dfs) search() (bool, error) {
	d.complete = true
	for _, start := range d.m.initial() {
		if d.index[start] != 0 {
			continue
		}
		if err := d.enter(pathEdge{to: start}); err != nil {
			return false, err
		}
		for len(d.calls) > 0 {
			c := d.calls[len(d.calls)-1]
			if len(d.edges) == c.first {
				d.leave(c.by.to)
				continue
			}
			h := d.edges[len(d.edges)-1]
			d.edges = d.edges[:len(d.edges)-1]
			switch at := d.index[h.to]; {
			case at == closed:
			case at > 0:
				if d.merge(at-1, h.marks) {
					return true, nil
				}
			case len(d.calls) == d.depth || d.edgeCount >= maxEdges:
				d.complete = false
			default:
				if err := d.enter(h); err != nil {
					return false, err
				}
			}
		}
	}
	return false, nil
}

// enter visits a new node.
func (d *dfs) enter(by pathEdge) error {
	p, first := component{first: len(d.open), by: by.marks}, len(d.edges)
	err := d.m.System.Expand([]uint64{d.m.placeOf(by.to)}, func(v *explore.Vertex) {
		p.enabled = d.m.enabled(v)
		d.m.pathEdges(v, by.to, false, func(h pathEdge) bool { d.edges = append(d.edges, h); return true })
	})
	d.edgeCount += len(d.edges) - first
	// The last ones, to accepting states of the automaton, are taken first.
	slices.Reverse(d.edges[first:])
	slices.SortStableFunc(d.edges[first:], func(a, b pathEdge) int { return d.rank(a) - d.rank(b) })
	d.open, d.components, d.calls = append(d.open, by.to), append(d.components, p), append(d.calls, call{by, first})
	d.index[by.to] = len(d.open)
	return cmp.Or(err, d.m.ctx.Err())
}

func (d *dfs) rank(h pathEdge) int {
	if d.m.accepting[d.m.stateOf(h.to)] {
		return 1
	}
	return 0
}

// leave ends the visit of a node. If it is the first of its component, the component is complete.
func (d *dfs) leave(n node) {
	d.calls = d.calls[:len(d.calls)-1]
	first := d.components[len(d.components)-1].first
	if d.open[first] != n {
		return
	}
	for _, n := range d.open[first:] {
		d.index[n] = closed
	}
	d.open, d.components = d.open[:first], d.components[:len(d.components)-1]
}

// merge adds an edge with some marks back to the node with an index in open. It merges the components from there on,
// and reports whether the result is fair.
func (d *dfs) merge(to int, marks uint64) bool {
	p := &d.components[len(d.components)-1]
	p.marks |= marks
	for p.first > to {
		q := *p
		d.components = d.components[:len(d.components)-1]
		p = &d.components[len(d.components)-1]
		p.marks |= q.marks | q.by
		p.enabled |= q.enabled
	}
	return d.m.missingMarks(p.marks, p.enabled) == 0
}
