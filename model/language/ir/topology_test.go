package ir

import (
	"testing"

	"ringcheck/model/language/topology"
)

// newNetwork returns a protocol with the channels of a kind of network.
func newNetwork(kind *topology.Kind, naming Naming, a, b int) *Protocol {
	p := &Protocol{N: int(kind.Processes(int64(a), int64(b))), Topology: kind, Naming: naming}
	var edges []topology.Edge
	for process := range p.N {
		edges = append(edges, kind.Edges(process, a, b)...)
	}
	p.Links = GraphLinks(p.N, edges, naming)
	p.Network = NewNetwork(p.N, p.Links)
	return p
}

// TestLinks checks that InLink and OutLink find each channel from its ends, and only from there.
func TestLinks(t *testing.T) {
	for _, kind := range topology.Kinds {
		if kind.Rule {
			continue
		}
		for _, naming := range []Naming{ByNumber, ByDirection, ByPort} {
			directions := kind.Directions != nil
			if naming == ByNumber && kind.Anonymous || naming != ByNumber && directions != (naming == ByDirection) {
				continue
			}
			for a := 1; a <= 5; a++ {
				for b := 1; b == 1 || b <= 3 && len(kind.Sizes) > 1; b++ {
					checkLinks(t, newNetwork(kind, naming, a, b))
				}
			}
		}
	}
}

func checkLinks(t *testing.T, p *Protocol) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, %d processes, naming %d: "+format, append([]any{p.Topology.Keyword, p.N, p.Naming}, args...)...)
	}
	for i, l := range p.Links {
		if in, out := p.InLink(l.To, l.In), p.OutLink(l.From, l.Out); in != i || out != i {
			fail("link %d %+v is InLink %d, OutLink %d", i, l, in, out)
		}
		if lo, hi := p.InLinks(l.To); i < lo || i >= hi {
			fail("link %d is not among those to %d", i, l.To)
		}
		if i > 0 && (p.Links[i-1].To > l.To || p.Links[i-1].To == l.To && p.Links[i-1].In >= l.In) {
			fail("link %d is not in order", i)
		}
	}
	for process := range p.N {
		for _, port := range []int64{-1, int64(p.N) + 4} {
			if p.InLink(process, port) >= 0 || p.OutLink(process, port) >= 0 {
				fail("process %d has a port %d", process, port)
			}
		}
	}
}

func TestRingLinks(t *testing.T) {
	p := newNetwork(topology.Find("directed ring"), ByDirection, 3, 1)
	if l := p.Links[p.OutLink(2, Right)]; l.To != 0 || l.In != Left {
		t.Errorf("process 2 sends right to %+v", l)
	}
	if p.OutLink(2, Left) >= 0 || p.InLink(0, Right) >= 0 {
		t.Error("a directed ring has links to the left")
	}
	two := newNetwork(topology.Find("undirected ring"), ByDirection, 2, 1).Links
	want := []Link{{1, 0, Right, Left}, {1, 0, Left, Right}, {0, 1, Right, Left}, {0, 1, Left, Right}}
	for i, l := range two {
		if l != want[i] {
			t.Errorf("link %d is %+v, want %+v", i, l, want[i])
		}
	}
}
