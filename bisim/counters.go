package bisim

// counters tell how many transitions each state has with a label to a constellation. (R. Paige and R. E.
// Tarjan, "Three partition refinement algorithms", SIAM J. Comput. 16, 1987, sect. 3.)
type counters struct {
	of   []uint32 // by transition
	list paged[counter]
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
		c := none
		for i := g.offset[s]; i < g.offset[s+1]; i++ {
			if i == g.offset[s] || g.edges[i].Label != g.edges[i-1].Label {
				c = k.list.add(counter{peer: none})
			}
			k.of[i] = c
			k.list.at(c).count++
		}
	}
	return k
}

// move says that transition t leads to the part that is taken out of a constellation.
func (k *counters) move(t uint32) {
	c := k.of[t]
	old := k.list.at(c)
	if old.peer == none {
		old.peer = k.add(counter{peer: c})
		k.used = append(k.used, c)
	}
	old.count--
	k.list.at(old.peer).count++
	k.of[t] = old.peer
}

func (k *counters) add(new counter) uint32 {
	n := len(k.free)
	if n == 0 {
		return k.list.add(new)
	}
	c := k.free[n-1]
	k.free = k.free[:n-1]
	*k.list.at(c) = new
	return c
}

// rest returns how many transitions, from the source of a moved transition t and with its label, have not
// been moved.
func (k *counters) rest(t uint32) uint32 {
	peer := k.list.at(k.of[t]).peer
	return k.list.at(peer).count
}

// settle forgets which transitions have been moved.
func (k *counters) settle() {
	for _, c := range k.used {
		old := k.list.at(c)
		k.list.at(old.peer).peer = none
		old.peer = none
		if old.count == 0 {
			k.free = append(k.free, c)
		}
	}
	k.used = k.used[:0]
}
