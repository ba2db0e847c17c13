package check

import (
	"ringcheck/model/language/syntax"
)

// initialDecl checks a condition on initial states. It is about a state, like an invariant.
func (c *checker) initialDecl(d *syntax.InitialDecl) {
	c.body(scope{context: propertyContext, order: len(c.file.Order)}, d.Condition, d.If, "condition")
	syntax.Walk(d.Condition, c.refuseGhosts(d.Condition.ExprPos()))
}

// refuseGhosts returns a visitor that reports the ghosts that an expression reads, itself or in definitions: initial
// states are the same without ghosts.
func (c *checker) refuseGhosts(pos syntax.Pos) func(node any) bool {
	return func(node any) bool {
		sym := nodeSymbol(node)
		switch {
		case isDefinition(sym):
			syntax.Walk(sym.decl.(*syntax.DefineDecl).Body, c.refuseGhosts(pos))
		case sym != nil && sym.varKind() == "ghost":
			c.errs.Add(pos, "it reads the ghost %s, which cannot decide what an initial state is", sym.name)
		}
		return true
	}
}

// initially checks the initial contents of a channel. Only the fields of the messages may depend on assignments.
func (c *checker) initially(d *syntax.InitiallyDecl) {
	c.needChannel(d.Pos, "initially")
	s := c.constants()
	for _, b := range d.Binders {
		s = s.bind(c.bindIn(s, b))
	}
	c.condition(s, d.Where)
	c.condition(c.constants(), d.If)
	c.expect(s, d.Process, anInteger, "process")
	c.expect(s, d.Source, c.linkShape(), "source")
	s.context = startContext
	for _, m := range d.Messages {
		sym := c.resolve(c.messages, m.Message.Pos, messageSymbol, m.Message.Name)
		if sym == nil {
			continue
		}
		m.Message.Binding = sym
		sym.sent = true
		c.arguments(s, m.Message.Pos, sym, m.Args)
	}
}
