package bisim

import "ringcheck/lts"

// tauComponents returns the strongly connected components of the τ-transitions: each state's component and
// their number. Components are numbered such that a τ leads to the same or a smaller one. It is Tarjan's
// algorithm in the form of D. J. Pearce, "A space-efficient algorithm for finding strongly connected
// components" (Inf. Process. Lett. 116, 2016, algorithm PEA_FIND_SCC2), with an explicit stack: one number a
// state says when it was visited, then how far back it reaches, then its component.
//
// The targets of visible transitions are visited first, so that where visible behaviour has no cycles, most
// often also visible transitions lead to smaller components; bottomUp profits from that.
func tauComponents(l *lts.LTS) (component []uint32, count int) {
	t := &tarjan{l: l, rank: make([]uint32, l.States()), next: 1, component: none - 1}
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			if e.Label != lts.Tau {
				t.visit(e.To)
			}
		}
	}
	for s := range l.States() {
		t.visit(uint32(s))
	}
	for s, c := range t.rank {
		t.rank[s] = none - 1 - c
	}
	return t.rank, int(none - 1 - t.component)
}

type tarjan struct {
	l *lts.LTS
	// rank is 0 for a state not visited, then the least visit number that it is known to reach, then its
	// component, counted down from above all visit numbers.
	rank      []uint32
	next      uint32 // visit number
	component uint32
	open      []uint32 // visited states that are not roots, whose components are not complete
	calls     []call
}

// A call is a state being visited, and the next of its transitions to look at.
type call struct {
	state, edge uint32
	root        bool
}

func (t *tarjan) visit(s uint32) {
	if t.rank[s] != 0 {
		return
	}
	t.enter(s)
	for len(t.calls) > 0 {
		c := &t.calls[len(t.calls)-1]
		if w, ok := t.step(c); ok {
			t.enter(w)
			continue
		}
		done := *c
		t.calls = t.calls[:len(t.calls)-1]
		t.leave(done)
	}
}

func (t *tarjan) enter(s uint32) {
	t.rank[s] = t.next
	t.next++
	t.calls = append(t.calls, call{state: s, root: true})
}

// step looks at transitions of c.state from c.edge on, up to one to a state not yet visited.
func (t *tarjan) step(c *call) (unvisited uint32, ok bool) {
	out := t.l.Out(c.state)
	for ; int(c.edge) < len(out); c.edge++ {
		e := out[c.edge]
		if e.Label != lts.Tau {
			continue
		}
		r := t.rank[e.To]
		if r == 0 {
			return e.To, true // c.edge stays: the rank is compared when it is known
		}
		if r < t.rank[c.state] {
			t.rank[c.state] = r
			c.root = false
		}
	}
	return 0, false
}

func (t *tarjan) leave(c call) {
	if !c.root {
		t.open = append(t.open, c.state)
		return
	}
	rank := t.rank[c.state]
	t.next--
	for n := len(t.open); n > 0 && t.rank[t.open[n-1]] >= rank; n-- {
		t.rank[t.open[n-1]] = t.component
		t.open = t.open[:n-1]
		t.next--
	}
	t.rank[c.state] = t.component
	t.component--
}
