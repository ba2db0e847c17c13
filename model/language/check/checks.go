package check

import (
	"ringcheck/model/language/syntax"
)

// A Check is a check declaration: settings for a check of the properties of a spec.
type Check struct {
	Pos syntax.Pos
	// Values has the values that are given, by the name of the setting, as they are written: "3", "left", or a range
	// "2..4", which means all its values.
	Values map[string]string
}

// checkDecl checks that a check declaration gives values of the right kind to settings. Whether a value is in the range
// of its setting is known only when the spec is instantiated.
func (c *checker) checkDecl(d *syntax.CheckDecl) {
	seen := map[string]bool{}
	for _, g := range d.Given {
		if seen[g.Name.Name] {
			c.errs.Add(g.Pos, "%s is given twice", g.Name.Name)
		}
		seen[g.Name.Name] = true
		if sym := c.settingSymbol(g.Name); sym != nil && !isBad(sym.shape) {
			c.givenValue(g, sym)
		}
	}
}

// settingSymbol returns the symbol of the setting with a name, nil if there is none.
func (c *checker) settingSymbol(id *syntax.Ident) *symbol {
	isSetting := func(s *symbol) bool { return s.kind == paramSymbol || s.kind == optionSymbol }
	sym := c.values[id.Name]
	if sym == nil || !isSetting(sym) {
		c.unknown(id.Pos, syntax.Suggest(id.Name, c.values.names(isSetting)), "no parameter or option %s", id.Name)
		return nil
	}
	id.Binding = sym
	c.refer(id.Pos, sym)
	return sym
}

// givenValue checks the value that a check declaration gives to a setting: a literal, or the name of a value.
func (c *checker) givenValue(g *syntax.Given, setting *symbol) {
	s := scope{context: constantContext, early: true, unlinked: true}
	for _, e := range []syntax.Expr{g.Value, g.Last} {
		switch e := e.(type) {
		case nil:
		case *syntax.IntLit, *syntax.BoolLit, *syntax.Name:
			c.expect(s, e, setting.shape, "value of "+setting.name)
		default:
			c.errs.Add(syntax.Begin(e), "value of %s: expected one value, such as 3, true or a name", setting.name)
		}
	}
	if g.Last != nil && setting.shape.kind != intShape {
		c.errs.Add(syntax.Begin(g.Last), "%s is %s, which has no ranges", setting.name, setting.shape)
	}
}

// newCheck returns the values of a check declaration.
func newCheck(d *syntax.CheckDecl) Check {
	check := Check{d.Pos, map[string]string{}}
	for _, g := range d.Given {
		value := syntax.FormatExpr(g.Value)
		if g.Last != nil {
			value += ".." + syntax.FormatExpr(g.Last)
		}
		check.Values[g.Name.Name] = value
	}
	return check
}
