package symmetry

import (
	"fmt"
	"slices"
)

// A permutation maps the number of each process to another one: process p to process permutation[p].
type permutation string

// identity returns the permutation of n processes that moves none.
func identity(n int) permutation {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i)
	}
	return permutation(p)
}

// then returns the permutation that applies p first and q second.
func (p permutation) then(q permutation) permutation {
	r := make([]byte, len(p))
	for i := range p {
		r[i] = q[p[i]]
	}
	return permutation(r)
}

// maxProcesses is the greatest number of processes of a permutation.
const maxProcesses = 255

// A group is a group of permutations of processes, given by all its elements.
type group struct {
	n          int
	elements   []permutation // the identity first
	generators []permutation // generate the group
	orbits     []uint32      // by process: the least process to which an element moves it
	// cosets has the elements that arrange ranks of the processes least, by the ranks: see sortingCoset.
	cosets table[[]uint32]
}

// newGroup returns the group of the elements of all that keep accepts. These must be a group: keep accepts products and
// inverses of what it accepts. It asks only about a few elements of the group.
func newGroup(all []permutation, keep func(permutation) bool) *group {
	n := len(all[0])
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
			least = min(least, int(e[p]))
		}
		g.orbits = append(g.orbits, uint32(least))
	}
	return g
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

// trivial reports whether no element moves a process.
func (g *group) trivial() bool { return len(g.elements) == 1 }

// moves reports whether some element moves a process.
func (g *group) moves(p int64) bool {
	return p >= 0 && p < int64(g.n) && slices.ContainsFunc(g.generators, func(s permutation) bool {
		return int64(s[p]) != p
	})
}

// maps reports whether every element maps a set of processes to itself.
func (g *group) maps(set []bool) bool {
	return !slices.ContainsFunc(g.generators, func(s permutation) bool {
		for p, in := range set {
			if in != set[s[p]] {
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
				now[p[q]] = r
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

// A network has the colours and links of processes, which permutations must preserve.
type network struct {
	n       int
	colours []int
	// links has for each pair of processes the number of what connects the first with the second; 0 is nothing.
	links [][]int
}

// maxOrder bounds the number of elements of a group.
const maxOrder = 40_320

// automorphisms returns the permutations that preserve the network, the identity first. If there are more than
// maxOrder, it returns a subgroup that fixes some processes, and their numbers.
func (n *network) automorphisms() (all []permutation, fixed []int) {
	for {
		s := automorphismSearch{network: n, image: make([]byte, 0, n.n), used: make([]bool, n.n)}
		n.refine()
		if s.extend(); s.steps < maxSteps && len(s.automorphisms) <= maxOrder {
			return s.automorphisms, fixed
		}
		last := n.n - 1
		for slices.Contains(fixed, last) || !slices.Contains(n.colours[:last], n.colours[last]) {
			last--
		}
		fixed = append(fixed, last)
		n.colours[last] = slices.Max(n.colours) + 1
	}
}

// refine gives processes different colours whose links to processes of some colour differ, until nothing changes.
func (n *network) refine() {
	for classes := 0; ; {
		type link struct{ out, in, colour int }
		known := make(map[string]int)
		next := make([]int, n.n)
		for p := range n.n {
			var around []link
			for q := range n.n {
				around = append(around, link{n.links[p][q], n.links[q][p], n.colours[q]})
			}
			slices.SortFunc(around, func(a, b link) int {
				return slices.Compare([]int{a.out, a.in, a.colour}, []int{b.out, b.in, b.colour})
			})
			next[p] = numberOf(known, fmt.Sprint(n.colours[p], n.links[p][p], around))
		}
		n.colours = next
		if len(known) == classes {
			return
		}
		classes = len(known)
	}
}

// maxSteps bounds the search for automorphisms.
const maxSteps = 5_000_000

// An automorphismSearch assigns images to the processes one after the other.
type automorphismSearch struct {
	*network
	image         []byte
	used          []bool
	steps         int
	automorphisms []permutation
}

func (s *automorphismSearch) extend() {
	p := len(s.image)
	if s.steps++; p == s.n {
		s.automorphisms = append(s.automorphisms, permutation(s.image))
		return
	}
	for to := range s.n {
		if s.used[to] || !s.fits(p, to) || s.steps >= maxSteps || len(s.automorphisms) > maxOrder {
			continue
		}
		s.used[to] = true
		s.image = append(s.image, byte(to))
		s.extend()
		s.image = s.image[:p]
		s.used[to] = false
	}
}

// fits reports whether process p can move to another one, given the images of the processes before it.
func (s *automorphismSearch) fits(p, to int) bool {
	if s.colours[p] != s.colours[to] || s.links[p][p] != s.links[to][to] {
		return false
	}
	for q, image := range s.image {
		if s.links[p][q] != s.links[to][image] || s.links[q][p] != s.links[image][to] {
			return false
		}
	}
	return true
}

// numberOf returns the number of a text, from 0 in the order of their first use.
func numberOf(known map[string]int, key string) int {
	n, ok := known[key]
	if !ok {
		n = len(known)
		known[key] = n
	}
	return n
}
