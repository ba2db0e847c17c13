package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// channelOption is the name of the option that a channel clause with two kinds declares.
const channelOption = "channel"

// settings checks what has a value before the run. Each may use what stands above it.
func (c *checker) settings() {
	for i, d := range c.file.Order {
		s := scope{context: constantContext, order: i, early: true, unlinked: true}
		switch d := d.(type) {
		case *syntax.ParamDecl:
			sh := c.typ(s, d.Range)
			if d.Default != nil {
				c.expect(s, d.Default, sh, "default of "+d.Name)
			}
			c.setShape(d.Name, d, sh)
		case *syntax.OptionDecl:
			sh := c.optionShape(s, d)
			c.expect(s, d.Default, sh, "default of "+d.Name)
			c.setShape(d.Name, d, sh)
		case *syntax.ChannelDecl:
			c.setShape(channelOption, d, c.channelShape(d))
		case *syntax.ConstDecl:
			c.setShape(d.Name, d, c.expr(s, d.Value, nil))
		case *syntax.TypeDecl:
			c.setShape(d.Name, d, c.typ(s, d.Type))
		}
	}
}

// setShape tells the symbol of a declaration its shape, unless the name belongs to another declaration.
func (c *checker) setShape(name string, decl any, sh *shape) {
	if sym := c.values[name]; sym != nil && sym.decl == decl {
		sym.shape = sh
	}
}

func (c *checker) optionShape(s scope, d *syntax.OptionDecl) *shape {
	sh := c.typ(s, d.Type)
	if isBad(sh) || sh.nat || !sh.scalar() || sh.kind == dirShape {
		if !isBad(sh) {
			c.errs.Add(d.Type.TypePos(), "an option is bool, an enumeration or a range")
		}
		return nil
	}
	return sh
}

// channelShape returns the shape of the name channel: the names of ir.ChannelKind in their order, be they
// possible here or not.
func (c *checker) channelShape(d *syntax.ChannelDecl) *shape {
	for _, id := range d.Kinds {
		c.enumerantName(id)
	}
	c.values[channelOption].used = true // it has an effect without being mentioned
	return c.addEnum(&shape{kind: enumShape, names: []string{"unordered", "fifo"}})
}

// declarations checks everything else but equations and properties.
func (c *checker) declarations() {
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.TopologyDecl:
			c.topology(d)
		case *syntax.VarDecl:
			sh := c.typ(c.constants(), d.Type)
			c.condition(d.If)
			for _, id := range d.Names {
				c.setShape(id.Name, d, sh)
			}
			c.lasting(d, sh)
		case *syntax.MessageDecl:
			c.fields(d.Fields)
		case *syntax.EventDecl:
			c.fields(d.Fields)
		case *syntax.AssignDecl:
			c.assignDecl(d)
		}
	}
}

func (c *checker) topology(d *syntax.TopologyDecl) {
	c.expect(c.early(), d.Size, anInteger, "number of processes")
	if d.By != nil {
		c.expect(c.early(), d.By, anInteger, "number of processes")
	}
	if d.Anonymous && slices.Contains([]string{"directed ring", "undirected ring", "line"}, d.Kind) {
		c.errs.Add(d.Pos, "anonymous is not needed: in a %s processes name their neighbours by direction", d.Kind)
	}
	if d.From == nil {
		return
	}
	s := c.constants()
	s.unlinked = true
	for _, id := range []*syntax.Ident{d.From, d.To} {
		s = s.with(c.bind(scope{context: propertyContext, bound: s.bound}, id.Pos, id.Name, anInteger, id))
	}
	c.expect(s, d.If, aBoolean, "rule")
}

// lasting checks what a register, a ghost or a timer begins with. It may depend on the number of the process.
func (c *checker) lasting(d *syntax.VarDecl, sh *shape) {
	if d.Kind == "var" || isBad(sh) {
		return
	}
	s := scope{context: startContext, order: len(c.file.Order)}
	if c.self != nil {
		s = s.with(c.self)
	}
	switch {
	case d.Init != nil:
		c.later = append(c.later, func() { c.expect(s, d.Init, sh, "value of "+d.Names[0].Name) })
	case d.Kind == "ghost":
		c.errs.Add(d.Pos, "a ghost has a value from the beginning: ghost %s: … = …", d.Names[0].Name)
	case d.Kind == "register" && (!sh.scalar() || sh.nat):
		c.errs.Add(d.Pos, "a register of all values of %s: give it one to begin with", sh)
	}
	if d.Kind == "timer" {
		if _, ok := d.Type.(*syntax.RangeType); !ok {
			c.errs.Add(d.Type.TypePos(), "a timer is a range that begins with 0")
		}
	}
}

func (c *checker) fields(fields []*syntax.Field) {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			c.errs.Add(f.Pos, "a second field %s", f.Name)
		}
		seen[f.Name] = true
		c.typ(c.constants(), f.Type)
		c.condition(f.If)
	}
}

func (c *checker) assignDecl(d *syntax.AssignDecl) {
	sh := c.typ(c.constants(), d.Type)
	if !isBad(sh) && (!sh.scalar() || sh.nat) {
		c.errs.Add(d.Type.TypePos(), "cannot assign all values of %s", sh)
	}
	c.condition(d.If)
	c.setShape(d.Name, d, sh)
}
