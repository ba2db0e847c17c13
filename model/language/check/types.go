package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// typ finds the shape of a type and checks what it is made of.
func (c *checker) typ(s scope, t syntax.Type) *shape {
	sh := c.inferType(s, t)
	if sh == nil {
		sh = &shape{}
	}
	c.types[t] = sh
	return sh
}

func (c *checker) inferType(s scope, t syntax.Type) *shape {
	switch t := t.(type) {
	case *syntax.BoolType:
		return aBoolean
	case *syntax.NatType:
		return &shape{kind: intShape, nat: true}
	case *syntax.NodeType:
		return anInteger
	case *syntax.DirType:
		return c.dir()
	case *syntax.RangeType:
		c.expect(s, t.Lo, anInteger, "lower end of a range")
		c.expect(s, t.Hi, anInteger, "upper end of a range")
		return anInteger
	case *syntax.EnumType:
		return c.enum(t)
	case *syntax.NamedType:
		return c.named(s, t)
	case *syntax.SetType:
		return c.collection(s, setShape, t.Elem, (*shape).scalar, "a set")
	case *syntax.ArrayType:
		if index := c.typ(s, t.Index); !isBad(index) && (index.kind != intShape || index.nat) {
			c.errs.Add(t.Index.TypePos(), "the indices of an array are integers in a range, or node")
			return nil
		}
		return c.collection(s, arrayShape, t.Elem, func(e *shape) bool { return e.scalar() || e.kind == setShape }, "an array")
	}
	c.errs.Add(t.TypePos(), "unknown type")
	return nil
}

func (c *checker) collection(s scope, kind shapeKind, elem syntax.Type, fit func(*shape) bool, what string) *shape {
	e := c.typ(s, elem)
	if isBad(e) {
		return nil
	}
	if !fit(e) || e.nat {
		c.errs.Add(elem.TypePos(), "%s cannot have such elements", what)
		return nil
	}
	return &shape{kind: kind, elem: e}
}

// enum makes an enumeration, whose values must not be names of anything else.
func (c *checker) enum(t *syntax.EnumType) *shape {
	sh := &shape{kind: enumShape}
	for _, id := range t.Names {
		if slices.Contains(sh.names, id.Name) {
			c.errs.Add(id.Pos, "%s is listed twice", id.Name)
			continue
		}
		c.enumerantName(id)
		sh.names = append(sh.names, id.Name)
	}
	return c.addEnum(sh)
}

func (c *checker) enumerantName(id *syntax.Ident) {
	if sym := c.values[id.Name]; sym != nil && !sym.givesWay() {
		c.errs.Add(id.Pos, "%s is already the name of %s", id.Name, sym.kind.a())
	}
}

// addEnum returns the enumeration with the names of sh that is already known, or else makes sh known.
func (c *checker) addEnum(sh *shape) *shape {
	for _, old := range c.enums {
		if same(old, sh) {
			return old
		}
	}
	c.enums = append(c.enums, sh)
	return sh
}

func (c *checker) named(s scope, t *syntax.NamedType) *shape {
	sym := c.values[t.Name]
	switch {
	case sym == nil:
		names := c.values.names(func(sym *symbol) bool { return sym.kind == typeSymbol })
		c.errs.Add(t.Pos, "unknown type %s", t.Name).Hint = syntax.Suggest(t.Name, names)
		return nil
	case sym.kind != typeSymbol:
		c.errs.Add(t.Pos, "%s is %s, not a type", t.Name, sym.kind.a())
		return nil
	case sym.order >= s.order:
		c.errs.Add(t.Pos, "%s is declared only after its use", t.Name)
		return nil
	}
	sym.used = true
	c.uses[t] = sym
	return sym.shape
}

// dir is the shape of directions. It is known from the start, so that its values are.
func (c *checker) dir() *shape { return c.enums[0] }

func isNode(t syntax.Type) bool {
	_, ok := t.(*syntax.NodeType)
	return ok
}

// numbered reports whether processes are addressed by number.
func (c *checker) numbered() bool {
	if c.file.Topology == nil {
		return false
	}
	return naming(c.file.Topology) == ir.ByNumber
}

// directions returns the type of the directions in a network.
func directions(d *syntax.TopologyDecl) *ir.Type {
	if d != nil && d.Anonymous && naming(d) == ir.ByDirection {
		return ir.CompassType()
	}
	return ir.DirType()
}

// naming says how processes name their neighbours in a network.
func naming(d *syntax.TopologyDecl) ir.Naming {
	switch d.Kind {
	case "directed ring", "undirected ring", "line":
		return ir.ByDirection
	case "grid", "torus":
		if d.Anonymous {
			return ir.ByDirection
		}
	}
	if d.Anonymous {
		return ir.ByPort
	}
	return ir.ByNumber
}

// linkText adds to the name of such a place what stands there in this network, if that is not a direction.
func (c *checker) linkText(place string) string {
	switch {
	case c.file.Topology == nil || naming(c.file.Topology) == ir.ByDirection:
		return place
	case c.file.Topology.Anonymous:
		return place + ", in this network a port"
	}
	return place + ", in this network the number of a process"
}

// linkShape is the shape of what tells the channels of a process apart.
func (c *checker) linkShape() *shape {
	if c.file.Topology == nil || naming(c.file.Topology) == ir.ByDirection {
		return c.dir()
	}
	return anInteger
}
