package check

import (
	"cmp"
	"slices"

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
	p.N = int(processes)
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

// directions returns the type of the directions in a network.
func directions(d *syntax.TopologyDecl) *ir.Type {
	if d != nil && naming(d) == ir.ByDirection {
		return ir.DirType(d.Shape().Directions)
	}
	return ir.DirType(topology.Sides)
}

// naming says how processes name their neighbours in a network.
func naming(d *syntax.TopologyDecl) ir.Naming {
	switch kind := d.Shape(); {
	case !d.Anonymous && !kind.Anonymous:
		return ir.ByNumber
	case kind.Directions != nil:
		return ir.ByDirection
	}
	return ir.ByPort
}

// linkText adds to the name of a target or source what it is in this network, if that is not a direction.
func (c *checker) linkText(place string) string {
	switch {
	case c.file.Topology == nil || naming(c.file.Topology) == ir.ByDirection:
		return place
	case c.file.Topology.Anonymous:
		return place + ", in this network a port"
	}
	return place + ", in this network the number of a process"
}

// linkShape is the shape of what names a channel of a process: a direction, a port or a process number.
func (c *checker) linkShape() *shape {
	switch {
	case c.file.Topology == nil:
		return &shape{} // which is reported
	case naming(c.file.Topology) == ir.ByDirection:
		return c.dir()
	}
	return anInteger
}

// crashedName is the name of the control point of a process that has crashed.
const crashedName = "crashed"

// faults checks the clauses about faults and delays.
func (c *checker) faults() {
	if d := c.file.Channel; d != nil {
		seen := map[string]bool{}
		for _, clause := range d.Clauses {
			if seen[clause.Word] {
				c.errs.Add(clause.Pos, "a second %s", clause.Word)
			}
			seen[clause.Word] = true
			if clause.Most != nil {
				c.expect(c.constants(), clause.Most, anInteger, "number of faults")
			}
			if clause.Delay != nil {
				c.typ(c.constants(), clause.Delay)
			}
			c.condition(c.constants(), clause.If)
		}
	}
	d := c.file.Crash
	if d == nil {
		return
	}
	c.expect(c.constants(), d.Most, anInteger, "number of crashes")
	s := c.constants()
	if d.Name != nil {
		sym := c.bind(scope{context: propertyContext}, d.Name.Pos, d.Name.Name, anInteger, d)
		d.Name.Binding = sym
		s = s.bind(sym)
	}
	c.condition(s, d.Where)
	if d.Recover != nil {
		c.term(s, d.Recover)
	}
}

// timed reports whether a spec has time.
func (c *checker) timed() bool {
	timer := func(d *syntax.VarDecl) bool { return d.Kind == "timer" }
	delay := func(f *syntax.ChannelClause) bool { return f.Word == "delay" }
	return slices.ContainsFunc(syntax.All[*syntax.VarDecl](c.file), timer) ||
		c.file.Channel != nil && slices.ContainsFunc(c.file.Channel.Clauses, delay)
}

// environment resolves faults and time.
func (b *builder) environment() {
	f, t := &b.protocol.Faults, &b.protocol.Time
	for _, v := range b.protocol.Vars {
		t.Ticks = t.Ticks || v.Kind == ir.Timer && v.Lasting()
	}
	if b.file.Channel != nil {
		for _, c := range b.file.Channel.Clauses {
			if kind, ok := ir.FaultOf(c.Word); ok {
				f.Most[kind] = b.limit(c.Most)
				b.effects(c, kind)
				continue
			}
			switch c.Word {
			case "delay":
				d := b.rangeType(c.Delay)
				if d.Lo < 0 || d.Hi > maxDelay {
					b.errs.Add(c.Delay.Pos, "a delay of %s ticks: it must be 0 to %d", d, maxDelay)
				}
				t.Ticks, t.Delay, t.Lo, t.Hi = true, true, d.Lo, d.Hi
			case "racing":
				t.Racing = b.holds(c.If)
			}
		}
	}
	b.crashes()
}

// effects checks that the effects of a fault on each message can be listed.
func (b *builder) effects(c *syntax.ChannelClause, kind ir.FaultKind) {
	for _, m := range b.protocol.Messages {
		if b.protocol.Faults.Most[kind] != 0 && kind.Count(m) > ir.MostEffects {
			b.errs.Add(c.Pos, "%s: message %s can be %s in more than %d ways", c.Word, m.Name, kind.Info().Participle,
				ir.MostEffects).Hint = "give its fields smaller types"
		}
	}
}

// maxDelay bounds the delay of a message, in ticks.
const maxDelay = 1 << 10

// limit returns the maximum number of faults.
func (b *builder) limit(most syntax.Expr) int64 {
	if most == nil {
		return ir.Unlimited
	}
	n := b.constant(most, nil).Value
	if n < 0 {
		b.errs.Add(most.ExprPos(), "at most %d: the number must not be negative", n)
	}
	return n
}

// crashes resolves which processes can crash.
func (b *builder) crashes() {
	d := b.file.Crash
	if d == nil {
		return
	}
	f := &b.protocol.Faults
	f.Most[ir.CrashFault] = b.limit(d.Most)
	f.Mortal = make([]bool, b.protocol.N)
	if d.Name != nil {
		f.Number = b.binder(symbolOf(d.Name.Binding), ir.NodeType(b.protocol.N))
	}
	where := ir.Expr(boolean(true))
	if d.Where != nil {
		where = b.logical(d.Where)
	}
	env := b.env()
	for p := range f.Mortal {
		if f.Number != nil {
			env.Vars[f.Number.ID] = int64(p)
		}
		f.Mortal[p] = len(b.errs) == 0 && b.value(where, env) != 0
	}
	if !slices.Contains(f.Mortal, true) {
		f.Most[ir.CrashFault] = 0
	}
	if f.Most[ir.CrashFault] != 0 {
		b.crashEquation(d.Pos)
	}
}

// recovery resolves how processes recover, if one crashes: by a fault or by an action of its own.
func (b *builder) recovery() {
	d, f := b.file.Crash, &b.protocol.Faults
	if d == nil || d.Recover == nil || f.Crashed == nil {
		return
	}
	f.Recover = b.call(d.Recover)
	if b.own.used { // then it is the last argument
		f.Number = cmp.Or(f.Number, b.vars[b.self])
		f.Recover.Args[len(f.Recover.Args)-1] = &ir.VarRef{Var: f.Number}
	}
	b.begins(f)
}

// crashEquation returns the equation of crashed processes; pos is the place of the crash.
func (b *builder) crashEquation(pos syntax.Pos) *ir.Equation {
	f := &b.protocol.Faults
	if f.Crashed == nil {
		f.Crashed = &ir.Equation{Name: crashedName}
		f.Crashed.Start = &ir.Point{Equation: f.Crashed, Start: true, Term: &ir.Stop{}, Pos: pos}
	}
	return f.Crashed
}

// begins checks the arguments with which processes recover, which are the same in every state.
func (b *builder) begins(f *ir.Faults) {
	for p, can := range f.Mortal {
		env := b.env()
		if f.Number != nil {
			env.Vars[f.Number.ID] = int64(p)
		}
		for _, a := range f.Recover.Args {
			if _, err := a.Eval(env); can && err != nil {
				b.errs.Add(f.Recover.Pos, "process %d: %s", p, err)
				return
			}
		}
	}
}
