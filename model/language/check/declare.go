package check

import (
	"ringcheck/model/language/channel"
	"ringcheck/model/language/syntax"
)

// declare collects the names of all declarations.
func (c *checker) declare() {
	properties, roles := namespace{}, namespace{}
	for i, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.SettingDecl:
			kinds := map[string]symbolKind{"param": paramSymbol, "option": optionSymbol}
			c.define(c.values, kinds[d.Kind], d.Header, d).order = i
		case *syntax.ChannelDecl:
			c.define(c.values, optionSymbol, syntax.Header{Pos: d.Pos, Name: channelOption}, d).order = i
		case *syntax.ConstDecl:
			c.define(c.values, constSymbol, d.Header, d).order = i
		case *syntax.TypeDecl:
			c.define(c.values, typeSymbol, d.Header, d).order = i
		case *syntax.VarDecl:
			for _, id := range d.Names {
				c.define(c.values, varSymbol, syntax.Header{Pos: id.Pos, Name: id.Name, At: id.Pos}, d)
			}
		case *syntax.AssignDecl:
			c.define(c.values, assignSymbol, d.Header, d)
		case *syntax.DefineDecl:
			c.define(c.values, defineSymbol, d.Header, d).order = i
		case *syntax.ProcessDecl:
			c.declareProcess(d)
		case *syntax.SignatureDecl:
			in, kind := c.messages, messageSymbol
			if d.Kind == "event" {
				in, kind = c.events, eventSymbol
			}
			c.define(in, kind, d.Header, d).fields = d.Fields
		case *syntax.EquationDecl:
			c.define(c.equations, equationSymbol, d.Header, d)
		case *syntax.RewardDecl:
			c.define(c.rewards, rewardSymbol, d.Header, d)
		case *syntax.PropertyDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.TemporalDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.BoundDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.RoleDecl:
			c.define(roles, roleSymbol, d.Header, d)
		}
	}
}

// define adds a symbol to a name space. Of two with the same name the first stays.
func (c *checker) define(in namespace, kind symbolKind, h syntax.Header, decl any) *symbol {
	s := &symbol{kind: kind, name: h.Name, pos: h.Pos, at: h.At, decl: decl}
	c.refer(h.At, s)
	if old := in[h.Name]; old != nil {
		c.errs.Add(h.Pos, "%s is already declared, as %s on line %d", h.Name, old.kind.a(), old.pos.Line).
			Code = "duplicate-name"
		return s
	}
	in[h.Name] = s
	return s
}

// channelOption is the name of the option that a channel clause with several kinds declares.
const channelOption = "channel"

// settings checks parameters, options, constants and types. Each may use those above it.
func (c *checker) settings() {
	for i, d := range c.file.Order {
		s := scope{context: constantContext, order: i, early: true, unlinked: true}
		switch d := d.(type) {
		case *syntax.SettingDecl:
			sh := c.settingShape(s, d)
			if d.Default != nil {
				c.expect(s, d.Default, sh, "default of "+d.Name)
			}
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

func (c *checker) settingShape(s scope, d *syntax.SettingDecl) *shape {
	sh := c.typ(s, d.Type)
	if isBad(sh) || sh.nat || !sh.scalar() || sh.kind == dirShape {
		if !isBad(sh) {
			c.errs.Add(d.Type.TypePos(), "an option is bool, an enumeration or a range")
		}
		return nil
	}
	return sh
}

// channelShape returns the shape of the name channel: the names of the disciplines in their order, be they
// possible here or not.
func (c *checker) channelShape(d *syntax.ChannelDecl) *shape {
	for _, id := range d.Kinds {
		c.enumerantName(id)
	}
	c.values[channelOption].used = true // it has an effect even if no expression reads it
	return c.addEnum(&shape{kind: enumShape, names: channel.Keywords()})
}

// declarations checks everything else but equations and properties.
func (c *checker) declarations() {
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.TopologyDecl:
			c.topology(d)
		case *syntax.VarDecl:
			sh := c.typ(c.constants(), d.Type)
			c.condition(c.constants(), d.If)
			for _, id := range d.Names {
				c.setShape(id.Name, d, sh)
			}
			c.owner(d)
			c.lasting(d, sh)
		case *syntax.SignatureDecl:
			c.fields(d.Fields)
		case *syntax.AssignDecl:
			c.assignDecl(d)
		}
	}
}

func (c *checker) topology(d *syntax.TopologyDecl) {
	c.expect(c.sizeScope(), d.Size, anInteger, "number of processes")
	if d.By != nil {
		c.expect(c.sizeScope(), d.By, anInteger, "number of processes")
	}
	if d.Anonymous && d.Shape().Anonymous {
		c.errs.Add(d.Pos, "anonymous is not needed: in a %s processes name their neighbours by direction", d.Kind)
	}
	if d.From == nil {
		return
	}
	s := c.constants()
	s.unlinked = true
	for _, id := range []*syntax.Ident{d.From, d.To} {
		sym := c.bind(scope{context: propertyContext, bound: s.bound}, id.Pos, id.Name, anInteger, id)
		id.Binding = sym
		s = s.bind(sym)
	}
	c.expect(s, d.If, aBoolean, "rule")
}

// lastingKinds are the kinds of variable that may begin with any value, as people call them.
var lastingKinds = map[string]string{"register": "a register", "shared": "a shared variable"}

// lasting checks the initial value of a register, ghost or timer, which may depend on the number of the process.
func (c *checker) lasting(d *syntax.VarDecl, sh *shape) {
	if d.Kind == "var" || isBad(sh) {
		return
	}
	s := scope{context: startContext, order: len(c.file.Order)}
	if c.self != nil {
		s = s.bind(c.self)
	}
	if d.Kind == "shared" {
		s = c.constants()
	}
	switch {
	case d.Kind == "shared" && d.Of != nil:
		c.errs.Add(d.Of.Pos, "a shared variable belongs to all processes, not to a kind of them")
	case d.Init != nil:
		c.later = append(c.later, func() { c.expect(s, d.Init, sh, "value of "+d.Names[0].Name) })
	case d.Kind == "ghost":
		c.errs.Add(d.Pos, "a ghost needs an initial value: ghost %s: … = …", d.Names[0].Name)
	case (d.Kind == "register" || d.Kind == "shared") && (sh.kind != setShape && !sh.scalar() || sh.nat):
		// Its values are no range of numbers.
		c.errs.Add(d.Pos, "%s of all values of %s: give it an initial value", lastingKinds[d.Kind], sh)
	}
	if d.Kind == "timer" {
		if _, ok := d.Type.(*syntax.RangeType); !ok {
			c.errs.Add(d.Type.TypePos(), "a timer is a range that begins with 0")
		}
	}
}

// owner checks the name of the kind of process that has variables.
func (c *checker) owner(d *syntax.VarDecl) {
	if d.Of == nil || d.Kind == "shared" {
		return
	}
	sym := c.resolve(c.values, d.Of.Pos, kindSymbol, d.Of.Name)
	if sym != nil && sym.kind != kindSymbol {
		c.errs.Add(d.Of.Pos, "%s is %s, not a kind of process", d.Of.Name, sym.kind.a())
	}
	d.Of.Binding = sym
}

func (c *checker) fields(fields []*syntax.Field) {
	declared := namespace{}
	for _, f := range fields {
		sym := c.define(declared, fieldSymbol, syntax.Header{Pos: f.Pos, Name: f.Name, At: f.Pos}, f)
		sym.shape = c.typ(c.constants(), f.Type)
		c.condition(c.constants(), f.If)
		f.Binding = sym
	}
}

func (c *checker) assignDecl(d *syntax.AssignDecl) {
	sh := c.typ(c.constants(), d.Type)
	if !isBad(sh) && (!sh.scalar() || sh.nat) {
		c.errs.Add(d.Type.TypePos(), "cannot assign all values of %s", sh)
	}
	c.condition(c.constants(), d.If)
	c.setShape(d.Name, d, sh)
}
