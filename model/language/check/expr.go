package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// expect checks that e has a shape; what names the place it stands in.
func (c *checker) expect(s scope, e syntax.Expr, want *shape, what string) {
	if got := c.expr(s, e, want); !same(got, want) {
		c.errs.Add(e.ExprPos(), "%s: expected %s, found %s", what, want, got)
	}
}

// expr finds the shape of e. Where e does not tell it, as an enumerated value or an empty set does not, hint
// is what the context expects; it may be nil.
func (c *checker) expr(s scope, e syntax.Expr, hint *shape) *shape {
	got := c.infer(s, e, hint)
	if got == nil {
		got = &shape{}
	}
	c.shapes[e] = got
	return got
}

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
		c.expect(s, e.Cond, aBoolean, "condition")
		return c.pair(c.given(s, e.Cond, true), c.given(s, e.Cond, false), e.Then, e.Else, hint, e.Pos, "the branches of if")
	case *syntax.CallExpr:
		return c.call(s, e)
	case *syntax.SetLit:
		return c.setLit(s, e, hint)
	case *syntax.RangeSet:
		c.expect(s, e.Lo, anInteger, "lower end of a range")
		c.expect(s, e.Hi, anInteger, "upper end of a range")
		return &shape{kind: setShape, elem: anInteger}
	case *syntax.IndexExpr:
		return c.index(s, e)
	case *syntax.UpdateExpr:
		return c.update(s, e)
	case *syntax.FillExpr:
		return c.fill(s, e, hint)
	case *syntax.DecimalLit:
		c.errs.Add(e.Pos, "%s can stand only in a probability", e.Text)
		return nil
	case *syntax.HappensExpr, *syntax.EndExpr:
		return c.temporalAtom(s, e)
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
			return enum
		}
	}
	if sym = c.value(s, e.Pos, e.Name); sym == nil {
		return nil
	}
	c.uses[e] = sym
	if sym.kind == defineSymbol {
		c.look(sym)
		c.arguments(s, e.Pos, sym, nil)
	}
	return sym.shape
}

// enumerant returns the enumeration that a name, which is no declared value, belongs to: that of the hint, or
// else the only one. It returns nil, with or without a report, if there is none.
func (c *checker) enumerant(s scope, e *syntax.Name, hint *shape) *shape {
	if !isBad(hint) && hint.hasNames() {
		if slices.Contains(hint.names, e.Name) {
			return hint
		}
		err := c.errs.Add(e.Pos, "%s is not %s", e.Name, hint)
		err.Hint = syntax.DidYouMean(e.Name, append(slices.Clone(hint.names), c.visible(s)...))
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
	if !same(sx, sy) {
		c.errs.Add(pos, "%s differ: %s and %s", what, sx, sy)
		return nil
	}
	if isBad(sx) {
		return sy
	}
	return sx
}

func (c *checker) unary(s scope, e *syntax.UnaryExpr) *shape {
	operand := anInteger
	if e.Op != "-" {
		operand = aBoolean
	}
	if temporal(e.Op) {
		c.needTemporal(s, e.Pos, e.Op)
	}
	c.expect(s, e.X, operand, "operand of "+e.Op)
	return operand
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
		if sh := c.pair(s, s, e.X, e.Y, nil, e.Pos, what); sh != nil && !sh.comparable() {
			c.errs.Add(e.Pos, "%ss cannot be compared", strings.TrimPrefix(sh.String(), "a "))
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

// comparable reports whether = works for values of s.
func (s *shape) comparable() bool { return s.kind != channelShape && s.kind != messageShape }

// operands checks both operands of e against one kind of scalar.
func (c *checker) operands(s scope, e *syntax.BinaryExpr, operand, result shapeKind) *shape {
	c.expect(s, e.X, &shape{kind: operand}, "left operand of "+e.Op)
	switch e.Op { // the right operand of these matters only if the left one does not decide
	case "and", "=>":
		s = c.given(s, e.X, true)
	case "or":
		s = c.given(s, e.X, false)
	}
	c.expect(s, e.Y, &shape{kind: operand}, "right operand of "+e.Op)
	return &shape{kind: result}
}

func (c *checker) membership(s scope, e *syntax.BinaryExpr) *shape {
	var elem, set *shape
	if c.needsHint(s, e.X) {
		if set = c.expr(s, e.Y, nil); !isBad(set) {
			elem = set.elem
		}
		elem = c.expr(s, e.X, elem)
	} else {
		elem = c.expr(s, e.X, nil)
		set = c.expr(s, e.Y, &shape{kind: setShape, elem: elem})
	}
	if want := (&shape{kind: setShape, elem: elem}); !isBad(elem) && !same(set, want) {
		c.errs.Add(e.Pos, "right operand of in: expected %s, found %s", want, set)
	}
	return aBoolean
}

func (c *checker) setLit(s scope, e *syntax.SetLit, hint *shape) *shape {
	var elem *shape
	if !isBad(hint) && hint.kind == setShape {
		elem = hint.elem
	}
	// The elements that tell their shape come first.
	for _, hinted := range []bool{false, true} {
		for _, x := range e.Elems {
			if c.needsHint(s, x) != hinted {
				continue
			}
			sx := c.expr(s, x, elem)
			if isBad(elem) {
				elem = sx
			} else if !same(sx, elem) {
				c.errs.Add(x.ExprPos(), "element of a set: expected %s, found %s", elem, sx)
			}
		}
	}
	switch {
	case elem == nil:
		c.errs.Add(e.Pos, "the context does not say what this is a set of")
		return nil
	case !elem.scalar():
		c.errs.Add(e.Pos, "sets of %s are not possible", elem.plural())
		return nil
	}
	return &shape{kind: setShape, elem: elem}
}

func (c *checker) index(s scope, e *syntax.IndexExpr) *shape {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := c.lookup(s, n.Name); sym != nil && sym.kind == assignSymbol {
			return c.assigned(s, e, n, sym)
		}
	}
	x := c.expr(s, e.X, nil)
	c.expect(s, e.Index, anInteger, "index")
	return c.elementOf(x, e.Pos)
}

// elementOf returns the shape of the elements of an array.
func (c *checker) elementOf(array *shape, pos syntax.Pos) *shape {
	if isBad(array) {
		return nil
	}
	if array.kind != arrayShape {
		c.errs.Add(pos, "only arrays have an index, this is %s", array)
		return nil
	}
	return array.elem
}

// assigned checks uid[p].
func (c *checker) assigned(s scope, e *syntax.IndexExpr, name *syntax.Name, sym *symbol) *shape {
	sym.used = true
	c.expect(s, e.Index, anInteger, "process")
	c.uses[name] = sym
	switch s.place {
	case startPlace:
	case propertyPlace:
		c.uses[e] = sym
		c.stateful, c.reads = true, append(c.reads, sym)
	default:
		c.errs.Add(name.Pos, "%s can be read only in the process declaration, before any choice, draw or action", sym.name).
			Hint = "pass it to an equation"
	}
	return sym.shape
}

func (c *checker) update(s scope, e *syntax.UpdateExpr) *shape {
	x := c.expr(s, e.X, nil)
	c.expect(s, e.Index, anInteger, "index")
	if elem := c.elementOf(x, e.Pos); elem != nil {
		c.expect(s, e.Value, elem, "element of an array")
	} else {
		c.expr(s, e.Value, nil)
	}
	return x
}

func (c *checker) fill(s scope, e *syntax.FillExpr, hint *shape) *shape {
	if e.Binder != nil {
		s = s.with(c.bind(s, e.Binder.Name.Pos, e.Binder.Name.Name, c.domain(s, e.Binder), e.Binder))
	}
	if isBad(hint) || hint.kind != arrayShape {
		c.expr(s, e.Value, nil)
		c.errs.Add(e.Pos, "the context does not say what array this is")
		return nil
	}
	c.expect(s, e.Value, hint.elem, "element of an array")
	return hint
}
