package spectest

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// A network is a topology of n processes, with expressions for the neighbours that every process has. They are for
// equations, in which a process is called self; ofP makes them those of process p.
type network struct {
	topology string
	link     string   // the type of targets and sources
	targets  []string // to which a process can send
	sources  []string // from which it can receive
	inbox    string   // one of them that is not _
	own      string   // the parameter that every equation has: me, the own number, or way, a direction; "" for none
	begin    string   // its first value
}

// byNumber returns a network in which the process `next` of each process is named by its number.
func byNumber(topology, next, inbox string) network {
	return network{topology: topology, link: "node", targets: []string{next}, sources: []string{"_", next},
		inbox: inbox}
}

// byPort returns a network in which the neighbours of a process have ports.
func byPort(topology, inbox string) network {
	return network{topology: topology, link: "1..n - 1", targets: []string{"1"}, sources: []string{"_"}, inbox: inbox}
}

// networks are all topologies of the language.
var networks = []network{
	{"directed ring of n", "dir", []string{"right"}, []string{"left"}, "left", "", ""},
	{"undirected ring of n", "dir", []string{"left", "right"}, []string{"left", "right", "_"}, "left", "", ""},
	{"line of n", "dir", []string{"(if self < 1 then right else left)"}, []string{"left", "right", "_"},
		"(if self < 1 then right else left)", "", ""},
	{"complete graph of n", "node", []string{"((me + 1) mod n)", "((self + 1) mod n)"}, []string{"_"},
		"((self + 1) mod n)", "me", "p"},
	byNumber("star of n", "(if self < 1 then 1 else 0)", "(if self < 1 then 1 else 0)"),
	byNumber("binary tree of n", "(if self < 1 then n - 1 else 0)", "(if self < 1 then 1 else 0)"),
	byNumber("grid of n by 1", "(if self < 1 then 1 else self - 1)", "(if self < 1 then 1 else self - 1)"),
	byNumber("torus of n by 1", "((self + 1) mod n)", "((self + 1) mod n)"),
	byNumber("bipartite graph of 1 by n - 1", "(if self < 1 then 1 else 0)", "(if self < 1 then 1 else 0)"),
	byNumber("graph of n with p -> q if q = (p + 1) mod n", "((self + 1) mod n)", "((self + n - 1) mod n)"),
	{"anonymous grid of n by 1", "dir", []string{"way"}, []string{"left", "right", "_"}, "way", "way",
		"if p < 1 then right else left"},
	{"anonymous torus of n by 1", "dir", []string{"left", "right"}, []string{"left", "right", "_"}, "left", "", ""},
	{"anonymous complete graph of n", "1..n - 1", []string{"1", "(n - 1)"}, []string{"_"}, "n - 1", "", ""},
	byPort("anonymous star of n", "1"),
	byPort("anonymous binary tree of n", "1"),
	byPort("anonymous bipartite graph of 1 by n - 1", "1"),
	byPort("anonymous graph of n with p -> q if q = (p + 1) mod n", "n - 1"),
}

// ofP returns an expression of a network for a declaration, in which the process is called p.
func (n *network) ofP(e string) string {
	return strings.NewReplacer("self", "p", "me", "p", "way", "(if p < 1 then right else left)").Replace(e)
}

// ring reports whether a process can send in both directions.
func (n *network) ring() bool { return n.link == "dir" && len(n.targets) == 2 }

// oneWay reports whether a process cannot answer the one from which it has received.
func (n *network) oneWay() bool { return n == &networks[0] || strings.Contains(n.topology, "->") }

// numbered reports whether processes can use their numbers.
func (n *network) numbered() bool { return n.link == "node" }

// anonymous reports whether processes do not know any numbers.
func (n *network) anonymous() bool { return strings.HasPrefix(n.topology, "anonymous ") }

// networkOf returns the network of a kind.
func networkOf(kind string) *network {
	i := slices.IndexFunc(networks, func(n network) bool { return strings.HasPrefix(n.topology, kind+" of ") })
	return &networks[i]
}

// networkFeatures are the topologies.
func networkFeatures() []feature {
	var all []feature
	for i := range networks {
		n := &networks[i]
		name, _, _ := strings.Cut(n.topology, " of ")
		all = append(all, feature{
			name: "network: " + name,
			in: of(func(d *syntax.TopologyDecl) bool {
				return d.Anonymous == strings.HasPrefix(name, "anonymous ") &&
					d.Kind == strings.TrimPrefix(name, "anonymous ")
			}),
			declare: func(p *plan) {
				p.network = n
				if strings.Contains(p.begin, "(p)") { // neighbours or ports, whichever the network has
					p.begin = ""
				}
			},
		})
	}
	return all
}
