package symmetry

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
)

// A network has the colours and links of processes, which permutations must preserve.
type network struct {
	n       int
	colours []int
	links   links
	// exchanges are the permutations of directions other than the identity that occur in the network, with the links
	// that it has if directions are exchanged.
	exchanges []exchange
}

// links has for each pair of processes the number of what connects the first with the second; 0 is nothing.
type links [][]int

// An exchange is a permutation of directions.
type exchange struct {
	directions string
	links      links
}

// newNetwork returns how the processes of a protocol are connected, and colours that differ where the kinds of
// processes or the possible faults do.
func newNetwork(p *ir.Protocol) *network {
	n := &network{n: p.N, colours: make([]int, p.N)}
	known, kinds := map[string]int{"": 0}, make(map[string]int)
	n.links = newLinks(p, "", known)
	for process := range p.N {
		kind := slices.IndexFunc(p.Kinds, func(k *ir.ProcessKind) bool {
			return process >= k.First && process <= k.Last
		})
		n.colours[process] = numberOf(kinds, fmt.Sprint(kind, p.Faults.Mortal != nil && p.Faults.Mortal[process]))
	}
	if p.Naming == ir.ByDirection {
		used := make([]bool, len(p.DirType().Names))
		for process := range p.N {
			for _, d := range p.Ports(process) {
				used[d] = true
			}
		}
		for directions := range exchangesOf(used) {
			n.exchanges = append(n.exchanges, exchange{directions, newLinks(p, directions, known)})
		}
	}
	return n
}

// exchangesOf yields the permutations of the used directions other than the identity that map opposite directions to
// opposite ones. Unused directions remain.
func exchangesOf(used []bool) iter.Seq[string] {
	var extend func(image []byte, yield func(string) bool) bool
	extend = func(image []byte, yield func(string) bool) bool {
		if len(image) == len(used) {
			return string(image) == identityMap(len(used)) || yield(string(image))
		}
		from := byte(len(image))
		for d := range byte(len(used)) {
			if !slices.Contains(image, d) && (from == d || used[from] && used[d]) &&
				(from^1 == d^1 || used[from^1] && used[d^1]) &&
				!extend(append(slices.Clip(image), d, d^1), yield) {
				return false
			}
		}
		return true
	}
	return func(yield func(string) bool) { extend(nil, yield) }
}

// newLinks returns the links of a protocol with exchanged directions. What connects processes is numbered by known.
func newLinks(p *ir.Protocol, directions string, known map[string]int) links {
	by := permutation{directions: directions}
	names := make([][]string, p.N*p.N)
	for _, l := range p.Links {
		name := "link"
		if !p.Numbered() {
			name = fmt.Sprint(by.direction(l.Out), " ", by.direction(l.In))
		}
		names[l.From*p.N+l.To] = append(names[l.From*p.N+l.To], name)
	}
	if p.Network != nil && len(p.Links) == 0 { // processes are connected without channels
		for process := range p.N {
			for _, port := range p.Ports(process) {
				q, _ := p.Peer(process, port)
				name := "neighbour"
				if !p.Numbered() {
					name = fmt.Sprint(by.direction(port))
				}
				names[process*p.N+q] = append(names[process*p.N+q], name)
			}
		}
	}
	all := make(links, p.N)
	for process := range p.N {
		all[process] = make([]int, p.N)
		for q := range p.N {
			list := names[process*p.N+q]
			slices.Sort(list)
			all[process][q] = numberOf(known, strings.Join(list, ", "))
		}
	}
	return all
}

// colour gives processes new colours such that permutations of the network satisfy a requirement.
func (n *network) colour(r *requirement) {
	fresh := slices.Max(n.colours) + 1
	for p := range n.n {
		switch {
		case r.all || slices.Contains(r.fixed, int64(p)):
			n.colours[p] = fresh
			fresh++
		case r.set != nil && r.set[p]:
			n.colours[p] += fresh
		}
	}
}

// maxOrder bounds the number of elements of a group.
const maxOrder = 40_320

// automorphisms returns the permutations that preserve the network, the identity first. If there are more than
// maxOrder, it returns a subgroup that fixes some processes, and their numbers.
func (n *network) automorphisms() (all []permutation, fixed []int) {
	for {
		refined := *n
		refined.colours = slices.Clone(n.colours)
		refined.refine()
		s := newAutomorphismSearch(&refined, exchange{links: n.links}, maxOrder)
		if s.extend(); s.complete() {
			return append(s.automorphisms, n.exchanging(len(s.automorphisms))...), fixed
		}
		last := n.n - 1
		for slices.Contains(fixed, last) || !slices.Contains(refined.colours[:last], refined.colours[last]) {
			last--
		}
		fixed = append(fixed, last)
		n.colours[last] = slices.Max(n.colours) + 1
	}
}

// exchanging returns the automorphisms that exchange directions, given the number of the others. It returns none if one
// of them moves no process: then colours of processes would not tell which permutation leads to a representative.
func (n *network) exchanging(others int) (all []permutation) {
	for _, e := range n.exchanges {
		s := newAutomorphismSearch(n, e, maxOrder-others-len(all))
		s.extend()
		if !s.complete() || slices.ContainsFunc(s.automorphisms, func(p permutation) bool {
			return p.processes == identityMap(n.n)
		}) {
			return nil
		}
		all = append(all, s.automorphisms...)
	}
	return all
}

// has reports whether p, which keeps directions, is an automorphism.
func (n *network) has(p permutation) bool {
	for q := range n.n {
		to := p.processes[q]
		if n.colours[q] != n.colours[to] {
			return false
		}
		for r := range n.n {
			if n.links[q][r] != n.links[to][p.processes[r]] {
				return false
			}
		}
	}
	return true
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

// An automorphismSearch assigns images to the processes one after the other. It looks for the permutations with given
// directions.
type automorphismSearch struct {
	*network
	exchange      exchange
	most          int // automorphisms
	image         []byte
	used          []bool
	steps         int
	automorphisms []permutation
}

func newAutomorphismSearch(n *network, e exchange, most int) *automorphismSearch {
	return &automorphismSearch{
		network: n, exchange: e, most: most, image: make([]byte, 0, n.n), used: make([]bool, n.n),
	}
}

// complete reports whether all automorphisms were found.
func (s *automorphismSearch) complete() bool {
	return s.steps < maxSteps && len(s.automorphisms) <= s.most
}

func (s *automorphismSearch) extend() {
	p := len(s.image)
	if s.steps++; p == s.n {
		s.automorphisms = append(s.automorphisms, permutation{string(s.image), s.exchange.directions})
		return
	}
	for to := range s.n {
		if s.used[to] || !s.fits(p, to) || !s.complete() {
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
	from := s.exchange.links
	if s.colours[p] != s.colours[to] || from[p][p] != s.links[to][to] {
		return false
	}
	for q, image := range s.image {
		if from[p][q] != s.links[to][image] || from[q][p] != s.links[image][to] {
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
