package bisim

// counters tell how many transitions each state has with a label to a constellation. (R. Paige and R. E.
// Tarjan, "Three partition refinement algorithms", SIAM J. Comput. 16, 1987, sect. 3.)
type counters struct {
	of   []uint32 // by transition
	list []counter
	free []uint32 // counters not in use
	used []uint32 // counters with a peer
}

// A counter counts the transitions that share it. While a constellation is divided, the counters of
// transitions to its two parts know each other.
type counter struct{ count, peer uint32 }

// newCounters makes a counter for each state and label.
func newCounters(g *graph) counters {
	k := counters{of: make([]uint32, len(g.edges))}
	for s := range uint32(g.states()) {
		for i := g.offset[s]; i < g.offset[s+1]; i++ {
			if i == g.offset[s] || g.edges[i].Label != g.edges[i-1].Label {
				k.list = append(k.list, counter{peer: none})
			}
			c := len(k.list) - 1
			k.of[i] = uint32(c)
			k.list[c].count++
		}
	}
	return k
}

// move says that transition t leads to the part that is taken out of a constellation.
func (k *counters) move(t uint32) {
	c := k.of[t]
	if k.list[c].peer == none {
		d := uint32(len(k.list))
		if n := len(k.free); n > 0 {
			d = k.free[n-1]
			k.free = k.free[:n-1]
			k.list[d] = counter{peer: c}
		} else {
			k.list = append(k.list, counter{peer: c})
		}
		k.list[c].peer = d
		k.used = append(k.used, c)
	}
	d := k.list[c].peer
	k.list[c].count--
	k.list[d].count++
	k.of[t] = d
}

// rest returns how many transitions, from the source of a moved transition t and with its label, have not
// been moved.
func (k *counters) rest(t uint32) uint32 { return k.list[k.list[k.of[t]].peer].count }

// settle forgets which transitions have been moved.
func (k *counters) settle() {
	for _, c := range k.used {
		k.list[k.list[c].peer].peer = none
		k.list[c].peer = none
		if k.list[c].count == 0 {
			k.free = append(k.free, c)
		}
	}
	k.used = k.used[:0]
}
