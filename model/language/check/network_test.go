package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/language/topology"
)

// links lists the channels, as "0>1" where processes are addressed by number, else as "0 right>1".
func links(p *ir.Protocol) string {
	var all []string
	for from := range p.N {
		for port := range int64(p.N) + 4 {
			link := p.OutLink(from, port)
			if link < 0 {
				continue
			}
			l := p.Links[link]
			name := ""
			if !p.Numbered() {
				name = " " + p.FormatPort(port)
			}
			all = append(all, fmt.Sprintf("%d%s>%d", from, name, l.To))
			if q, ok := p.Peer(from, port); !ok || q != l.To || p.InLink(l.To, l.In) != link {
				all = append(all, "which is not found")
			}
		}
	}
	return strings.Join(all, " ")
}

// TestNetworks compares the links of each network with docs/language.md.
func TestNetworks(t *testing.T) {
	type test struct{ topology, want string }
	tests := []test{
		{"directed ring of 3", "0 right>1 1 right>2 2 right>0"},
		{"undirected ring of 3", "0 left>2 0 right>1 1 left>0 1 right>2 2 left>1 2 right>0"},
		{"complete graph of 3", "0>1 0>2 1>0 1>2 2>0 2>1"},
		{"line of 1", ""},
		{"line of 3", "0 right>1 1 left>0 1 right>2 2 left>1"},
		{"star of 4", "0>1 0>2 0>3 1>0 2>0 3>0"},
		{"binary tree of 5", "0>1 0>2 1>0 1>3 1>4 2>0 3>1 4>1"},
		{"grid of 3 by 2", "0>1 0>3 1>0 1>2 1>4 2>1 2>5 3>0 3>4 4>1 4>3 4>5 5>2 5>4"},
		{"torus of 3 by 1", "0>1 0>2 1>0 1>2 2>0 2>1"},
		{"torus of 2 by 2", "0>1 0>2 1>0 1>3 2>0 2>3 3>1 3>2"},
		{"bipartite graph of 2 by 1", "0>2 1>2 2>0 2>1"},
		{"hypercube of 0", ""},
		{"hypercube of 2", "0>1 0>2 1>0 1>3 2>0 2>3 3>1 3>2"},
		{"hypercube of 3", "0>1 0>2 0>4 1>0 1>3 1>5 2>0 2>3 2>6 3>1 3>2 3>7 " +
			"4>0 4>5 4>6 5>1 5>4 5>7 6>2 6>4 6>7 7>3 7>5 7>6"},
		{"graph of 4 with p -> q if q = p + 1 or p = q", "0>1 1>2 2>3"},
		{"anonymous binary tree of 3", "0 1>1 0 2>2 1 1>0 2 1>0"},
		{"anonymous star of 3", "0 1>1 0 2>2 1 1>0 2 1>0"},
		{"anonymous complete graph of 3", "0 1>1 0 2>2 1 1>2 1 2>0 2 1>0 2 2>1"},
		{"anonymous bipartite graph of 1 by 2", "0 1>1 0 2>2 1 1>0 2 1>0"},
		{"anonymous hypercube of 2", "0 1>1 0 2>2 1 1>0 1 2>3 2 1>3 2 2>0 3 1>2 3 2>1"},
		{"anonymous graph of 3 with p -> q if q = (p + 1) mod 3", "0 1>1 1 1>2 2 1>0"},
		{"anonymous grid of 2 by 2", "0 right>1 0 down>2 1 left>0 1 down>3 2 right>3 2 up>0 3 left>2 3 up>1"},
		{"anonymous torus of 2 by 1", "0 left>1 0 right>1 1 left>0 1 right>0"},
	}
	for _, kind := range topology.Kinds {
		for _, word := range []string{"", "anonymous "} {
			begins := func(tt test) bool { return strings.HasPrefix(tt.topology, word+kind.Keyword+" of ") }
			if !slices.ContainsFunc(tests, begins) && !(kind.Anonymous && word != "") {
				t.Errorf("add the links of a network %s%s to this test", word, kind.Keyword)
			}
		}
	}
	for _, tt := range tests {
		p := spectest.Instantiate(t, "protocol network\ntopology "+tt.topology+"\nchannel fifo\nprocess p = stop", nil)
		if err := checkSanity(p); err != nil {
			t.Errorf("%s: %v", tt.topology, err)
		}
		if got := links(p); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.topology, got, tt.want)
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	for _, c := range []complaint{
		{"^topology graph of 3 with p -> q if p = q", `the network has no edges`},
		{"^topology graph of 3 with p -> q if q > 2", `the network has no edges`},
		{"^topology anonymous line of 3",
			`anonymous is not needed: in a line processes name their neighbours by direction`},
		{"topology grid of ^0 by 3", `a topology of size 0: it must be 1 to 131072`},
		{"topology grid of ^400 by 400", `a topology of 160000 processes: it must be 1 to 131072`},
		{"topology bipartite graph of ^4000 by 4000",
			`a bipartite graph of 8000 processes has more than 4194304 channels`},
		{"topology anonymous complete graph of ^5000",
			`a complete graph of 5000 processes has more than 4194304 channels`},
		{"topology graph of ^5000 with p -> q if p < q", `a rule for 5000 processes: there are too many pairs`},
		{"topology graph of 3 with p -> q if q in ^neighbours(p)", `neighbours: the network is not known here`},
		{"topology star of 3\nconst c = size(^neighbours(0))", `neighbours: the network is not known here`},
		{"topology anonymous star of 3\nparam k: 1..size(^ports(0)) = 1", `ports: the network is not known here`},
		{"topology star of 3\nconst c = count q in ^node: true", `the number of processes is not known here`},
		{"type T = node\ntopology star of count q in ^T: true", `the number of processes is not known here`},
		{"topology graph of 3 with p -> q if 1 ^div p = 1", `division by zero`},
	} {
		c.check(t, "protocol test\nchannel fifo\nprocess p = stop\n", instantiateDefault)
	}
}

// TestMortal checks which processes can crash by a condition with a quantifier of its own.
func TestMortal(t *testing.T) {
	p := spectest.Instantiate(t, "protocol mortal\ntopology directed ring of 4\nprocess p = stop\n"+
		"crash at most 1 of p where exists q in node: q = p and q < 2", nil)
	if want := []bool{true, true, false, false}; !slices.Equal(p.Faults.Mortal, want) {
		t.Errorf("got %v, want %v", p.Faults.Mortal, want)
	}
}

// TestManyEffects refuses channels with a fault that can have too many effects on a message, unless it cannot happen.
func TestManyEffects(t *testing.T) {
	const src = "protocol many\ntopology line of 2\nchannel fifo, %s at most %d\nmessage M(a: 1..300, b: 1..300)\n" +
		"process p = stop\n"
	for kind := range ir.FaultKinds {
		if kind == ir.CrashFault {
			continue
		}
		info := kind.Info()
		message := &ir.Message{Name: "M", Fields: []ir.Field{{Type: ir.IntType(1, 300)}, {Type: ir.IntType(1, 300)}}}
		want := fmt.Sprintf("%s: message M can be %s in more than 65536 ways", info.Keyword, info.Participle)
		for most := range 2 {
			file, err := syntax.Parse("many.ring", fmt.Appendf(nil, src, info.Keyword, most))
			if err != nil {
				t.Fatal(err)
			}
			spec, err := check.File(file)
			if err == nil {
				_, err = spec.Instantiate(nil)
			}
			refused := err != nil && strings.Contains(err.Error(), want)
			tooMany := most > 0 && kind.Count(message) > ir.MostEffects
			if refused != tooMany || err != nil && !refused {
				t.Errorf("%s at most %d: %v", info.Keyword, most, err)
			}
		}
	}
}
