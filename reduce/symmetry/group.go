package symmetry

import (
	"slices"

	"ringcheck/model/language/ir"
)

// maxProcesses is the greatest number of processes of a permutation.
const maxProcesses = 255

// A group is a group of permutations, given by all its elements. No two of them move the processes in the same way. The
// rotations of more than maxProcesses have no elements here.
type group struct {
	n          int
	elements   []permutation // the identity first
	generators []permutation // generate the group
	orbits     []uint32      // by process: the least process to which an element moves it
	renamings  renamings     // what permutations make of the text of the spec
	// keepsValues says that permutations do not change the numbers of processes that are stored in states.
	keepsValues bool
	// cosets has the elements that arrange ranks of the processes least, by the ranks: see sortingCoset.
	cosets table[[]uint32]
}

// newGroup returns the group of the elements of all that keep accepts. These must be a group: keep accepts products and
// inverses of what it accepts. It asks only about a few elements of the group. All renamings may be given.
func newGroup(all []permutation, every renamings, keep func(permutation) bool) *group {
	n := len(all[0].processes)
	g := &group{n: n, elements: []permutation{identity(n)}, cosets: newTable[[]uint32](n)}
	known := map[permutation]bool{g.elements[0]: true}
	for _, p := range all {
		if !known[p] && keep(p) {
			g.generators = append(g.generators, p)
			g.generate(known)
		}
	}
	for p := range n {
		least := p
		for _, e := range g.elements {
			least = min(least, int(e.processes[p]))
		}
		g.orbits = append(g.orbits, uint32(least))
	}
	for _, e := range g.elements {
		if r := every[e.directions]; r != nil {
			if g.renamings == nil {
				g.renamings = make(renamings)
			}
			g.renamings[e.directions] = r
		}
	}
	return g
}

// isRotation reports whether p moves every process by the same number of places, and keeps directions.
func (p permutation) isRotation() bool {
	n := len(p.processes)
	for q := range n {
		if int(p.processes[q]) != (q+int(p.processes[0]))%n {
			return false
		}
	}
	return p.directions == ""
}

// rotations reports whether all elements are rotations.
func (g *group) rotations() bool {
	return !slices.ContainsFunc(g.generators, func(p permutation) bool { return !p.isRotation() })
}

// rotates reports whether some element other than the identity is a rotation.
func (g *group) rotates() bool { return slices.ContainsFunc(g.elements[1:], permutation.isRotation) }

// allRotations returns the group of the rotations of n processes, which keep stored values.
func allRotations(n int) *group {
	g := &group{n: n}
	if n <= maxProcesses {
		g = newGroup(rotationsOf(n), nil, func(permutation) bool { return true })
	}
	g.keepsValues = true
	return g
}

// rotationsOf returns the rotations of n processes, at most maxProcesses.
func rotationsOf(n int) []permutation {
	all := make([]permutation, n)
	for by := range all {
		processes := make([]byte, n)
		for p := range processes {
			processes[p] = byte((p + by) % n)
		}
		all[by].processes = string(processes)
	}
	return all
}

// undirected returns the subgroup that keeps directions.
func (g *group) undirected() *group {
	return newGroup(g.elements, nil, renamings(nil).has)
}

// generate adds all products with generators to the elements.
func (g *group) generate(known map[permutation]bool) {
	for i := 0; i < len(g.elements); i++ {
		for _, s := range g.generators {
			if p := g.elements[i].then(s); !known[p] {
				known[p] = true
				g.elements = append(g.elements, p)
			}
		}
	}
}

// order returns the number of elements.
func (g *group) order() int {
	if g.elements == nil {
		return g.n
	}
	return len(g.elements)
}

// trivial reports whether no element moves a process.
func (g *group) trivial() bool { return len(g.elements) == 1 }

// directed reports whether some element exchanges directions.
func (g *group) directed() bool {
	return slices.ContainsFunc(g.generators, func(s permutation) bool { return s.directions != "" })
}

// sortOf returns the sort of the values of a type. A direction is a plain value if no element exchanges directions.
func (g *group) sortOf(t *ir.Type) sort { return sortIn(t, g.directed()) }

// directionOrbit returns the least direction to which an element moves a direction.
func (g *group) directionOrbit(direction int64) int64 {
	least := direction
	for _, e := range g.elements {
		least = min(least, e.direction(direction))
	}
	return least
}

// moves reports whether some element moves a process.
func (g *group) moves(p int64) bool {
	if p < 0 || p >= int64(g.n) {
		return false
	}
	return g.elements == nil || slices.ContainsFunc(g.generators, func(s permutation) bool {
		return int64(s.processes[p]) != p
	})
}

// maps reports whether every element maps a set of processes to itself.
func (g *group) maps(set []bool) bool {
	if g.elements == nil {
		return !slices.Contains(set, !set[0])
	}
	return !slices.ContainsFunc(g.generators, func(s permutation) bool {
		for p, in := range set {
			if in != set[s.processes[p]] {
				return true
			}
		}
		return false
	})
}

// sortingCoset returns the indices of the elements p for which the ranks that processes have after p, in the order of
// their numbers, are least: a process p[i] then has the rank of process i before. The elements are a coset of the
// subgroup that preserves the ranks.
func (g *group) sortingCoset(ranks []uint32) []uint32 {
	key, packed := uint64(0), len(ranks) <= 16
	if packed {
		for _, r := range ranks {
			key = key<<4 | uint64(r)
		}
	} else {
		key = g.cosets.keys.number(ranks)
	}
	n, ok := g.cosets.numbers.Load(key)
	if !ok {
		var list []uint32
		least, now := make([]uint32, g.n), make([]uint32, g.n)
		for i, p := range g.elements {
			for q, r := range ranks {
				now[p.processes[q]] = r
			}
			c := -1
			if i > 0 {
				c = slices.Compare(now, least)
			}
			if c < 0 {
				list = list[:0]
				least, now = now, least
			}
			if c <= 0 {
				list = append(list, uint32(i))
			}
		}
		n = g.cosets.add(key, slices.Clip(list), valueBytes*len(list))
	}
	return *g.cosets.at(n)
}
