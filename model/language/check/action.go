package check

import (
	"ringcheck/model/language/syntax"
)

// action checks an action and returns the scope after it.
func (c *checker) action(s scope, a syntax.Action) scope {
	switch a := a.(type) {
	case *syntax.Send:
		c.send(s, a)
	case *syntax.Receive:
		return c.receive(s, a)
	case *syntax.EventAction:
		c.event(s, a)
	case *syntax.Assign:
		c.assign(s, a)
	case *syntax.Skip:
	default:
		c.errs.Add(a.ActionPos(), "unknown action")
	}
	return s
}

func (c *checker) send(s scope, a *syntax.Send) {
	c.needChannel(a.Pos, "send")
	c.expect(s, a.Target, c.linkShape(), c.linkText("target of send"))
	c.oneWay(s, a.Target, "left", "on a directed ring messages are sent to the right only")
	sym := c.resolve(c.messages, a.Message.Pos, messageSymbol, a.Message.Name)
	c.arguments(s, a.Message.Pos, sym, a.Args)
	if a.Message.Binding = sym; sym != nil {
		sym.sent = true
	}
}

// assign checks x := e.
func (c *checker) assign(s scope, a *syntax.Assign) {
	sym := c.variable(a.Name)
	if sym == nil {
		c.expr(s, a.Value, nil)
		return
	}
	if !sym.lasting() {
		c.errs.Add(a.Name.Pos, "%s is not a register, shared variable, ghost or timer", sym.name).
			Hint = "let " + sym.name + " = … binds a variable"
	}
	s.ghost = sym.varKind() == "ghost"
	c.expect(s, a.Value, sym.shape, "value of "+sym.name)
}

// needChannel reports an action that needs the channels that the protocol does not have.
func (c *checker) needChannel(pos syntax.Pos, what string) {
	if c.file.Channel == nil {
		c.missing(pos, "channel", what+": the protocol has no channels", "declare channel unordered or channel fifo")
	}
}

// oneWay reports the direction that a directed ring does not have.
func (c *checker) oneWay(s scope, e syntax.Expr, side, message string) {
	n, ok := e.(*syntax.Name)
	directed := c.file.Topology != nil && c.file.Topology.Shape().Directed
	if ok && directed && n.Name == side && c.lookup(s, side) == nil {
		c.errs.Add(n.Pos, "%s", message)
	}
}

func (c *checker) event(s scope, a *syntax.EventAction) {
	sym := c.resolve(c.events, a.Pos, eventSymbol, a.Name)
	c.arguments(s, a.Pos, sym, a.Args)
	a.Binding = sym
}

// receive checks the patterns, which see only what was bound before, and the condition, which also sees
// what they bind.
func (c *checker) receive(s scope, a *syntax.Receive) scope {
	c.needChannel(a.Pos, "recv")
	after := c.pattern(s, s, a.Source, c.linkShape(), c.linkText("source of recv"))
	c.oneWay(s, a.Source, "right", "on a directed ring messages are received from the left only")
	var sym *symbol
	if a.Message == nil {
		for _, m := range c.messages {
			m.received = true
		}
	} else {
		sym = c.resolve(c.messages, a.Message.Pos, messageSymbol, a.Message.Name)
		a.Message.Binding = sym
	}
	var fields []parameter
	if sym != nil {
		sym.received = true
		fields = c.params(sym)
		c.arity(a.Message.Pos, sym, len(a.Patterns), fields)
	}
	for i, p := range a.Patterns {
		if i < len(fields) {
			after = c.pattern(s, after, p, fields[i].shape, "field "+fields[i].name+" of "+sym.name)
		} else {
			after = c.pattern(s, after, p, nil, "pattern")
		}
	}
	c.condition(after, a.Where)
	for _, set := range a.Then {
		c.assign(after, set)
	}
	return after
}

// pattern checks a pattern in scope s and returns the scope after with what it binds.
func (c *checker) pattern(s, after scope, p syntax.Expr, want *shape, what string) scope {
	if _, ok := p.(*syntax.Wildcard); ok {
		return after
	}
	if n, ok := p.(*syntax.Name); ok {
		if sym := c.lookup(s, n.Name); sym != nil && sym.kind == varSymbol && !sym.lasting() && !s.bound.has(sym) {
			return c.bindPattern(after, n, sym, want, what)
		}
	}
	c.expect(s, p, want, what)
	return after
}

// bindPattern checks a pattern that binds a variable.
func (c *checker) bindPattern(after scope, n *syntax.Name, sym *symbol, want *shape, what string) scope {
	sym.used = true
	c.refer(n.Pos, sym)
	if after.bound.has(sym) {
		c.errs.Add(n.Pos, "%s is bound twice in one pattern", n.Name)
	}
	if !sameShape(sym.shape, want) {
		c.errs.Add(n.Pos, "%s: expected %s, found %s, which is %s", what, want, n.Name, sym.shape)
	}
	n.Binding, n.Binds = sym, true
	return after.bind(sym)
}
