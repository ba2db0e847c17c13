package product

// surely returns those of some nodes from which a scheduler can come to some parts with probability one: the greatest set of nodes from
// each of which there is a way to the parts by choices of which no outcome leaves the set (de Alfaro 1997, Sect. 3.1).
func (m *multiplication) surely(starts []uint32, goals []*part) ([]uint32, error) {
	set := make([]bool, len(m.low))
	for n, low := range m.low {
		set[n] = low != 0
	}
	for {
		inner := make([]bool, len(set))
		for _, p := range goals {
			for _, n := range p.nodes {
				inner[n] = true
			}
		}
		if err := m.attract(set, inner); err != nil {
			return nil, err
		}
		same := true
		for n, in := range set {
			same = same && in == inner[n]
		}
		if set = inner; same {
			break
		}
	}
	var from []uint32
	for _, n := range starts {
		if set[n] {
			from = append(from, n)
		}
	}
	return from, nil
}

// attract adds to inner the nodes of set with a choice that cannot leave set and can lead to inner, until nothing changes.
func (m *multiplication) attract(set, inner []bool) error {
	isSet, isInner := func(n uint32) bool { return set[n] }, func(n uint32) bool { return inner[n] }
	for changed := true; changed; {
		changed = false
		for n := len(set) - 1; n >= 0; n-- {
			if m.interrupted() {
				return m.ctx.Err()
			}
			if set[n] && !inner[n] && m.chooses(uint32(n), isSet, isInner) {
				inner[n], changed = true, true
			}
		}
	}
	return nil
}

// chooses reports whether a node has a choice that cannot leave set and can lead to inner.
func (m *multiplication) chooses(node uint32, set, inner func(uint32) bool) bool {
	least, most := m.transitions(node / m.width)
	for t := least; t < most; {
		first, end := m.distribution(node/m.width, t)
		stays, comes := true, false
		for t = first; t < end; t++ {
			stays = stays && m.leads(node, t, set)
			comes = comes || m.leads(node, t, inner)
		}
		if stays && comes {
			return true
		}
	}
	return false
}
