package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// property checks an expression that can stand only in properties, except registers of neighbours.
func (c *checker) property(s scope, e syntax.Expr) *shape {
	if f, ok := e.(*syntax.FieldExpr); ok && s.context == codeContext {
		return c.neighbourRegister(s, f)
	}
	if s.context != propertyContext {
		c.errs.Add(e.ExprPos(), "%s can stand only in properties", describe(e))
		return nil
	}
	c.stateful = true
	return c.ofState(s, e)
}

// ofState checks an expression that looks at a state.
func (c *checker) ofState(s scope, e syntax.Expr) *shape {
	switch e := e.(type) {
	case *syntax.AtExpr:
		c.expect(s, e.X, anInteger, "process")
		sym := c.resolve(c.equations, e.Equation.Pos, equationSymbol, e.Equation.Name)
		if e.Equation.Binding = sym; sym != nil {
			sym.asked = true
		}
		return aBoolean
	case *syntax.CrashedExpr:
		c.expect(s, e.X, anInteger, "process")
		return aBoolean
	case *syntax.IsExpr:
		c.expect(s, e.X, &shape{kind: messageShape}, "left operand of is")
		e.Message.Binding = c.resolve(c.messages, e.Message.Pos, messageSymbol, e.Message.Name)
		return aBoolean
	case *syntax.FieldExpr:
		return c.field(s, e)
	}
	c.errs.Add(e.ExprPos(), "unknown expression")
	return nil
}

func describe(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.AtExpr:
		if e.Bound {
			return "bound for"
		}
		return "at"
	case *syntax.CrashedExpr:
		return "crashed"
	case *syntax.IsExpr:
		return "is"
	}
	return "a field"
}

// neighbourRegister checks left.x and q.x in a process: a register of a neighbour or, in what is assigned to a ghost,
// also a ghost.
func (c *checker) neighbourRegister(s scope, e *syntax.FieldExpr) *shape {
	c.expect(s, e.X, c.linkShape(), "neighbour whose register is read")
	what := "register"
	if s.ghost {
		what = "register or ghost"
	}
	sym := c.variableOf(e, func(sym *symbol) bool {
		return sym.register() || s.ghost && sym.varKind() == "ghost"
	}, what)
	if sym == nil {
		return nil
	}
	return sym.shape
}

// variableOf resolves the name in p.x, which must be a suitable variable.
func (c *checker) variableOf(e *syntax.FieldExpr, fit func(*symbol) bool, what string) *symbol {
	sym := c.values[e.Name.Name]
	if sym != nil && sym.shared() {
		sym.used = true
		c.errs.Add(e.Name.Pos, "%s is shared, no variable of a process: write %[1]s", sym.name)
		return nil
	}
	if sym == nil || !fit(sym) {
		c.unknown(e.Name.Pos, syntax.Suggest(e.Name.Name, c.values.names(fit)), "no %s %s", what, e.Name.Name)
		return nil
	}
	sym.used, e.Name.Binding = true, sym
	c.refer(e.Name.Pos, sym)
	return sym
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
	if sym := c.variableOf(e, (*symbol).variable, "variable"); sym != nil {
		return sym.shape
	}
	return nil
}

// given returns s where a checked expression is true, or false: it can determine the kinds of messages.
func (c *checker) given(s scope, e syntax.Expr, holds bool) scope {
	switch e := e.(type) {
	case *syntax.IsExpr:
		if m, ok := e.X.(*syntax.Name); ok && holds {
			if bound, kind := symbolOf(m.Binding), symbolOf(e.Message.Binding); bound != nil && kind != nil {
				s.kinds = &messageKind{bound, kind, s.kinds}
			}
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

// messageField finds the shape that a field has in all messages that have it, or in the messages of a known kind.
func (c *checker) messageField(s scope, e *syntax.FieldExpr) *shape {
	var of *symbol
	if m, ok := e.X.(*syntax.Name); ok {
		of = s.kinds.of(symbolOf(m.Binding))
		if of != nil && !slices.ContainsFunc(of.fields, func(f *syntax.Field) bool { return f.Name == e.Name.Name }) {
			of = nil
		}
	}
	e.Of, e.Name.Binding = of, nil
	var found *shape
	var names []string
	for _, m := range c.signatures("message") {
		for _, f := range m.Fields {
			if of != nil && of != c.messages[m.Name] {
				continue
			}
			names = append(names, f.Name)
			if f.Name != e.Name.Name {
				continue
			}
			sym := symbolOf(f.Binding)
			c.refer(e.Name.Pos, sym)
			if !sameShape(found, sym.shape) {
				c.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", f.Name, found, sym.shape)
				return nil
			}
			found, e.Name.Binding = sym.shape, sym
		}
	}
	if found == nil {
		c.unknown(e.Name.Pos, syntax.Suggest(e.Name.Name, names), "no message has a field %s", e.Name.Name)
	}
	return found
}

// defineDecl checks a definition of the property section.
func (c *checker) defineDecl(d *syntax.DefineDecl, order int) {
	s := scope{context: propertyContext, order: order}
	for _, f := range d.Params {
		sh := anInteger
		if f.Type != nil {
			sh = c.typ(c.constants(), f.Type)
		}
		sym := c.bind(s, f.Pos, f.Name, sh, f)
		f.Binding = sym
		s = s.bind(sym)
	}
	c.stateful, c.shares, c.reads = false, false, nil
	sh := c.expr(s, d.Body, nil)
	if sh.kind == messageShape {
		c.errs.Add(d.Body.ExprPos(), "the value of a definition cannot be a message")
	}
	if sym := c.values[d.Name]; sym != nil && sym.decl == d {
		sym.shape, sym.stateful, sym.shares, sym.reads = sh, c.stateful, c.shares, c.reads
	}
}

// look records what a definition that is used reads.
func (c *checker) look(sym *symbol) {
	c.stateful, c.reads = c.stateful || sym.stateful, append(c.reads, sym.reads...)
	c.shares = c.shares || sym.shares
}

// body checks a property, goal or role, and records the assignments that it reads where cond holds.
func (c *checker) body(s scope, e, cond syntax.Expr, what string) {
	c.reads = nil
	c.expect(s, e, aBoolean, what)
	for _, sym := range c.reads {
		sym.conditions = append(sym.conditions, cond)
	}
	c.condition(c.constants(), cond)
}

// propertyDecl checks a property.
func (c *checker) propertyDecl(d *syntax.PropertyDecl) {
	c.body(scope{context: propertyContext, order: len(c.file.Order)}, d.Body, d.If, "property")
}

// condition checks a condition, which may be nil.
func (c *checker) condition(s scope, e syntax.Expr) {
	if e != nil {
		c.expect(s, e, aBoolean, "condition")
	}
}
