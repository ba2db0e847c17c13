package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/language/topology"
)

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

// faults checks the clauses about faults and delays.
func (c *checker) faults() {
	if d := c.file.Channel; d != nil {
		if d.Capacity != nil {
			c.expect(c.constants(), d.Capacity, anInteger, "capacity")
		}
		seen := map[string]bool{}
		for _, clause := range d.Clauses {
			if seen[clause.Word] {
				c.errs.Add(clause.Pos, "a second %s", clause.Word)
			}
			seen[clause.Word] = true
			if clause.Word == "dropping" && d.Capacity == nil {
				c.errs.Add(clause.Pos, "dropping: channels without a capacity are never full").Hint =
					"write channel " + d.Kinds[0].Name + " of 2, dropping"
			}
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
