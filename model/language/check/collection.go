package check

import (
	"ringcheck/model/language/syntax"
)

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
	if want := (&shape{kind: setShape, elem: elem}); !isBad(elem) && !sameShape(set, want) {
		c.errs.Add(e.Pos, "right operand of in: expected %s, found %s", want, set)
	}
	return aBoolean
}

func (c *checker) setLit(s scope, e *syntax.SetLit, hint *shape) *shape {
	var elem *shape
	if !isBad(hint) && hint.kind == setShape {
		elem = hint.elem
	}
	// Elements with a shape of their own come first.
	for _, hinted := range []bool{false, true} {
		for _, x := range e.Elems {
			if c.needsHint(s, x) != hinted {
				continue
			}
			sx := c.expr(s, x, elem)
			if isBad(elem) {
				elem = sx
			} else if !sameShape(sx, elem) {
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
	set := &shape{kind: setShape, elem: elem}
	e.Shape = set
	return set
}

// rangeSet checks the set of the integers in a range.
func (c *checker) rangeSet(s scope, e *syntax.RangeSet) *shape {
	c.ends(s, e.Lo, e.Hi)
	return &shape{kind: setShape, elem: anInteger}
}

// ends checks the ends of a range.
func (c *checker) ends(s scope, lo, hi syntax.Expr) {
	c.expect(s, lo, anInteger, "lower end of a range")
	c.expect(s, hi, anInteger, "upper end of a range")
}

func (c *checker) index(s scope, e *syntax.IndexExpr) *shape {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := c.lookup(s, n.Name); sym != nil && sym.kind == assignSymbol {
			c.refer(n.Pos, sym)
			return c.assignedValue(s, e, n, sym)
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

// assignedValue checks uid[p].
func (c *checker) assignedValue(s scope, e *syntax.IndexExpr, name *syntax.Name, sym *symbol) *shape {
	sym.used = true
	c.expect(s, e.Index, anInteger, "process")
	name.Binding = sym
	switch s.context {
	case startContext:
	case propertyContext:
		c.stateful, c.reads = true, append(c.reads, sym)
	default:
		c.errs.Add(name.Pos,
			"%s can be read only in the process declaration, before any choice, draw, action or let of a register",
			sym.name).Hint = "pass it to an equation"
	}
	return sym.shape
}

func (c *checker) update(s scope, e *syntax.UpdateExpr, hint *shape) *shape {
	x := c.expr(s, e.X, hint)
	c.expect(s, e.Index, anInteger, "index")
	if elem := c.elementOf(x, e.Pos); elem != nil {
		c.expect(s, e.Value, elem, arrayElement)
	} else {
		c.expr(s, e.Value, nil)
	}
	return x
}

func (c *checker) fill(s scope, e *syntax.FillExpr, hint *shape) *shape {
	if e.Binder != nil {
		s = s.bind(c.bindIn(s, e.Binder))
	}
	if isBad(hint) || hint.kind != arrayShape {
		c.expr(s, e.Value, nil)
		c.errs.Add(e.Pos, noArray)
		return nil
	}
	c.expect(s, e.Value, hint.elem, arrayElement)
	return hint
}

const (
	noArray      = "the context does not say what array this is"
	arrayElement = "element of an array"
)
