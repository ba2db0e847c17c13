package product

import (
	"cmp"
	"errors"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// Bounds of a dive: the depths, which are tried one after the other, about how many edges are searched with each, and
// how many nodes are searched for a shortest stem.
const (
	shallow = 1 << 1
	deep    = 1 << 10
	maxHops = 1 << 17
	maxStem = 1 << 17
)

// dive looks for a lasso depth first, before any node is eliminated. A violation is often near the initial states, with
// a run that repeats the same steps, and then no sweep through all states is needed. Depths are bounded, and small ones
// are tried first, so that stems and cycles are short. It returns the dive that has found a fair component; if it is
// nil, there may be one. With chances, the outcomes of draws would have to be searched together: then it does not
// search.
func (m *multiplication) dive() (*dive, error) {
	if m.Chances {
		return nil, nil
	}
	for depth := shallow; depth <= deep; depth *= 2 {
		d := &dive{m: m, depth: depth, met: make(map[node]int)}
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

// lasso returns one round a cycle through the first node of the component that was found. The stem is as short as
// possible, unless the search for it takes too long: then it is the path of the dive.
func (d *dive) lasso() (*Lasso, error) {
	only := *d.m
	only.alive = make([]graph.Set[uint64], len(d.m.accepting))
	component := d.open[d.parts[len(d.parts)-1].first:]
	for _, n := range component {
		q := d.m.state(n)
		if only.alive[q] == nil {
			only.alive[q] = graph.NewSet(d.m.places)
		}
		only.alive[q].Add(d.m.place(n))
	}
	s := &walker{m: &only}
	cycle, closed, err := s.cycle(component[0])
	if err != nil || !closed {
		return nil, cmp.Or(err, errNoWay)
	}
	s.most = s.tried + maxStem
	var l *Lasso
	if err = s.begin(d.m.initial()); err == nil {
		l, err = s.reach(cycle)
	}
	if !errors.Is(err, errNoWay) && !errors.Is(err, explore.ErrMemory) {
		return l, err
	}
	at := slices.IndexFunc(d.calls, func(c call) bool { return c.by.to == component[0] })
	var stem []hop
	for _, c := range d.calls[1 : 1+at] {
		stem = append(stem, c.by)
	}
	return fold(d.m.steps(stem), d.m.steps(cycle)), nil
}

// A dive is one depth-first search for a fair strongly connected component, which ends as soon as the visited edges
// form one (Couvreur, On-the-fly verification of linear temporal logic, FM 1999). Nodes below the depth are left out.
type dive struct {
	m        *multiplication
	depth    int
	met      map[node]int // 1 + the index in open, or closed
	open     []node       // those of components that are not complete, in the order in which they were met
	parts    []part
	calls    []call
	hops     []hop // those of the calls that are still to be taken
	found    int   // how many edges
	complete bool  // nothing was left out
}

// closed is the value in met of a node of a complete component.
const closed = -1

// A part of a component that is not complete: the nodes that were met from the one with index first in open on, up to
// the next part.
type part struct {
	first          int
	by             uint64 // the marks of the edge to the first
	marks, enabled uint64 // of the edges inside
}

// A call is a visit of the node to which an edge leads. Its edges that are still to be taken are hops from first on, up
// to those of the next call.
type call struct {
	by    hop // without marks if the visit begins there
	first int
}

// search reports whether it finds a fair component: it is the nodes of the last part then.
func (d *dive) search() (bool, error) {
	d.complete = true
	for _, start := range d.m.initial() {
		if d.met[start] != 0 {
			continue
		}
		if err := d.enter(hop{to: start}); err != nil {
			return false, err
		}
		for len(d.calls) > 0 {
			c := d.calls[len(d.calls)-1]
			if len(d.hops) == c.first {
				d.leave(c.by.to)
				continue
			}
			h := d.hops[len(d.hops)-1]
			d.hops = d.hops[:len(d.hops)-1]
			switch at := d.met[h.to]; {
			case at == closed:
			case at > 0:
				if d.merge(at-1, h.marks) {
					return true, nil
				}
			case len(d.calls) == d.depth || d.found >= maxHops:
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

// enter visits a node that has not been met.
func (d *dive) enter(by hop) error {
	p, first := part{first: len(d.open), by: by.marks}, len(d.hops)
	err := d.m.System.Expand([]uint64{d.m.place(by.to)}, func(v *explore.Vertex) {
		p.enabled = d.m.enabled(v)
		d.m.hops(v, by.to, false, func(h hop) bool { d.hops = append(d.hops, h); return true })
	})
	d.found += len(d.hops) - first
	// The last are taken first: those to accepting states of the automaton.
	slices.Reverse(d.hops[first:])
	slices.SortStableFunc(d.hops[first:], func(a, b hop) int { return d.rank(a) - d.rank(b) })
	d.open, d.parts, d.calls = append(d.open, by.to), append(d.parts, p), append(d.calls, call{by, first})
	d.met[by.to] = len(d.open)
	return cmp.Or(err, d.m.ctx.Err())
}

func (d *dive) rank(h hop) int {
	if d.m.accepting[d.m.state(h.to)] {
		return 1
	}
	return 0
}

// leave ends the visit of a node. If it is the first of its component, that is complete.
func (d *dive) leave(n node) {
	d.calls = d.calls[:len(d.calls)-1]
	first := d.parts[len(d.parts)-1].first
	if d.open[first] != n {
		return
	}
	for _, n := range d.open[first:] {
		d.met[n] = closed
	}
	d.open, d.parts = d.open[:first], d.parts[:len(d.parts)-1]
}

// merge adds an edge with some marks back to a node with an index in open: it merges the parts from there on, and
// reports whether the result is fair.
func (d *dive) merge(to int, marks uint64) bool {
	p := &d.parts[len(d.parts)-1]
	p.marks |= marks
	for p.first > to {
		q := *p
		d.parts = d.parts[:len(d.parts)-1]
		p = &d.parts[len(d.parts)-1]
		p.marks |= q.marks | q.by
		p.enabled |= q.enabled
	}
	return d.m.missing(p.marks, p.enabled) == 0
}
