package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// quantifier checks the binders, each of which is seen by the next, the condition, and the body.
func (c *checker) quantifier(s scope, e *syntax.QuantExpr) *shape {
	for _, b := range e.Binders {
		s = s.bind(c.bindIn(s, b))
	}
	stateful := c.stateful
	c.stateful = false
	where := s
	where.temporal = false
	c.condition(where, e.Where)
	if e.Where != nil {
		s = c.given(s, e.Where, true)
	}
	defer func() {
		c.unusedBinders(e)
		c.stateful = c.stateful || stateful
	}()
	switch e.Op {
	case "sum":
		c.expect(s, e.Body, anInteger, "body of sum")
		return anInteger
	case "count":
		c.expect(s, e.Body, aBoolean, "body of count")
		return anInteger
	}
	c.expect(s, e.Body, aBoolean, "body of "+e.Op)
	if e.Op != "set" {
		return aBoolean
	}
	sh := symbolOf(e.Binders[0].Name.Binding).shape
	if isBad(sh) {
		return nil
	}
	if !sh.scalar() || sh.kind == messageShape {
		c.errs.Add(e.Pos, "a set cannot hold %s", sh.plural())
		return nil
	}
	return &shape{kind: setShape, elem: sh}
}

// unusedBinders warns of binders that a body does not use although it reads the state. A body that reads none only
// counts, as in sum p in node: 1. A binder over a set or a channel says that it has elements, or has none.
func (c *checker) unusedBinders(e *syntax.QuantExpr) {
	for _, b := range e.Binders {
		if sym := symbolOf(b.Name.Binding); c.stateful && b.Over == nil && !sym.used {
			c.warnUnneeded(sym.pos, "%s is never used in this %s", sym.name, e.Op)
		}
	}
}

// bindIn declares the name that a binder binds in s.
func (c *checker) bindIn(s scope, b *syntax.Binder) *symbol {
	sym := c.bind(s, b.Name.Pos, b.Name.Name, c.domain(s, b), b)
	b.Name.Binding = sym
	return sym
}

// bind declares the name that decl, a *syntax.Binder or a parameter of a definition, binds.
func (c *checker) bind(s scope, pos syntax.Pos, name string, sh *shape, decl any) *symbol {
	old := s.bound.find(name)
	if old == c.own {
		old = nil
	}
	if old == nil {
		old = c.values[name]
		if old != nil && slices.Contains([]symbolKind{varSymbol, assignSymbol, processSymbol}, old.kind) {
			old = nil // properties do not read these by name, and processes only where they are bound
		}
	}
	if old != nil {
		c.errs.Add(pos, "%s is already the name of %s", name, old.kind.a()).Code = "duplicate-name"
	}
	sym := &symbol{kind: binderSymbol, name: name, pos: pos, at: pos, shape: sh, decl: decl}
	c.refer(pos, sym)
	return sym
}

// domain returns the shape of what a binder ranges over.
func (c *checker) domain(s scope, b *syntax.Binder) *shape {
	if named, ok := b.Type.(*syntax.NamedType); ok {
		if sym := c.lookup(s, named.Name); sym != nil && sym.kind != typeSymbol {
			b.Type, b.Over = nil, &syntax.Name{ExprNode: syntax.ExprNode{Pos: named.Pos}, Name: named.Name}
		}
	}
	if b.Over != nil {
		return c.elementsOf(s, b.Over)
	}
	sh := c.typ(s, b.Type)
	switch {
	case isBad(sh):
		return nil
	case s.early && isNode(c.resolveType(b.Type)):
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
		c.missing(over.ExprPos(), "channel", "the protocol has no channels", "")
	}
	return &shape{kind: messageShape}
}
