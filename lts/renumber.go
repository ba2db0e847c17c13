package lts

// Renumber gives the states new numbers, in the order in which a breadth-first search from the initial state
// meets them, which becomes state 0, and the labels new ones in the order of the first transitions that have
// them. States and labels that are not met are dropped. Systems that differ in their numbers only, but not in
// the order of the transitions from each state, are the same afterwards. Nobody else may use l at the same
// time.
func (l *LTS) Renumber() {
	states := newNumbering(l.States())
	labels := newNumbering(len(l.labels))
	labels.number(uint32(Tau))
	states.number(l.initial)
	l.initial, l.rows.edges = 0, 0
	for i := 0; i < len(states.met); i++ {
		row := l.rows.row(states.met[i])
		l.rows.edges += len(row)
		for j, e := range row {
			row[j] = Edge{Label(labels.number(uint32(e.Label))), states.number(e.To)}
		}
	}
	l.rows.choose(states.met)
	texts := make([]string, len(labels.met))
	for i, a := range labels.met {
		texts[i] = l.labels[a]
	}
	l.labels = texts
}

// A numbering numbers things in the order in which they are met.
type numbering struct {
	of  []uint32 // by thing: its number, or unmet
	met []uint32
}

const unmet = ^uint32(0)

func newNumbering(things int) *numbering {
	n := &numbering{of: make([]uint32, things)}
	for i := range n.of {
		n.of[i] = unmet
	}
	return n
}

func (n *numbering) number(thing uint32) uint32 {
	if n.of[thing] == unmet {
		n.of[thing] = uint32(len(n.met))
		n.met = append(n.met, thing)
	}
	return n.of[thing]
}
