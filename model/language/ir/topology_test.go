package ir

import "testing"

// ring returns the edges of a ring or a line.
func ring(n int, both, closed bool) (edges []Edge) {
	for p := range n {
		next := (p + 1) % n
		if next == 0 && !closed {
			break
		}
		if edges = append(edges, Edge{p, next, Right}); both {
			edges = append(edges, Edge{next, p, Left})
		}
	}
	return edges
}

// complete returns the edges of a complete graph.
func complete(n int) (edges []Edge) {
	for p := range n * n {
		if p/n != p%n {
			edges = append(edges, Edge{From: p / n, To: p % n})
		}
	}
	return edges
}

// star returns the edges between process 0 and each other.
func star(n int) (edges []Edge) {
	for p := 1; p < n; p++ {
		edges = append(edges, Edge{From: 0, To: p}, Edge{From: p, To: 0})
	}
	return edges
}

// InLink and OutLink find each channel from its ends, and only from there.
func TestLinks(t *testing.T) {
	edges := map[Topology]func(n int) []Edge{
		DirectedRing:   func(n int) []Edge { return ring(n, false, true) },
		UndirectedRing: func(n int) []Edge { return ring(n, true, true) },
		Line:           func(n int) []Edge { return ring(n, true, false) },
		CompleteGraph:  complete,
		Graph:          star,
	}
	for topology, edges := range edges {
		for n := 1; n <= 5; n++ {
			p := &Protocol{N: n, Topology: topology, Naming: ByDirection}
			if topology == CompleteGraph || topology == Graph {
				p.Naming = ByNumber
			}
			p.Links = GraphLinks(n, edges(n), p.Naming)
			p.Network = NewNetwork(n, p.Links)
			want := map[Topology]int{DirectedRing: n, UndirectedRing: 2 * n, CompleteGraph: n * (n - 1),
				Line: 2 * (n - 1), Graph: 2 * (n - 1)}[topology]
			if len(p.Links) != want {
				t.Errorf("topology %d with %d processes: %d links, want %d", topology, n, len(p.Links), want)
			}
			for i, l := range p.Links {
				if in, out := p.InLink(l.To, l.In), p.OutLink(l.From, l.Out); in != i || out != i {
					t.Errorf("topology %d, n = %d: link %d %+v is InLink %d, OutLink %d", topology, n, i, l, in, out)
				}
				if lo, hi := p.InLinks(l.To); i < lo || i >= hi {
					t.Errorf("topology %d, n = %d: link %d is not among those to %d", topology, n, i, l.To)
				}
				if i > 0 && (p.Links[i-1].To > l.To || p.Links[i-1].To == l.To && p.Links[i-1].In >= l.In) {
					t.Errorf("topology %d, n = %d: link %d is not in order", topology, n, i)
				}
			}
			for process := range n {
				for _, port := range []int64{-1, int64(n) + 2} {
					if p.InLink(process, port) >= 0 || p.OutLink(process, port) >= 0 {
						t.Errorf("topology %d, n = %d: process %d has a port %d", topology, n, process, port)
					}
				}
			}
		}
	}
}

func TestRingLinks(t *testing.T) {
	p := &Protocol{N: 3, Topology: DirectedRing, Naming: ByDirection}
	p.Links = GraphLinks(3, ring(3, false, true), ByDirection)
	p.Network = NewNetwork(3, p.Links)
	if l := p.Links[p.OutLink(2, Right)]; l.To != 0 || l.In != Left {
		t.Errorf("process 2 sends right to %+v", l)
	}
	if p.OutLink(2, Left) >= 0 || p.InLink(0, Right) >= 0 {
		t.Error("a directed ring has links to the left")
	}
	two := GraphLinks(2, ring(2, true, true), ByDirection)
	want := []Link{{1, 0, Right, Left}, {1, 0, Left, Right}, {0, 1, Right, Left}, {0, 1, Left, Right}}
	for i, l := range two {
		if l != want[i] {
			t.Errorf("link %d is %+v, want %+v", i, l, want[i])
		}
	}
}
