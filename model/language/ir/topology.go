package ir

import (
	"cmp"
	"slices"
)

// Links returns the channels among n processes of a ring, a line or a complete graph: those with the same receiver are
// adjacent, receivers ascend, and so do the values by which a receiver addresses them.
func Links(t Topology, n int) []Link {
	var links []Link
	for p := range n {
		prev, next := (p+n-1)%n, (p+1)%n
		fromLeft := Link{From: prev, To: p, Out: Right, In: Left}
		fromRight := Link{From: next, To: p, Out: Left, In: Right}
		switch t {
		case DirectedRing:
			links = append(links, fromLeft)
		case UndirectedRing:
			links = append(links, fromLeft, fromRight)
		case Line:
			if p > 0 {
				links = append(links, fromLeft)
			}
			if p < n-1 {
				links = append(links, fromRight)
			}
		case CompleteGraph:
			for q := range n {
				if q != p {
					links = append(links, Link{From: q, To: p, Out: int64(p), In: int64(q)})
				}
			}
		}
	}
	return links
}

// GraphLinks returns the channels of a graph whose edges are given, from and to; an edge counts once.
func GraphLinks(edges [][2]int) []Link {
	var links []Link
	for _, e := range edges {
		links = append(links, Link{From: e[0], To: e[1], Out: int64(e[1]), In: int64(e[0])})
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Or(a.To-b.To, cmp.Compare(a.In, b.In)) })
	return slices.Compact(links)
}

// A Network says which process is connected to which, whether or not there are channels.
type Network struct {
	links []Link // as Links returns them
	first []int  // by process: the first link that leads to it; one more at the end
}

// NewNetwork returns the network of n processes with the given links, in the order of Links.
func NewNetwork(n int, links []Link) *Network {
	net := &Network{links: links, first: make([]int, n+1)}
	for _, l := range links {
		net.first[l.To+1]++
	}
	for p := range n {
		net.first[p+1] += net.first[p]
	}
	return net
}

// in returns the number of the link that a process addresses by source, -1 if there is none.
func (net *Network) in(process int, source int64) int {
	lo, hi := net.first[process], net.first[process+1]
	i, found := slices.BinarySearchFunc(net.links[lo:hi], source, func(l Link, source int64) int { return cmp.Compare(l.In, source) })
	if !found {
		return -1
	}
	return lo + i
}

// Numbered reports whether processes address one another by number; else by direction.
func (p *Protocol) Numbered() bool { return p.Topology == CompleteGraph || p.Topology == Graph }

// InLinks returns the links that process p receives from: lo, lo+1, …, hi-1.
func (p *Protocol) InLinks(process int) (lo, hi int) {
	if len(p.Links) == 0 {
		return 0, 0
	}
	return p.Network.first[process], p.Network.first[process+1]
}

// InLink returns the number of the link that the process addresses by source, -1 if there is none.
func (p *Protocol) InLink(process int, source int64) int {
	if len(p.Links) == 0 {
		return -1
	}
	return p.Network.in(process, source)
}

// OutLink returns the number of the link that the process addresses by target, -1 if there is none.
func (p *Protocol) OutLink(process int, target int64) int {
	if len(p.Links) == 0 {
		return -1
	}
	return p.out(process, target)
}

// out is OutLink, channels or not.
func (p *Protocol) out(process int, target int64) int {
	switch {
	case p.Numbered():
		if target < 0 || target >= int64(p.N) {
			return -1
		}
		return p.Network.in(int(target), int64(process))
	case target == Right:
		return p.Network.in((process+1)%p.N, Left)
	case target == Left:
		return p.Network.in((process+p.N-1)%p.N, Right)
	}
	return -1
}

// Neighbours returns the processes that one is connected to, in either direction, in ascending order.
func (p *Protocol) Neighbours(process int) []int {
	var all []int
	if p.Topology == CompleteGraph {
		for q := range p.N {
			if q != process {
				all = append(all, q)
			}
		}
		return all
	}
	for _, l := range p.Network.links {
		switch process {
		case l.From:
			all = append(all, l.To)
		case l.To:
			all = append(all, l.From)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Peer returns the neighbour that the process addresses by port, as a target or as a source.
func (p *Protocol) Peer(process int, port int64) (neighbour int, ok bool) {
	if p.Topology == CompleteGraph {
		return int(port), port >= 0 && port < int64(p.N) && port != int64(process)
	}
	if link := p.out(process, port); link >= 0 {
		return p.Network.links[link].To, true
	}
	if link := p.Network.in(process, port); link >= 0 {
		return p.Network.links[link].From, true
	}
	return 0, false
}
