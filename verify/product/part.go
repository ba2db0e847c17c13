package product

import "slices"

// A part is some nodes of the product, and what runs that stay among them can do.
type part struct {
	m      *multiplication
	nodes  []uint32
	number uint32   // in owner
	owner  []uint32 // by node
}

// has reports whether a node belongs to the part.
func (p *part) has(node uint32) bool { return p.owner[node] == p.number }

// next goes to the next edge of a node that stays in the part, with chances one of which the whole distribution does.
func (p *part) next(node uint32, pos *position) (to uint32, ok bool) {
	for to, ok = p.m.next(node, pos); ok; to, ok = p.m.next(node, pos) {
		if p.has(to) && (!p.m.Chances || p.keeps(node, pos)) {
			return to, true
		}
	}
	return 0, false
}

// keeps reports whether all transitions of a distribution can lead into the part.
func (p *part) keeps(node uint32, pos *position) bool {
	first, end := p.m.distribution(node/p.m.width, pos.transition)
	for t := first; t < end; t++ {
		if !p.m.leads(node, t, p.has) {
			return false
		}
	}
	return true
}

// distribution returns where the transitions of that of transition t of a state are.
func (m *multiplication) distribution(state uint32, t uint64) (first, end uint64) {
	least, most := m.transitions(state)
	for first = t; first > least && !m.kind(first-1).Ends; first-- {
	}
	for end = t; end < most-1 && !m.kind(end).Ends; end++ {
	}
	return first, end + 1
}

// leads reports whether transition t of a node can lead to one of some nodes.
func (m *multiplication) leads(node uint32, t uint64, in func(node uint32) bool) bool {
	state := node / m.width
	letter := m.Letters[m.classes.at(uint64(state))] | m.events[m.kinds.at(t)]
	for _, e := range m.Automaton.Edges[node%m.width] {
		if e.Guard.Has(letter) && in(m.to.at(t)*m.width+uint32(e.To)) {
			return true
		}
	}
	return false
}

// A mark says what an edge does for acceptance and fairness.
type marks struct {
	sets uint64 // acceptance sets of the automaton
	fair uint64 // actions that are taken, or disabled and weakly fair
}

// marksOf returns the marks of an edge.
func (m *multiplication) marksOf(node uint32, pos position) marks {
	state := node / m.width
	return marks{
		sets: uint64(m.Automaton.Edges[node%m.width][pos.edge].Accept),
		fair: m.takes(state, pos.transition) | m.weak&^m.enabled(state),
	}
}

// consider keeps the parts of a component of the product in which an accepted and fair run can stay.
func (m *multiplication) consider(nodes []uint32) {
	p := &part{m: m, number: m.low[nodes[0]], owner: m.low}
	p.nodes = nodes
	if len(nodes) == 1 && !p.loops(nodes[0]) {
		return
	}
	if !m.Chances && m.strong == 0 {
		if p.satisfied(p.all()) {
			m.good = append(m.good, &part{m, slices.Clone(nodes), p.number, m.low})
		}
		return
	}
	m.refine(p)
}

// loops reports whether a node has an edge to itself that stays in the part.
func (p *part) loops(node uint32) bool {
	pos := p.m.start(node)
	_, ok := p.next(node, &pos)
	return ok
}

// all returns the marks of all edges within the part.
func (p *part) all() marks {
	var all marks
	for _, node := range p.nodes {
		if p.m.interrupted() {
			break // there will be no result
		}
		pos := p.m.start(node)
		for _, ok := p.next(node, &pos); ok; _, ok = p.next(node, &pos) {
			k := p.m.marksOf(node, pos)
			all.sets |= k.sets
			all.fair |= k.fair
		}
	}
	return all
}

// satisfied reports whether marks are enough but for strong fairness.
func (p *part) satisfied(k marks) bool {
	return k.sets == uint64(p.m.Automaton.All()) && p.m.weak&^k.fair == 0
}

// refine divides a part until what is left are parts that are strongly connected by what stays in them and in which what is
// enabled and strongly fair is done.
func (m *multiplication) refine(whole *part) {
	if m.owner == nil {
		m.owner = make([]uint32, len(m.low))
		m.lower = make([]uint32, len(m.low))
	}
	work := []*part{m.split(slices.Clone(whole.nodes))}
	for len(work) > 0 && m.ctx.Err() == nil {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		connected := p.components()
		if len(connected) != 1 || len(connected[0]) != len(p.nodes) {
			for _, nodes := range connected {
				work = append(work, m.split(nodes))
			}
			continue
		}
		k := p.all()
		if !p.satisfied(k) {
			continue
		}
		starved := func(node uint32) bool { return m.strong&m.enabled(node/m.width)&^k.fair != 0 }
		if !slices.ContainsFunc(p.nodes, starved) {
			m.good = append(m.good, p)
			continue
		}
		if rest := slices.DeleteFunc(slices.Clone(p.nodes), starved); len(rest) > 0 {
			work = append(work, m.split(rest))
		}
	}
}

// split makes a part of some nodes.
func (m *multiplication) split(nodes []uint32) *part {
	m.parts++
	for _, n := range nodes {
		m.owner[n] = m.parts
	}
	return &part{m, nodes, m.parts, m.owner}
}

// components returns the strongly connected components of the part, but for nodes that do not stay in it.
func (p *part) components() [][]uint32 {
	for _, n := range p.nodes {
		p.m.lower[n] = 0
	}
	var all [][]uint32
	d := &division{m: p.m, low: p.m.lower, follow: p.next}
	d.found = func(nodes []uint32) {
		if len(nodes) > 1 || p.loops(nodes[0]) {
			all = append(all, slices.Clone(nodes))
		}
	}
	for _, n := range p.nodes {
		if d.visit(n) != nil {
			return nil
		}
	}
	return all
}
