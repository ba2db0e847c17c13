package ir

// Links returns the channels among n processes: those with the same receiver are adjacent, receivers ascend,
// and so do the values by which a receiver addresses them.
func Links(t Topology, n int) []Link {
	var links []Link
	for p := range n {
		prev, next := (p+n-1)%n, (p+1)%n
		switch t {
		case DirectedRing:
			links = append(links, Link{From: prev, To: p, Out: Right, In: Left})
		case UndirectedRing:
			links = append(links,
				Link{From: prev, To: p, Out: Right, In: Left},
				Link{From: next, To: p, Out: Left, In: Right})
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

// InLinks returns the links that process p receives from: lo, lo+1, …, hi-1.
func (p *Protocol) InLinks(process int) (lo, hi int) {
	degree := p.degree()
	return process * degree, (process + 1) * degree
}

// degree is how many links each process receives from.
func (p *Protocol) degree() int {
	if len(p.Links) == 0 {
		return 0
	}
	switch p.Topology {
	case DirectedRing:
		return 1
	case UndirectedRing:
		return 2
	}
	return p.N - 1
}

// InLink returns the number of the link that the process addresses by source, -1 if there is none.
func (p *Protocol) InLink(process int, source int64) int {
	i := source
	if p.Topology == CompleteGraph {
		if source == int64(process) {
			return -1
		}
		if source > int64(process) {
			i--
		}
	}
	lo, hi := p.InLinks(process)
	if i < 0 || i >= int64(hi-lo) {
		return -1
	}
	return lo + int(i)
}

// OutLink returns the number of the link that the process addresses by target, -1 if there is none.
func (p *Protocol) OutLink(process int, target int64) int {
	switch {
	case p.Topology == CompleteGraph:
		if target < 0 || target >= int64(p.N) {
			return -1
		}
		return p.InLink(int(target), int64(process))
	case target == Right:
		return p.InLink((process+1)%p.N, Left)
	case target == Left:
		return p.InLink((process+p.N-1)%p.N, Right)
	}
	return -1
}

// Peer returns the neighbour that the process addresses by port, as a target or as a source.
func (p *Protocol) Peer(process int, port int64) (neighbour int, ok bool) {
	switch {
	case p.Topology == CompleteGraph:
		return int(port), port >= 0 && port < int64(p.N) && port != int64(process)
	case port == Right:
		return (process + 1) % p.N, true
	}
	return (process + p.N - 1) % p.N, port == Left
}
