package prove

import (
	"encoding/binary"
	"math"
	"slices"

	"ringcheck/verify/prove/sat"
)

// A miner observes the sets of atoms that occur together in states of small rings. Sets that it has not observed are
// candidates for patterns.
type miner struct {
	*translation
	width        int             // the maximum number of atoms of a pattern, 2 or 3
	atoms        []atom          // over three nodes, from 1 on
	atomIndex    map[atom]int    // of these
	observedSets []uint64        // bits, for sets of up to three atoms: see index
	views        map[string]bool // the observed sets of atoms over three nodes, by key
}

func newMiner(x *translation, width int) *miner {
	m := &miner{translation: x, width: width, atoms: []atom{{}}, atomIndex: make(map[atom]int),
		views: make(map[string]bool)}
	add := func(a atom) {
		m.atomIndex[a] = len(m.atoms)
		m.atoms = append(m.atoms, a)
	}
	for relation := range x.relations() {
		x.eachAtom(relation, 3, func(a atom) {
			add(a)
			if x.isExact(relation) {
				add(a.negate())
			}
		})
	}
	last := len(m.atoms) - 1
	size := m.index(last, last, last) + 1
	x.effort.Hold(uint64(size / 8))
	m.observedSets = make([]uint64, size/64+1)
	return m
}

// index numbers sets of up to three atoms (two if the width is 2). a is the largest, and 0 means none.
func (m *miner) index(a, b, c int) int {
	i := a*len(m.atoms) + b
	if m.width > 2 {
		i = i*len(m.atoms) + c
	}
	return i
}

// eachSubset calls yield with the sets of up to three of some atoms (two if the width is 2).
func (m *miner) eachSubset(there []int, yield func(a, b, c int)) {
	for i, a := range there {
		yield(a, 0, 0)
		for j, b := range there[:i] {
			yield(a, b, 0)
			for k := 0; m.width > 2 && k < j; k++ {
				yield(a, b, there[k])
			}
		}
	}
}

// observe records the sets of atoms that occur together in a state.
func (m *miner) observe(n int, atoms []atom) {
	var key []byte
	m.eachView(n, atoms, func(view []int) {
		key = key[:0]
		for _, a := range view {
			key = binary.AppendUvarint(key, uint64(a))
		}
		if m.views[string(key)] {
			return
		}
		m.effort.Hold(64 + uint64(len(key)))
		m.views[string(key)] = true
		m.eachSubset(view, func(a, b, c int) {
			i := m.index(a, b, c)
			m.observedSets[i/64] |= 1 << (i % 64)
		})
	})
}

// eachView calls yield for all three nodes in order around a ring, with their view: the ascending numbers of the atoms
// over them. The view is overwritten afterwards.
func (m *miner) eachView(n int, atoms []atom, yield func(view []int)) {
	place := make([]int8, n) // by node: its index among the three, or -1
	wheres := [][]int8{{0, 1, 2}}
	if n == 2 { // any two of the three
		wheres = [][]int8{{0, 1}, {0, 2}, {1, 2}}
	}
	var view []int
	eachOrderedTuple(n, min(3, n), func(nodes []int) {
		for _, where := range wheres {
			for i := range place {
				place[i] = -1
			}
			for i, at := range where {
				place[nodes[i]] = at
			}
			view = view[:0]
		next:
			for _, a := range atoms {
				for i, n := range a.nodes {
					if n < 0 {
						break
					}
					if a.nodes[i] = place[n]; a.nodes[i] < 0 {
						continue next
					}
				}
				view = append(view, m.atomIndex[a])
			}
			slices.Sort(view)
			yield(view)
		}
	})
}

// recordPattern records that a pattern can occur.
func (m *miner) recordPattern(p pattern) {
	if len(p.atoms) <= m.width {
		m.observe(max(2, p.width), p.atoms)
	}
}

// mayOccur reports whether the atoms of a pattern have been observed together.
func (m *miner) mayOccur(p pattern) bool {
	missing := len(p.atoms) > m.width // larger sets are not recorded
	m.eachView(max(2, p.width), p.atoms, func(view []int) {
		m.eachUnobserved(view, func(...int) { missing = true })
	})
	return !missing
}

// eachUnobserved calls yield with the sets of atoms of a view that have never been observed together.
func (m *miner) eachUnobserved(view []int, yield func(set ...int)) {
	m.eachSubset(view, func(a, b, c int) {
		if i := m.index(a, b, c); m.observedSets[i/64]>>(i%64)&1 == 0 {
			yield(slices.DeleteFunc([]int{a, b, c}, func(a int) bool { return a == 0 })...)
		}
	})
}

// choose returns the smallest pattern that has never been observed and occurs in the last state that the solver found,
// preferably over atoms that must hold in that state.
func (m *miner) choose(r *ring, before []sat.Lit) (best pattern, ok bool) {
	cost := math.MaxInt
	look := func(view []int) {
		m.eachUnobserved(view, func(list ...int) {
			var atoms []atom
			for _, a := range list {
				atoms = append(atoms, m.atoms[a])
			}
			p := canonical(atoms)
			if c := 10*len(list) + p.width; c < cost && !m.mayBeInitial(p) {
				best, cost, ok = p, c, true
			}
		})
	}
	state := r.state(before)
	required := slices.DeleteFunc(slices.Clone(state), func(a atom) bool { return !slices.Contains(before, r.lit(a)) })
	if m.eachView(r.n, required, look); !ok {
		m.eachView(r.n, state, look)
	}
	return best, ok
}

// mayBeInitial reports whether a pattern may occur in an initial state: one of its nodes, or none, is process 0.
func (x *translation) mayBeInitial(p pattern) bool {
	zeros := []int8{-1}
	for _, a := range p.atoms {
		if x.hasZero {
			zeros = append(zeros, a.nodes[:]...)
		}
	}
	return slices.ContainsFunc(zeros, func(zero int8) bool {
		return !slices.ContainsFunc(p.atoms, func(a atom) bool { return !x.mayHoldInitially(a, zero) })
	})
}

// mayHoldInitially reports whether an atom may be true in an initial state in which some node is process 0; none if
// that is negative.
func (x *translation) mayHoldInitially(a atom, zero int8) bool {
	aboutZero := a.nodes[0] == zero
	initial := &x.initial.Others
	if x.hasZero && aboutZero {
		initial = &x.initial.Zero
	}
	switch s, i := x.kindOf(a.relation); {
	case s == isZero:
		return aboutZero != a.absent
	case s == sees:
		return slices.Contains(x.initial.Sights, i)
	case s == atControl:
		return slices.Contains(initial.Controls, i)
	case s == smallerIdentity, a.absent:
		return true
	case s == stores:
		return a.nodes[0] == a.nodes[1] && slices.Contains(initial.Controls, x.nodeVars[i].Control)
	case s == inTransit:
		return slices.Contains(initial.Messages, i)
	case s == twiceInTransit:
		return slices.Contains(initial.Twice, i)
	}
	return false
}
