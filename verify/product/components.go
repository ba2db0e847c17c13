package product

import (
	"cmp"
	"slices"

	"ringcheck/verify/ltl"
)

// components returns the parts of the product in which accepted and fair runs can stay.
func (m *multiplication) components() ([]*part, error) {
	m.low = make([]uint32, uint64(m.States())*uint64(m.width))
	d := &division{m: m, low: m.low, follow: func(node uint32, p *position) (uint32, bool) { return m.next(node, p) }}
	d.found = func(nodes []uint32) {
		if m.accepting[nodes[0]%m.width] {
			m.consider(nodes)
		}
	}
	err := m.roots(d.visit)
	return m.good, cmp.Or(err, m.ctx.Err())
}

// roots calls visit with nodes from which all others, but for those in which the automaton has only waited, can be reached.
func (m *multiplication) roots(visit func(node uint32) error) error {
	q := m.Automaton.Initial
	if m.Surely || !m.waits() {
		for _, s := range m.Initial {
			if err := visit(s*m.width + uint32(q)); err != nil {
				return err
			}
		}
		return nil
	}
	// Every state can be reached while the automaton waits, so that what is of interest begins behind.
	for s := range uint32(m.States()) {
		if m.interrupted() {
			return m.ctx.Err()
		}
		node := s*m.width + uint32(q)
		p := m.start(node)
		for to, ok := m.next(node, &p); ok; to, ok = m.next(node, &p) {
			if to%m.width != uint32(q) {
				if err := visit(to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// waits reports whether the automaton can stay in its initial state with every letter, and does not accept there.
func (m *multiplication) waits() bool {
	q := m.Automaton.Initial
	return !m.accepting[q] && slices.ContainsFunc(m.Automaton.Edges[q], func(e ltl.Edge) bool {
		return e.To == q && e.Guard.Yes|e.Guard.No == 0
	})
}

// A division finds strongly connected components of a graph whose edges follow yields. It is the second algorithm of Pearce's paper:
// low is 0 for a node that was not visited; then how far back it leads among the nodes under way, which count from 1 up; and, when its
// component is complete, the number of that, counted from the greatest down.
type division struct {
	m      *multiplication
	low    []uint32
	follow func(node uint32, p *position) (to uint32, ok bool)
	found  func(nodes []uint32) // is told of every component, complete; nodes is valid during the call

	index uint32
	count uint32
	open  []uint32 // nodes of incomplete components
	path  []frame
	nodes []uint32
}

type frame struct {
	node uint32
	pos  position
	root bool
}

// visit visits all nodes that can be reached from one.
func (d *division) visit(node uint32) error {
	if d.low[node] != 0 {
		return nil
	}
	d.enter(node)
	for len(d.path) > 0 {
		if d.m.interrupted() {
			return d.m.ctx.Err()
		}
		f := &d.path[len(d.path)-1]
		to, ok := d.follow(f.node, &f.pos)
		switch {
		case !ok:
			d.leave()
		case d.low[to] == 0:
			d.enter(to)
		case d.low[to] < d.low[f.node]:
			d.low[f.node], f.root = d.low[to], false
		}
	}
	return nil
}

func (d *division) enter(node uint32) {
	d.index++
	d.low[node] = d.index
	d.path = append(d.path, frame{node, d.m.start(node), true})
}

// leave goes back from a node all of whose edges were followed.
func (d *division) leave() {
	f := d.path[len(d.path)-1]
	d.path = d.path[:len(d.path)-1]
	if f.root {
		d.complete(f.node)
	} else {
		d.open = append(d.open, f.node)
	}
	if len(d.path) == 0 {
		return
	}
	if before := &d.path[len(d.path)-1]; d.low[f.node] < d.low[before.node] {
		d.low[before.node], before.root = d.low[f.node], false
	}
}

// complete takes the component of a node out of the open ones.
func (d *division) complete(node uint32) {
	number := ^d.count
	d.count++
	first := len(d.open)
	for first > 0 && d.low[d.open[first-1]] >= d.low[node] {
		first--
	}
	d.nodes = append(d.nodes[:0], node)
	d.nodes = append(d.nodes, d.open[first:]...)
	d.open = d.open[:first]
	d.index -= uint32(len(d.nodes))
	for _, n := range d.nodes {
		d.low[n] = number
	}
	d.found(d.nodes)
}
