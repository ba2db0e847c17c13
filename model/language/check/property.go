package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// property finds the shape of an expression that can stand only in properties.
func (c *checker) property(s scope, e syntax.Expr) *shape {
	if q, ok := e.(*syntax.QuantExpr); ok {
		return c.quantifier(s, q)
	}
	if f, ok := e.(*syntax.FieldExpr); ok && s.place == codePlace {
		return c.neighbourRegister(s, f)
	}
	if s.place != propertyPlace {
		c.errs.Add(e.ExprPos(), "%s can stand only in properties", describe(e))
		return nil
	}
	c.stateful = true
	switch e := e.(type) {
	case *syntax.AtExpr:
		c.expect(s, e.X, anInteger, "process")
		sym := c.resolve(c.equations, e.Equation.Pos, equationSymbol, e.Equation.Name)
		if sym != nil {
			sym.asked = true
		}
		c.uses[e] = sym
		return aBoolean
	case *syntax.CrashedExpr:
		c.expect(s, e.X, anInteger, "process")
		return aBoolean
	case *syntax.IsExpr:
		c.expect(s, e.X, &shape{kind: messageShape}, "left operand of is")
		c.uses[e] = c.resolve(c.messages, e.Message.Pos, messageSymbol, e.Message.Name)
		return aBoolean
	case *syntax.FieldExpr:
		return c.field(s, e)
	}
	c.errs.Add(e.ExprPos(), "unknown expression")
	return nil
}

func describe(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.AtExpr:
		return "at"
	case *syntax.CrashedExpr:
		return "crashed"
	case *syntax.IsExpr:
		return "is"
	}
	return "a field"
}

// quantifier checks the binders, each of which is seen by the next, and the body.
func (c *checker) quantifier(s scope, e *syntax.QuantExpr) *shape {
	for _, b := range e.Binders {
		s = s.with(c.bind(s, b.Name.Pos, b.Name.Name, c.domain(s, b), b))
	}
	switch e.Op {
	case "sum":
		c.expect(s, e.Body, anInteger, "body of sum")
		return anInteger
	case "count":
		c.expect(s, e.Body, aBoolean, "body of count")
		return anInteger
	}
	c.expect(s, e.Body, aBoolean, "body of "+e.Op)
	if e.Op == "set" {
		sh := c.uses[e.Binders[0]].shape
		if isBad(sh) {
			return nil
		}
		if !sh.scalar() || sh.kind == messageShape {
			c.errs.Add(e.Pos, "a set cannot hold %ss", strings.TrimPrefix(sh.String(), "a "))
			return nil
		}
		return &shape{kind: setShape, elem: sh}
	}
	return aBoolean
}

// bind declares the name that decl, a *syntax.Binder or a parameter of a definition, binds.
func (c *checker) bind(s scope, pos syntax.Pos, name string, sh *shape, decl any) *symbol {
	old := s.bound.find(name)
	if old == c.own {
		old = nil
	}
	if old == nil {
		if old = c.values[name]; old != nil && (old.kind == varSymbol || old.kind == assignSymbol || old.kind == processSymbol) {
			old = nil // these are not read by name in properties, and have no value in a process unless bound
		}
	}
	if old != nil {
		c.errs.Add(pos, "%s is already the name of %s", name, old.kind.a())
	}
	sym := &symbol{kind: binderSymbol, name: name, pos: pos, shape: sh, decl: decl}
	c.uses[decl] = sym
	return sym
}

// domain returns the shape of what a binder ranges over.
func (c *checker) domain(s scope, b *syntax.Binder) *shape {
	if named, ok := b.Type.(*syntax.NamedType); ok {
		if sym := c.lookup(s, named.Name); sym != nil && sym.kind != typeSymbol {
			b.Type, b.Over = nil, &syntax.Name{Pos: named.Pos, Name: named.Name}
		}
	}
	if b.Over != nil {
		return c.elementsOf(s, b.Over)
	}
	sh := c.typ(s, b.Type)
	switch {
	case isBad(sh):
		return nil
	case s.early && isNode(c.resolved(b.Type)):
		c.errs.Add(b.Type.TypePos(), "the number of processes is not known here")
	case !sh.scalar() || sh.nat:
		c.errs.Add(b.Type.TypePos(), "cannot range over all values of %s", sh)
	}
	return sh
}

// elementsOf returns the shape of the elements of a set, or of the messages in a channel.
func (c *checker) elementsOf(s scope, over syntax.Expr) *shape {
	sh := c.expr(s, over, nil)
	switch {
	case isBad(sh):
		return nil
	case sh.kind == setShape:
		return sh.elem
	case sh.kind != channelShape:
		c.errs.Add(over.ExprPos(), "domain: expected a type, a range, a set or a channel, found %s", sh)
		return nil
	case c.file.Channel == nil:
		c.errs.Add(over.ExprPos(), "the protocol has no channels")
	}
	return &shape{kind: messageShape}
}

// neighbourRegister checks left.x and q.x in a process: a register of a neighbour.
func (c *checker) neighbourRegister(s scope, e *syntax.FieldExpr) *shape {
	c.expect(s, e.X, c.linkShape(), "neighbour")
	sym := c.values[e.Name.Name]
	if sym == nil || !sym.register() {
		names := c.values.names((*symbol).register)
		c.errs.Add(e.Name.Pos, "no register %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
		return nil
	}
	sym.used = true
	c.uses[e] = sym
	c.peers[e] = !c.numbered()
	return sym.shape
}

// field checks p.id for a process p and m.hop for a message m.
func (c *checker) field(s scope, e *syntax.FieldExpr) *shape {
	x := c.expr(s, e.X, nil)
	switch {
	case isBad(x):
		return nil
	case x.kind == messageShape:
		return c.messageField(s, e)
	case x.kind != intShape:
		c.errs.Add(e.Pos, "only processes and messages have fields, this is %s", x)
		return nil
	}
	if sym := c.values[e.Name.Name]; sym != nil && sym.kind == varSymbol {
		sym.used = true
		c.uses[e] = sym
		return sym.shape
	}
	names := c.values.names(func(sym *symbol) bool { return sym.kind == varSymbol })
	c.errs.Add(e.Name.Pos, "no variable %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
	return nil
}

// given returns s where an expression that has been checked is true, or false: it can say of which kind messages are.
func (c *checker) given(s scope, e syntax.Expr, holds bool) scope {
	switch e := e.(type) {
	case *syntax.IsExpr:
		if m, ok := e.X.(*syntax.Name); ok && holds && c.uses[m] != nil && c.uses[e] != nil {
			s.kinds = &messageKind{c.uses[m], c.uses[e], s.kinds}
		}
	case *syntax.UnaryExpr:
		if e.Op == "not" {
			s = c.given(s, e.X, !holds)
		}
	case *syntax.BinaryExpr:
		if e.Op == "and" && holds || e.Op == "or" && !holds {
			s = c.given(c.given(s, e.X, holds), e.Y, holds)
		}
	}
	return s
}

// messageField returns the shape that a field has in all messages that have it: those of one kind, if it is known.
func (c *checker) messageField(s scope, e *syntax.FieldExpr) *shape {
	var found *shape
	var names []string
	if m, ok := e.X.(*syntax.Name); ok {
		of := s.kinds.of(c.uses[m])
		if of != nil && slices.ContainsFunc(of.fields, func(f *syntax.Field) bool { return f.Name == e.Name.Name }) {
			c.kinds[e] = of
		}
	}
	for _, m := range c.file.Messages {
		for _, f := range m.Fields {
			if of := c.kinds[e]; of != nil && of != c.messages[m.Name] {
				continue
			}
			names = append(names, f.Name)
			if f.Name != e.Name.Name {
				continue
			}
			sh := c.types[f.Type]
			if !same(found, sh) {
				c.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", f.Name, found, sh)
				return nil
			}
			found = sh
		}
	}
	if found == nil {
		c.errs.Add(e.Name.Pos, "no message has a field %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
	}
	return found
}

// defineDecl checks a definition of the property section.
func (c *checker) defineDecl(d *syntax.DefineDecl, order int) {
	s := scope{place: propertyPlace, order: order}
	for _, f := range d.Params {
		sh := anInteger
		if f.Type != nil {
			sh = c.typ(c.constants(), f.Type)
		}
		s = s.with(c.bind(s, f.Pos, f.Name, sh, f))
	}
	c.stateful, c.reads = false, nil
	sh := c.expr(s, d.Body, nil)
	if sym := c.values[d.Name]; sym != nil && sym.decl == d {
		sym.stateful, sym.reads = c.stateful, c.reads
	}
	if sh.kind == messageShape {
		c.errs.Add(d.Body.ExprPos(), "the value of a definition cannot be a message")
	}
	if sym := c.values[d.Name]; sym != nil && sym.decl == d {
		sym.shape = sh
	}
}

// look notes what a definition that is used looks at.
func (c *checker) look(sym *symbol) {
	c.stateful, c.reads = c.stateful || sym.stateful, append(c.reads, sym.reads...)
}

// body checks what is asked of states, and notes the assignments that it reads, if cond holds.
func (c *checker) body(s scope, e, cond syntax.Expr, what string) {
	c.reads = nil
	c.expect(s, e, aBoolean, what)
	for _, sym := range c.reads {
		c.observed[sym] = append(c.observed[sym], cond)
	}
	c.condition(cond)
}

// propertyDecl checks a property.
func (c *checker) propertyDecl(d *syntax.PropertyDecl) {
	if d.Kind == "inevitable" {
		c.warnings.Add(d.Pos, "inevitable is now called recoverable: from every reachable state, one can be reached where it holds")
	}
	c.body(scope{place: propertyPlace, order: len(c.file.Order)}, d.Body, d.If, "property")
}

// condition checks the if clause of a declaration, which may be nil.
func (c *checker) condition(e syntax.Expr) {
	if e != nil {
		c.expect(c.constants(), e, aBoolean, "condition")
	}
}
