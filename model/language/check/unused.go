package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/syntax"
)

// unused warns of declarations that nothing refers to.
func (c *checker) unused() {
	for _, t := range []table{c.values, c.messages, c.events, c.equations} {
		for name, sym := range t {
			if !sym.used && !sym.isGoal() {
				c.warnings.Add(sym.pos, "%s %s is never used", sym.kind, name)
			}
		}
	}
	for _, sym := range c.messages {
		switch {
		case c.sent[sym] && !c.received[sym]:
			c.warnings.Add(sym.pos, "message %s is never received", sym.name)
		case c.received[sym] && !c.sent[sym]:
			c.warnings.Add(sym.pos, "message %s is never sent", sym.name)
		}
	}
	slices.SortFunc(c.warnings, func(a, b *syntax.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// isGoal reports whether s is a definition without parameters: a question about it can name that, as --until does.
func (s *symbol) isGoal() bool {
	d, ok := s.decl.(*syntax.DefineDecl)
	return ok && len(d.Params) == 0
}
