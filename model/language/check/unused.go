package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/syntax"
)

// reach marks the equations that an equation calls as used, transitively.
func (s *symbol) reach() {
	for _, called := range s.calls {
		if !called.used {
			called.used = true
			called.reach()
		}
	}
}

// warnUnused warns of declarations that nothing refers to, and of equations that only unused equations call.
func (c *checker) warnUnused() {
	called := map[*symbol]bool{}
	for _, eq := range c.equations {
		if eq.used {
			eq.reach()
		}
	}
	for _, eq := range c.equations {
		for _, by := range eq.calls {
			called[by] = true
		}
	}
	for _, t := range []namespace{c.values, c.messages, c.events, c.equations} {
		for name, sym := range t {
			switch {
			case sym.used || sym.isGoal():
			case sym.asked:
				c.warnUnneeded(sym.pos, "equation %s is unreachable; only properties mention it", name)
			case called[sym]:
				c.warnUnneeded(sym.pos, "equation %s is used only by itself, or by equations that are never used", name)
			default:
				c.warnUnneeded(sym.pos, "%s %s is never used", sym.kind, name)
			}
		}
	}
	for _, sym := range c.messages {
		switch {
		case sym.sent && !sym.received:
			c.warnUnneeded(sym.pos, "message %s is never received", sym.name)
		case sym.received && !sym.sent:
			c.warnUnneeded(sym.pos, "message %s is never sent", sym.name)
		}
	}
	for _, sym := range c.values {
		if sym.used && !sym.set && c.fixedValue(sym) {
			c.warnUnneeded(sym.pos, "%s %s is never set: it always has its initial value", sym.varKind(), sym.name)
		}
	}
	slices.SortFunc(c.warnings, func(a, b *syntax.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// fixedValue reports whether a register or ghost that nothing sets has the same value in all processes: its declaration
// gives it a value that refers to no process.
func (c *checker) fixedValue(sym *symbol) bool {
	d, ok := sym.decl.(*syntax.VarDecl)
	if !ok || d.Init == nil || d.Kind == "timer" {
		return false
	}
	fixed := true
	syntax.Walk(d.Init, func(node any) bool {
		if of := nodeSymbol(node); of != nil && !of.constant() && of.kind != valueSymbol {
			fixed = false
		}
		return fixed
	})
	return fixed
}

// isGoal reports whether s is a definition without parameters, which a goal, for example of --until, can name.
func (s *symbol) isGoal() bool {
	d, ok := s.decl.(*syntax.DefineDecl)
	return ok && len(d.Params) == 0
}
