package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// expect checks that e has a shape; what names the place it stands in.
func (c *checker) expect(s scope, e syntax.Expr, want *shape, what string) {
	if got := c.expr(s, e, want); !sameShape(got, want) {
		err := c.errs.Add(e.ExprPos(), "%s: expected %s, found %s", what, want, got)
		err.Code = "type"
		if what == "process" && got.kind == setShape {
			err.Hint = "say of which: exists p in …: p …, or forall p in …: p …"
		}
	}
}

// expr finds the shape of e. Where e does not determine it, as an enumerated value or an empty set, hint is the shape
// that the context expects; it may be nil.
func (c *checker) expr(s scope, e syntax.Expr, hint *shape) *shape {
	if got := c.infer(s, e, hint); got != nil {
		return got
	}
	return &shape{}
}

// infer is expr, except that the shape of an expression with an error may be nil.
func (c *checker) infer(s scope, e syntax.Expr, hint *shape) *shape {
	if !connective(e) {
		s.temporal = false
	}
	switch e := e.(type) {
	case *syntax.IntLit:
		return anInteger
	case *syntax.BoolLit:
		return aBoolean
	case *syntax.Name:
		return c.name(s, e, hint)
	case *syntax.UnaryExpr:
		return c.unary(s, e)
	case *syntax.BinaryExpr:
		return c.binary(s, e, hint)
	case *syntax.CondExpr:
		return c.cond(s, e, hint)
	case *syntax.CallExpr:
		return c.call(s, e)
	case *syntax.SetLit:
		return c.setLit(s, e, hint)
	case *syntax.RangeSet:
		return c.rangeSet(s, e)
	case *syntax.IndexExpr:
		return c.index(s, e)
	case *syntax.UpdateExpr:
		return c.update(s, e, hint)
	case *syntax.FillExpr:
		return c.fill(s, e, hint)
	case *syntax.QuantExpr:
		return c.quantifier(s, e)
	case *syntax.DecimalLit:
		c.errs.Add(e.Pos, "%s can stand only in a probability", e.Text)
		return nil
	case *syntax.HappensExpr, *syntax.EndExpr:
		return c.temporalAtom(s, e)
	case *syntax.BadExpr:
		return nil
	case *syntax.Wildcard:
		c.errs.Add(e.Pos, `"_" may stand only for a whole field of a received message`)
		return nil
	}
	return c.property(s, e)
}

// name resolves a name: a declared value, or an enumerated value of the expected type.
func (c *checker) name(s scope, e *syntax.Name, hint *shape) *shape {
	sym := c.lookup(s, e.Name)
	if sym == nil || sym.givesWay() && !isBad(hint) && slices.Contains(hint.names, e.Name) {
		if enum := c.enumerant(s, e, hint); enum != nil {
			e.Binding = c.referValue(e.Pos, enum, e.Name)
			return enum
		}
	}
	if sym = c.value(s, e.Pos, e.Name, hint); sym == nil {
		return nil
	}
	e.Binding = sym
	c.shares = c.shares || sym.shared()
	if sym.kind == defineSymbol {
		c.look(sym)
		c.arguments(s, e.Pos, sym, nil)
	}
	return sym.shape
}

// enumerant returns the enumeration that has an undeclared name: the enumeration of the hint, or else the only one. It
// returns nil if no enumeration has it, and a bad shape after an error.
func (c *checker) enumerant(s scope, e *syntax.Name, hint *shape) *shape {
	if !isBad(hint) && hint.hasNames() {
		if slices.Contains(hint.names, e.Name) {
			return hint
		}
		near := syntax.DidYouMean(e.Name, append(slices.Clone(hint.names), c.visible(s, hint)...))
		c.unknown(e.Pos, near, "%s is not %s", e.Name, hint)
		return &shape{}
	}
	var found []*shape
	for _, enum := range c.enums {
		if slices.Contains(enum.names, e.Name) {
			found = append(found, enum)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	c.errs.Add(e.Pos, "%s can be %s, or %s: the context does not say which", e.Name, found[0], found[1])
	return &shape{}
}

// needsHint reports whether the shape of e depends on its context.
func (c *checker) needsHint(s scope, e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		return c.lookup(s, e.Name) == nil
	case *syntax.FillExpr:
		return true
	case *syntax.UpdateExpr:
		return c.needsHint(s, e.X)
	case *syntax.CondExpr:
		return c.needsHint(s, e.Then) && c.needsHint(s, e.Else)
	case *syntax.SetLit:
		return !slices.ContainsFunc(e.Elems, func(x syntax.Expr) bool { return !c.needsHint(s, x) })
	case *syntax.BinaryExpr:
		return (e.Op == "union" || e.Op == "minus") && c.needsHint(s, e.X) && c.needsHint(s, e.Y)
	}
	return false
}

// pair finds the common shape of two expressions, the one giving a hint for the other.
func (c *checker) pair(ofX, ofY scope, x, y syntax.Expr, hint *shape, pos syntax.Pos, what string) *shape {
	var sx, sy *shape
	if isBad(hint) && c.needsHint(ofX, x) {
		sy = c.expr(ofY, y, nil)
		sx = c.expr(ofX, x, sy)
	} else {
		sx = c.expr(ofX, x, hint)
		sy = c.expr(ofY, y, sx)
	}
	if !sameShape(sx, sy) {
		c.errs.Add(pos, "%s differ: %s and %s", what, sx, sy).Code = "type"
		return nil
	}
	if isBad(sx) {
		return sy
	}
	return sx
}

func (c *checker) unary(s scope, e *syntax.UnaryExpr) *shape {
	if e.Op == "-" {
		c.expect(s, e.X, anInteger, "operand of -")
		return anInteger
	}
	if temporal(e.Op) {
		c.needTemporal(s, e.Pos, e.Op)
	}
	c.expect(s, e.X, aBoolean, "operand of "+e.Op)
	return aBoolean
}

func (c *checker) binary(s scope, e *syntax.BinaryExpr, hint *shape) *shape {
	what := "the operands of " + e.Op
	switch e.Op {
	case "and", "or", "=>":
		return c.operands(s, e, boolShape, boolShape)
	case "until", "unless", "releases", "leads to":
		c.needTemporal(s, e.Pos, e.Op)
		return c.operands(s, e, boolShape, boolShape)
	case "+", "-", "*", "div", "mod", "^":
		return c.operands(s, e, intShape, intShape)
	case "<", "<=", ">", ">=":
		return c.operands(s, e, intShape, boolShape)
	case "=", "!=":
		sh := c.pair(s, s, e.X, e.Y, nil, e.Pos, what)
		if sh != nil && (sh.kind == channelShape || sh.kind == messageShape) {
			c.errs.Add(e.Pos, "%s cannot be compared", sh.plural())
		}
		return aBoolean
	case "union", "minus":
		sh := c.pair(s, s, e.X, e.Y, hint, e.Pos, what)
		if !isBad(sh) && sh.kind != setShape {
			c.errs.Add(e.Pos, "%s: expected sets, found %s", what, sh)
			return nil
		}
		return sh
	case "in":
		return c.membership(s, e)
	case "/":
		c.errs.Add(e.Pos, "a quotient can stand only in a probability, or as a whole reward; integer division is div")
		return nil
	}
	c.errs.Add(e.Pos, "unknown operator %s", e.Op)
	return nil
}

// operands checks both operands of e against one kind of scalar.
func (c *checker) operands(s scope, e *syntax.BinaryExpr, operand, result shapeKind) *shape {
	c.expect(s, e.X, &shape{kind: operand}, "left operand of "+e.Op)
	switch e.Op { // these evaluate the right operand only if the left one does not decide
	case "and", "=>":
		s = c.given(s, e.X, true)
	case "or":
		s = c.given(s, e.X, false)
	}
	c.expect(s, e.Y, &shape{kind: operand}, "right operand of "+e.Op)
	return &shape{kind: result}
}

func (c *checker) cond(s scope, e *syntax.CondExpr, hint *shape) *shape {
	c.expect(s, e.Cond, aBoolean, "condition")
	then, otherwise := c.given(s, e.Cond, true), c.given(s, e.Cond, false)
	return c.pair(then, otherwise, e.Then, e.Else, hint, e.Pos, "the branches of if")
}
