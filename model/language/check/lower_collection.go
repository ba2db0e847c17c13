package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// membership lowers x in s.
func (b *builder) membership(e *syntax.BinaryExpr) ir.Expr {
	x := b.expr(e.X, nil)
	want, _ := ir.SetType(x.Type())
	return fold(&ir.Binary{Op: ir.In, X: x, Y: b.expr(e.Y, want), T: ir.BoolType(), Pos: e.Pos})
}

// setLit lowers a set to just the type that its elements need; if that is too wide, to the expected one.
func (b *builder) setLit(e *syntax.SetLit, want *ir.Type) ir.Expr {
	elem := b.shapeType(e.Shape.(*shape).elem) // if there are no elements
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

// rangeSet lowers the set of the integers in a range.
func (b *builder) rangeSet(e *syntax.RangeSet) ir.Expr {
	lo, hi := b.expr(e.Lo, nil), b.expr(e.Hi, nil)
	least := lo.Type().Lo
	t, ok := b.setOf(ir.IntType(least, max(least, hi.Type().Hi)), e.Pos)
	if !ok {
		return &ir.Const{T: t}
	}
	return fold(&ir.Interval{Lo: lo, Hi: hi, T: t, Pos: e.Pos})
}

// index lowers a[i], or uid[p] for an assignment.
func (b *builder) index(e *syntax.IndexExpr) ir.Expr {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := symbolOf(n.Binding); sym.kind == assignSymbol {
			return b.assignedValue(e, sym)
		}
	}
	return fold(&ir.Index{X: b.expr(e.X, nil), I: b.expr(e.Index, nil), Pos: e.Pos})
}

// assignedValue lowers uid[p]. In a property that is a ghost, which holds the value that process p was given.
func (b *builder) assignedValue(e *syntax.IndexExpr, sym *symbol) ir.Expr {
	if v := b.vars[sym]; v != nil && b.ofProperties {
		b.collector.stateful = true
		return &ir.ProcessVar{Process: b.process(e.Index), Var: v}
	}
	return &ir.AssignedValue{Assignment: b.assignment(sym, e.Pos), Process: b.process(e.Index)}
}

// update lowers a with [i] = e.
func (b *builder) update(e *syntax.UpdateExpr, want *ir.Type) ir.Expr {
	x := b.expr(e.X, want)
	value := b.argument(e.Value, x.Type().Elem, arrayElement)
	return fold(&ir.Update{X: x, I: b.expr(e.Index, nil), Value: value, Pos: e.Pos})
}

// fill lowers all(e) and {i in D: e}.
func (b *builder) fill(e *syntax.FillExpr, want *ir.Type) ir.Expr {
	switch {
	case want == nil || want.Kind != ir.Array:
		b.errs.Add(e.Pos, noArray)
		return boolean(false)
	case e.Binder != nil:
		return b.byRule(e, want)
	}
	return fold(&ir.Fill{Value: b.argument(e.Value, want.Elem, arrayElement), T: want})
}

// byRule lowers {i in D: e} to an array of type t, element by element.
func (b *builder) byRule(e *syntax.FillExpr, t *ir.Type) ir.Expr {
	q := &ir.Quantifier{}
	set := b.domain(q, e.Binder)
	lo, hi, ok := fixed(q.Lo, q.Hi)
	if !ok || set != nil || lo != t.Index.Lo || hi != t.Index.Hi {
		b.errs.Add(e.Binder.Name.Pos, "the array has an element for each of %s: write {%s in %[1]s: …}",
			t.Index, q.Var.Name)
		return &ir.Const{T: t, Value: t.Zero()}
	}
	value := b.argument(e.Value, t.Elem, arrayElement)
	var array ir.Expr = &ir.Const{T: t, Value: t.Zero()}
	for i := range hi - lo + 1 {
		one := ir.Substitute(value, q.Var, &ir.Const{T: q.Var.Type, Value: lo + i})
		array = fold(&ir.Update{X: array, I: integer(lo + i), Value: one, Pos: e.Pos})
	}
	return array
}
