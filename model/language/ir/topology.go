package ir

import (
	"cmp"
	"slices"

	"ringcheck/model/language/topology"
)

// GraphLinks returns the channels of n processes with the given edges; duplicates are dropped. The channels are ordered
// by receiver, then by the value with which the receiver addresses them.
func GraphLinks(n int, edges []topology.Edge, naming Naming) []Link {
	var around [][]int
	if naming == ByPort {
		around = neighboursAround(n, edges)
	}
	port := func(p, q int) int64 {
		i, _ := slices.BinarySearchFunc(around[p], q, func(r, q int) int { return (r-p+n)%n - (q-p+n)%n })
		return int64(i) + 1
	}
	links := make([]Link, 0, len(edges))
	for _, e := range edges {
		l := Link(e)
		switch naming {
		case ByNumber:
			l.Out, l.In = int64(e.To), int64(e.From)
		case ByDirection: // it is so already
		case ByPort:
			if e.Out == 0 {
				l.Out, l.In = port(e.From, e.To), port(e.To, e.From)
			}
		}
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Or(a.To-b.To, cmp.Compare(a.In, b.In)) })
	return slices.Compact(links)
}

// neighboursAround returns the neighbours of each process by ascending number, starting after its own and wrapping
// around.
func neighboursAround(n int, edges []topology.Edge) [][]int {
	all := make([][]int, n)
	for _, e := range edges {
		all[e.From] = append(all[e.From], e.To)
		all[e.To] = append(all[e.To], e.From)
	}
	for p, list := range all {
		slices.SortFunc(list, func(a, b int) int { return (a-p+n)%n - (b-p+n)%n })
		all[p] = slices.Compact(list)
	}
	return all
}

// A Network says which process is connected to which, whether or not there are channels.
type Network struct {
	links []Link  // in the order of GraphLinks
	first []int   // by process: the first link that leads to it; one more at the end
	out   [][]int // by process: the links that leave it, by Out

	neighbours [][]int   // see Protocol.Neighbours
	ports      [][]int64 // see Protocol.Ports
}

// NewNetwork returns the network of n processes with the given links, in the order of GraphLinks.
func NewNetwork(n int, links []Link) *Network {
	net := &Network{links: links, first: make([]int, n+1), out: make([][]int, n)}
	for i, l := range links {
		net.first[l.To+1]++
		net.out[l.From] = append(net.out[l.From], i)
	}
	for p := range n {
		net.first[p+1] += net.first[p]
		slices.SortFunc(net.out[p], func(a, b int) int { return cmp.Compare(links[a].Out, links[b].Out) })
	}
	for p := range n {
		net.neighbours = append(net.neighbours,
			ends(net, p, func(l Link) int { return l.To }, func(l Link) int { return l.From }))
		net.ports = append(net.ports,
			ends(net, p, func(l Link) int64 { return l.Out }, func(l Link) int64 { return l.In }))
	}
	return net
}

// in returns the number of the link that a process addresses by source, -1 for no link.
func (net *Network) in(process int, source int64) int {
	lo, hi := net.first[process], net.first[process+1]
	compare := func(l Link, source int64) int { return cmp.Compare(l.In, source) }
	i, found := slices.BinarySearchFunc(net.links[lo:hi], source, compare)
	if !found {
		return -1
	}
	return lo + i
}

// outTo returns the number of the link that a process addresses by target, -1 for no link.
func (net *Network) outTo(process int, target int64) int {
	list := net.out[process]
	compare := func(l int, target int64) int { return cmp.Compare(net.links[l].Out, target) }
	i, found := slices.BinarySearchFunc(list, target, compare)
	if !found {
		return -1
	}
	return list[i]
}

// Numbered reports whether processes address one another by number.
func (p *Protocol) Numbered() bool { return p.Naming == ByNumber }

// DirType returns the type of the directions in the network.
func (p *Protocol) DirType() *Type {
	if p.Naming == ByDirection {
		return DirType(p.Topology.Directions)
	}
	return DirType(topology.Sides)
}

// NumberOfLinks returns the number of channels.
func (p *Protocol) NumberOfLinks() int {
	if p.Vast {
		return p.N * (p.N - 1)
	}
	return len(p.Links)
}

// Link returns a channel, by the number that it has in Links or, in a Vast protocol, would have there.
func (p *Protocol) Link(number int) Link {
	if !p.Vast {
		return p.Links[number]
	}
	to, from := number/(p.N-1), number%(p.N-1)
	if from >= to {
		from++
	}
	return Link{From: from, To: to, Out: int64(to), In: int64(from)}
}

// vastLink returns the number of a channel of a Vast protocol, -1 for no channel.
func (p *Protocol) vastLink(from, to int64) int {
	n := int64(p.N)
	switch {
	case from < 0 || to < 0 || from >= n || to >= n || from == to:
		return -1
	case from > to:
		from--
	}
	return int(to*(n-1) + from)
}

// InLinks returns the links that process p receives from: lo, lo+1, …, hi-1.
func (p *Protocol) InLinks(process int) (lo, hi int) {
	if p.Vast {
		return process * (p.N - 1), (process + 1) * (p.N - 1)
	}
	if len(p.Links) == 0 {
		return 0, 0
	}
	return p.Network.first[process], p.Network.first[process+1]
}

// InLink returns the number of the link that the process addresses by source, -1 for no link.
func (p *Protocol) InLink(process int, source int64) int {
	if p.Vast {
		return p.vastLink(source, int64(process))
	}
	if len(p.Links) == 0 {
		return -1
	}
	return p.Network.in(process, source)
}

// OutLink returns the number of the link that the process addresses by target, -1 for no link.
func (p *Protocol) OutLink(process int, target int64) int {
	if p.Vast {
		return p.vastLink(int64(process), target)
	}
	if len(p.Links) == 0 {
		return -1
	}
	return p.Network.outTo(process, target)
}

// Neighbours returns the processes that the given one is connected to, in either direction, in ascending order. The
// caller does not change them.
func (p *Protocol) Neighbours(process int) []int {
	if p.Network == nil {
		var all []int
		for q := range p.N {
			if q != process {
				all = append(all, q)
			}
		}
		return all
	}
	return p.Network.neighbours[process]
}

// Ports returns the values by which a process names its neighbours, in ascending order. The caller does not change
// them.
func (p *Protocol) Ports(process int) []int64 {
	return p.Network.ports[process]
}

// ends returns the distinct values, in ascending order, of out for the links from a process and of in for those to it.
func ends[T cmp.Ordered](net *Network, process int, out, in func(Link) T) []T {
	var all []T
	for _, i := range net.out[process] {
		all = append(all, out(net.links[i]))
	}
	for _, l := range net.links[net.first[process]:net.first[process+1]] {
		all = append(all, in(l))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Peer returns the neighbour that the process addresses by port, as a target or as a source.
func (p *Protocol) Peer(process int, port int64) (neighbour int, ok bool) {
	if p.Network == nil {
		return int(port), port >= 0 && port < int64(p.N) && port != int64(process)
	}
	if link := p.Network.outTo(process, port); link >= 0 {
		return p.Network.links[link].To, true
	}
	if link := p.Network.in(process, port); link >= 0 {
		return p.Network.links[link].From, true
	}
	return 0, false
}
