package check

import (
	"ringcheck/model/language/syntax"
)

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
