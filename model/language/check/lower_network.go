package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/language/topology"
)

// maxRule bounds the pairs of processes for which the rule of a graph is evaluated.
const maxRule = 1 << 22

// topology sets the number of processes and the channels among them.
func (b *builder) topology() {
	d := b.file.Topology
	kind := d.Shape()
	n, by := b.size(kind.Sizes[0], d.Size), int64(1)
	if d.By != nil {
		by = b.size(kind.Sizes[1], d.By)
	}
	if len(b.errs) > 0 {
		return
	}
	p, processes := b.protocol, kind.Processes(n, by)
	p.Topology, p.Naming = kind, naming(d)
	if processes > topology.MaxProcesses {
		b.errs.Add(d.Size.ExprPos(), "a topology of %d processes: it must be 1 to %d", processes, topology.MaxProcesses)
		return
	}
	p.N, p.Sizes = int(processes), [2]int{int(n), int(by)}
	if b.kinds(); len(b.errs) > 0 {
		return
	}
	links := b.links(d, int(n), int(by))
	if len(b.errs) > 0 || links == nil {
		return
	}
	p.Network = ir.NewNetwork(p.N, links)
	if b.file.Channel != nil {
		p.Links = links
	}
}

// size evaluates a size of a network.
func (b *builder) size(want topology.Size, e syntax.Expr) int64 {
	n := b.constant(e, nil).Value
	if n < want.Least || n > want.Most {
		b.errs.Add(e.ExprPos(), "a topology of size %d: it must be %d to %d", n, want.Least, want.Most)
	}
	return n
}

// links returns the links of a network with the given sizes; nil if nothing needs them.
func (b *builder) links(d *syntax.TopologyDecl, n, by int) []ir.Link {
	p := b.protocol
	if p.Topology.Complete && p.Numbered() {
		switch {
		case b.file.Channel == nil:
			return nil
		case n*(n-1) > maxLinks:
			p.Vast = true
			b.large(d.Size.ExprPos(), "a %s of %d processes has more than %d channels", d.Kind, n, maxLinks)
			return nil
		}
	}
	edges := b.edges(d, n, by)
	if len(edges) == 0 && p.N > 1 && len(b.errs) == 0 {
		b.errs.Add(d.Pos, "the network has no edges")
	}
	return ir.GraphLinks(p.N, edges, p.Naming)
}

// edges returns the edges of a network.
func (b *builder) edges(d *syntax.TopologyDecl, n, by int) (edges []topology.Edge) {
	p := b.protocol
	if p.Topology.Rule {
		return b.ruleEdges(d, n)
	}
	for process := range p.N {
		edges = append(edges, p.Topology.Edges(process, n, by)...)
		if len(edges) > maxLinks {
			b.errs.Add(d.Size.ExprPos(), "a %s of %d processes has more than %d channels", d.Kind, p.N, maxLinks)
			return nil
		}
	}
	return edges
}

// ruleEdges returns the edges for which a rule holds.
func (b *builder) ruleEdges(d *syntax.TopologyDecl, n int) (edges []topology.Edge) {
	if n*n > maxRule {
		b.errs.Add(d.Size.ExprPos(), "a rule for %d processes: there are too many pairs", n)
		return nil
	}
	from, to := b.binder(symbolOf(d.From.Binding), ir.NodeType(n)), b.binder(symbolOf(d.To.Binding), ir.NodeType(n))
	rule := b.logical(d.If)
	env := b.env()
	for p := range n {
		for q := range n {
			env.Vars[from.ID], env.Vars[to.ID] = int64(p), int64(q)
			if b.value(rule, env) != 0 && p != q {
				edges = append(edges, topology.Edge{From: p, To: q})
			}
			if len(b.errs) > 0 {
				return nil
			}
		}
	}
	return edges
}
