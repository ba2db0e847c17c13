package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// property resolves an expression that can stand only in properties, but for the registers of neighbours.
func (c *checker) property(s scope, e syntax.Expr) (*shape, lowering) {
	if f, ok := e.(*syntax.FieldExpr); ok && s.context == codeContext {
		return c.neighbourRegister(s, f)
	}
	if s.context != propertyContext {
		c.errs.Add(e.ExprPos(), "%s can stand only in properties", describe(e))
		return nil, nil
	}
	c.stateful = true
	sh, lower := c.ofState(s, e)
	return sh, func(b *builder, want *ir.Type) ir.Expr {
		b.noticed.stateful = true
		return lower(b, want)
	}
}

// ofState resolves an expression that speaks of a state.
func (c *checker) ofState(s scope, e syntax.Expr) (*shape, lowering) {
	switch e := e.(type) {
	case *syntax.AtExpr:
		return c.at(s, e)
	case *syntax.CrashedExpr:
		c.expect(s, e.X, anInteger, "process")
		return aBoolean, func(b *builder, _ *ir.Type) ir.Expr {
			p := b.process(e.X)
			if crashed := b.protocol.Faults.Crashed; crashed != nil {
				return &ir.At{Process: p, Equation: crashed, Pos: e.Pos}
			}
			return boolean(false)
		}
	case *syntax.IsExpr:
		c.expect(s, e.X, &shape{kind: messageShape}, "left operand of is")
		sym := c.resolve(c.messages, e.Message.Pos, messageSymbol, e.Message.Name)
		c.uses[e] = sym
		return aBoolean, func(b *builder, _ *ir.Type) ir.Expr {
			return &ir.MessageIs{Of: b.expr(e.X, nil), Message: b.messages[sym], Pos: e.Pos}
		}
	case *syntax.FieldExpr:
		return c.field(s, e)
	}
	c.errs.Add(e.ExprPos(), "unknown expression")
	return nil, nil
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

func (c *checker) at(s scope, e *syntax.AtExpr) (*shape, lowering) {
	c.expect(s, e.X, anInteger, "process")
	sym := c.resolve(c.equations, e.Equation.Pos, equationSymbol, e.Equation.Name)
	if sym != nil {
		sym.asked = true
	}
	c.uses[e] = sym
	return aBoolean, func(b *builder, _ *ir.Type) ir.Expr {
		p, eq := b.process(e.X), b.equations[sym]
		never := ""
		switch {
		case eq != nil && !b.occupies(eq):
			never = "no process stays in the text of %s; where an if decides to go there, it is still in the text of the if"
		case !sym.used: // whatever the options are
			never = "%s is unreachable"
		}
		if never != "" {
			b.noticed.warn(e.Pos, "it is never true: "+never, e.Equation.Name)
		}
		if eq == nil {
			return boolean(false)
		}
		return &ir.At{Process: p, Equation: eq, Pos: e.Pos}
	}
}

// process resolves an expression that stands for a process.
func (b *builder) process(e syntax.Expr) ir.Expr {
	return b.toProcess(b.expr(e, nil), e.ExprPos())
}

func (b *builder) toProcess(x ir.Expr, pos syntax.Pos) ir.Expr {
	node := ir.NodeType(b.protocol.N)
	if c, ok := b.convert(x, node, "process", pos).(*ir.Const); ok {
		return &ir.Const{T: node, Value: c.Value}
	}
	return &ir.Convert{X: x, To: node, What: "process", Pos: pos}
}

// neighbourRegister checks left.x and q.x in a process: a register of a neighbour.
func (c *checker) neighbourRegister(s scope, e *syntax.FieldExpr) (*shape, lowering) {
	c.expect(s, e.X, c.linkShape(), "neighbour")
	sym := c.values[e.Name.Name]
	if sym == nil || !sym.register() {
		names := c.values.names((*symbol).register)
		c.errs.Add(e.Name.Pos, "no register %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
		return nil, nil
	}
	sym.used = true
	c.uses[e] = sym
	if c.numbered() {
		return sym.shape, c.processVar(e, sym)
	}
	return sym.shape, func(b *builder, _ *ir.Type) ir.Expr {
		peer := &ir.Peer{Protocol: b.protocol, Port: b.expr(e.X, nil), Pos: e.Pos}
		return &ir.ProcessVar{Process: peer, Var: b.vars[sym]}
	}
}

// processVar resolves p.x for a variable x.
func (c *checker) processVar(e *syntax.FieldExpr, sym *symbol) lowering {
	return func(b *builder, _ *ir.Type) ir.Expr {
		v, p := b.vars[sym], b.process(e.X)
		if v.Type.Kind == ir.Absent {
			return b.zero(sym)
		}
		return &ir.ProcessVar{Process: p, Var: v, Pos: e.Pos}
	}
}

// field checks p.id for a process p and m.hop for a message m.
func (c *checker) field(s scope, e *syntax.FieldExpr) (*shape, lowering) {
	x := c.expr(s, e.X, nil)
	switch {
	case isBad(x):
		return nil, nil
	case x.kind == messageShape:
		return c.messageField(s, e)
	case x.kind != intShape:
		c.errs.Add(e.Pos, "only processes and messages have fields, this is %s", x)
		return nil, nil
	}
	if sym := c.values[e.Name.Name]; sym != nil && sym.kind == varSymbol {
		sym.used = true
		c.uses[e] = sym
		return sym.shape, c.processVar(e, sym)
	}
	names := c.values.names(func(sym *symbol) bool { return sym.kind == varSymbol })
	c.errs.Add(e.Name.Pos, "no variable %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
	return nil, nil
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

// messageField finds the shape that a field has in all messages that have it: those of one kind, if it is known.
func (c *checker) messageField(s scope, e *syntax.FieldExpr) (*shape, lowering) {
	var of *symbol
	if m, ok := e.X.(*syntax.Name); ok {
		of = s.kinds.of(c.uses[m])
		if of != nil && !slices.ContainsFunc(of.fields, func(f *syntax.Field) bool { return f.Name == e.Name.Name }) {
			of = nil
		}
	}
	var found *shape
	var names []string
	for _, m := range syntax.All[*syntax.MessageDecl](c.file) {
		for _, f := range m.Fields {
			if of != nil && of != c.messages[m.Name] {
				continue
			}
			names = append(names, f.Name)
			if f.Name != e.Name.Name {
				continue
			}
			sh := c.types[f.Type].shape
			if !same(found, sh) {
				c.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", f.Name, found, sh)
				return nil, nil
			}
			found = sh
		}
	}
	if found == nil {
		c.errs.Add(e.Name.Pos, "no message has a field %s", e.Name.Name).Hint = syntax.Suggest(e.Name.Name, names)
	}
	return found, func(b *builder, _ *ir.Type) ir.Expr { return b.messageField(e, found, of) }
}

// messageField resolves a field of a message: of those of one kind, if that is not nil.
func (b *builder) messageField(e *syntax.FieldExpr, sh *shape, of *symbol) ir.Expr {
	f := &ir.MessageField{Of: b.expr(e.X, nil), T: b.shapeType(sh)}
	first := true
	for _, m := range b.protocol.Messages {
		at := -1
		for i, field := range m.Fields {
			if field.Name != e.Name.Name || of != nil && of.name != m.Name {
				continue
			}
			at = i
			if t := field.Type; first {
				f.T, first = t, false
			} else if u, err := hull(f.T, t); err == nil {
				f.T = u
			}
			if k := f.T.Kind; (k == ir.Set || k == ir.Array) && !field.Type.Within(f.T) {
				b.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", field.Name, f.T, field.Type)
			}
		}
		f.Fields = append(f.Fields, at)
	}
	if f.T.Kind == ir.Absent {
		return &ir.Const{T: b.shapeType(sh)}
	}
	return f
}
