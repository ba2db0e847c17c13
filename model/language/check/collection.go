package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

func (c *checker) membership(s scope, e *syntax.BinaryExpr) (*shape, lowering) {
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
	return aBoolean, func(b *builder, _ *ir.Type) ir.Expr {
		x := b.expr(e.X, nil)
		want, _ := ir.SetType(x.Type())
		return fold(&ir.Binary{Op: ir.In, X: x, Y: b.expr(e.Y, want), T: ir.BoolType(), Pos: e.Pos})
	}
}

func (c *checker) setLit(s scope, e *syntax.SetLit, hint *shape) (*shape, lowering) {
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
			} else if !same(sx, elem) {
				c.errs.Add(x.ExprPos(), "element of a set: expected %s, found %s", elem, sx)
			}
		}
	}
	switch {
	case elem == nil:
		c.errs.Add(e.Pos, "the context does not say what this is a set of")
		return nil, nil
	case !elem.scalar():
		c.errs.Add(e.Pos, "sets of %s are not possible", elem.plural())
		return nil, nil
	}
	return &shape{kind: setShape, elem: elem}, func(b *builder, want *ir.Type) ir.Expr {
		return b.setLit(e, b.shapeType(elem), want)
	}
}

// setLit makes a set of just the type that its elements need; if that is too wide, of the expected one. elem is the
// type of the elements if there are none.
func (b *builder) setLit(e *syntax.SetLit, elem, want *ir.Type) ir.Expr {
	var elems []ir.Expr
	for i, x := range e.Elems {
		v := b.expr(x, nil)
		elems = append(elems, v)
		if i == 0 {
			elem = v.Type()
		} else if t, err := hull(elem, v.Type()); err == nil {
			elem = t
		}
	}
	t, err := ir.SetType(elem)
	if err != nil && want != nil && want.Kind == ir.Set {
		t = want
	} else if err != nil {
		t, _ = b.setOf(elem, e.Pos)
		return &ir.Const{T: t}
	}
	return fold(&ir.SetLit{Elems: elems, T: t, Pos: e.Pos})
}

// rangeSet checks and makes the set of the integers in a range.
func (c *checker) rangeSet(s scope, e *syntax.RangeSet) (*shape, lowering) {
	c.ends(s, e.Lo, e.Hi)
	return &shape{kind: setShape, elem: anInteger}, func(b *builder, _ *ir.Type) ir.Expr {
		lo, hi := b.expr(e.Lo, nil), b.expr(e.Hi, nil)
		least := lo.Type().Lo
		t, ok := b.setOf(ir.IntType(least, max(least, hi.Type().Hi)), e.Pos)
		if !ok {
			return &ir.Const{T: t}
		}
		return fold(&ir.Interval{Lo: lo, Hi: hi, T: t, Pos: e.Pos})
	}
}

// ends checks the ends of a range.
func (c *checker) ends(s scope, lo, hi syntax.Expr) {
	c.expect(s, lo, anInteger, "lower end of a range")
	c.expect(s, hi, anInteger, "upper end of a range")
}

func (c *checker) index(s scope, e *syntax.IndexExpr) (*shape, lowering) {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := c.lookup(s, n.Name); sym != nil && sym.kind == assignSymbol {
			return c.assigned(s, e, n, sym)
		}
	}
	x := c.expr(s, e.X, nil)
	c.expect(s, e.Index, anInteger, "index")
	return c.elementOf(x, e.Pos), func(b *builder, _ *ir.Type) ir.Expr {
		return fold(&ir.Index{X: b.expr(e.X, nil), I: b.expr(e.Index, nil), Pos: e.Pos})
	}
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

// assigned resolves uid[p]. In a property that is a ghost, which holds the value that process p was given.
func (c *checker) assigned(s scope, e *syntax.IndexExpr, name *syntax.Name, sym *symbol) (*shape, lowering) {
	sym.used = true
	c.expect(s, e.Index, anInteger, "process")
	c.uses[name] = sym
	switch s.context {
	case startContext:
	case propertyContext:
		c.stateful, c.reads = true, append(c.reads, sym)
	default:
		c.errs.Add(name.Pos, "%s can be read only in the process declaration, before any choice, draw or action", sym.name).
			Hint = "pass it to an equation"
	}
	return sym.shape, func(b *builder, _ *ir.Type) ir.Expr {
		if v := b.vars[sym]; v != nil && s.context == propertyContext {
			b.noticed.stateful = true
			return &ir.ProcessVar{Process: b.process(e.Index), Var: v}
		}
		return &ir.Assigned{Assignment: b.assignmentOf(sym, e.Pos), Process: b.process(e.Index)}
	}
}

func (c *checker) update(s scope, e *syntax.UpdateExpr) (*shape, lowering) {
	x := c.expr(s, e.X, nil)
	c.expect(s, e.Index, anInteger, "index")
	if elem := c.elementOf(x, e.Pos); elem != nil {
		c.expect(s, e.Value, elem, arrayElement)
	} else {
		c.expr(s, e.Value, nil)
	}
	return x, func(b *builder, want *ir.Type) ir.Expr {
		x := b.expr(e.X, want)
		value := b.argument(e.Value, x.Type().Elem, arrayElement)
		return fold(&ir.Update{X: x, I: b.expr(e.Index, nil), Value: value, Pos: e.Pos})
	}
}

func (c *checker) fill(s scope, e *syntax.FillExpr, hint *shape) (*shape, lowering) {
	if e.Binder != nil {
		s = s.with(c.bindIn(s, e.Binder))
	}
	if isBad(hint) || hint.kind != arrayShape {
		c.expr(s, e.Value, nil)
		c.errs.Add(e.Pos, noArray)
		return nil, nil
	}
	c.expect(s, e.Value, hint.elem, arrayElement)
	return hint, func(b *builder, want *ir.Type) ir.Expr {
		switch {
		case want == nil || want.Kind != ir.Array:
			b.errs.Add(e.Pos, noArray)
			return boolean(false)
		case e.Binder != nil:
			return b.byRule(e, want)
		}
		return fold(&ir.Fill{Value: b.argument(e.Value, want.Elem, arrayElement), T: want})
	}
}

const (
	noArray      = "the context does not say what array this is"
	arrayElement = "element of an array"
)

// byRule resolves {i in D: e} to an array of type t, element by element.
func (b *builder) byRule(e *syntax.FillExpr, t *ir.Type) ir.Expr {
	q := &ir.Quantifier{}
	set := b.domain(q, e.Binder)
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	if !ok || !ok2 || set != nil || lo.Value != t.Index.Lo || hi.Value != t.Index.Hi {
		b.errs.Add(e.Binder.Name.Pos, "the array has an element for each of %s: write {%s in %[1]s: …}",
			t.Index, q.Var.Name)
		return &ir.Const{T: t, Value: t.Zero()}
	}
	value := b.argument(e.Value, t.Elem, arrayElement)
	var array ir.Expr = &ir.Const{T: t, Value: t.Zero()}
	for i := lo.Value; i <= hi.Value; i++ {
		one := ir.Substitute(value, q.Var, &ir.Const{T: q.Var.Type, Value: i})
		array = fold(&ir.Update{X: array, I: integer(i), Value: one, Pos: e.Pos})
	}
	return array
}
