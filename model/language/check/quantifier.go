package check

import (
	"math"
	"slices"

	"ringcheck/model/language/ir"
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

// membership lowers x in s.
func (b *builder) membership(e *syntax.BinaryExpr) ir.Expr {
	x := b.expr(e.X, nil)
	want, _ := ir.SetType(x.Type())
	return fold(&ir.Binary{Op: ir.In, X: x, Y: b.expr(e.Y, want), T: ir.BoolType(), Pos: e.Pos})
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

// rangeSet checks the set of the integers in a range.
func (c *checker) rangeSet(s scope, e *syntax.RangeSet) *shape {
	c.ends(s, e.Lo, e.Hi)
	return &shape{kind: setShape, elem: anInteger}
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

// index lowers a[i], or uid[p] for an assignment.
func (b *builder) index(e *syntax.IndexExpr) ir.Expr {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := symbolOf(n.Binding); sym.kind == assignSymbol {
			return b.assignedValue(e, sym)
		}
	}
	return fold(&ir.Index{X: b.expr(e.X, nil), I: b.expr(e.Index, nil), Pos: e.Pos})
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

// assignedValue lowers uid[p]. In a property that is a ghost, which holds the value that process p was given.
func (b *builder) assignedValue(e *syntax.IndexExpr, sym *symbol) ir.Expr {
	if v := b.vars[sym]; v != nil && b.ofProperties {
		b.collector.stateful = true
		return &ir.ProcessVar{Process: b.process(e.Index), Var: v}
	}
	return &ir.AssignedValue{Assignment: b.assignment(sym, e.Pos), Process: b.process(e.Index)}
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

// update lowers a with [i] = e.
func (b *builder) update(e *syntax.UpdateExpr, want *ir.Type) ir.Expr {
	x := b.expr(e.X, want)
	value := b.argument(e.Value, x.Type().Elem, arrayElement)
	return fold(&ir.Update{X: x, I: b.expr(e.Index, nil), Value: value, Pos: e.Pos})
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

const (
	noArray      = "the context does not say what array this is"
	arrayElement = "element of an array"
)

// byRule resolves {i in D: e} to an array of type t, element by element.
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

// quantifier checks the binders, each of which is seen by the next, and the body.
func (c *checker) quantifier(s scope, e *syntax.QuantExpr) *shape {
	for _, b := range e.Binders {
		s = s.bind(c.bindIn(s, b))
	}
	stateful := c.stateful
	c.stateful = false
	defer func() {
		c.unusedBinders(e)
		c.stateful = c.stateful || stateful
	}()
	switch e.Op {
	case "sum":
		c.expect(s, e.Body, anInteger, "body of sum")
		return anInteger
	case "count":
		c.expect(s, e.Body, aBoolean, "body of count")
		return anInteger
	}
	c.expect(s, e.Body, aBoolean, "body of "+e.Op)
	if e.Op != "set" {
		return aBoolean
	}
	sh := symbolOf(e.Binders[0].Name.Binding).shape
	if isBad(sh) {
		return nil
	}
	if !sh.scalar() || sh.kind == messageShape {
		c.errs.Add(e.Pos, "a set cannot hold %s", sh.plural())
		return nil
	}
	return &shape{kind: setShape, elem: sh}
}

// unusedBinders warns of binders that a body does not use although it reads the state. A body that reads none only
// counts, as in sum p in node: 1. A binder over a set or a channel says that it has elements, or has none.
func (c *checker) unusedBinders(e *syntax.QuantExpr) {
	for _, b := range e.Binders {
		if sym := symbolOf(b.Name.Binding); c.stateful && b.Over == nil && !sym.used {
			c.warnUnneeded(sym.pos, "%s is never used in this %s", sym.name, e.Op)
		}
	}
}

// bindIn declares the name that a binder binds in s.
func (c *checker) bindIn(s scope, b *syntax.Binder) *symbol {
	sym := c.bind(s, b.Name.Pos, b.Name.Name, c.domain(s, b), b)
	b.Name.Binding = sym
	return sym
}

// bind declares the name that decl, a *syntax.Binder or a parameter of a definition, binds.
func (c *checker) bind(s scope, pos syntax.Pos, name string, sh *shape, decl any) *symbol {
	old := s.bound.find(name)
	if old == c.own {
		old = nil
	}
	if old == nil {
		old = c.values[name]
		if old != nil && slices.Contains([]symbolKind{varSymbol, assignSymbol, processSymbol}, old.kind) {
			old = nil // properties do not read these by name, and processes only where they are bound
		}
	}
	if old != nil {
		c.errs.Add(pos, "%s is already the name of %s", name, old.kind.a()).Code = "duplicate-name"
	}
	sym := &symbol{kind: binderSymbol, name: name, pos: pos, at: pos, shape: sh, decl: decl}
	c.refer(pos, sym)
	return sym
}

// domain returns the shape of what a binder ranges over.
func (c *checker) domain(s scope, b *syntax.Binder) *shape {
	if named, ok := b.Type.(*syntax.NamedType); ok {
		if sym := c.lookup(s, named.Name); sym != nil && sym.kind != typeSymbol {
			b.Type, b.Over = nil, &syntax.Name{ExprNode: syntax.ExprNode{Pos: named.Pos}, Name: named.Name}
		}
	}
	if b.Over != nil {
		return c.elementsOf(s, b.Over)
	}
	sh := c.typ(s, b.Type)
	switch {
	case isBad(sh):
		return nil
	case s.early && isNode(c.resolveType(b.Type)):
		c.errs.Add(b.Type.TypePos(), "the number of processes is not known here")
	case !sh.scalar() || sh.nat:
		c.errs.Add(b.Type.TypePos(), "cannot range over all values of %s", sh)
	}
	return sh
}

// elementsOf returns the shape of the elements of a set, or of the messages in a channel.
func (c *checker) elementsOf(s scope, over syntax.Expr) *shape {
	sh := c.expr(s, over, nil)
	switch {
	case isBad(sh):
		return nil
	case sh.kind == setShape:
		return sh.elem
	case sh.kind != channelShape:
		c.errs.Add(over.ExprPos(), "domain: expected a type, a range, a set or a channel, found %s", sh)
		return nil
	case c.file.Channel == nil:
		c.missing(over.ExprPos(), "channel", "the protocol has no channels", "")
	}
	return &shape{kind: messageShape}
}

// quantifier resolves a quantifier with the given binders, each of which quantifies over the rest.
func (b *builder) quantifier(e *syntax.QuantExpr, binders []*syntax.Binder) ir.Expr {
	if len(binders) == 0 {
		if e.Op == "sum" {
			return b.expr(e.Body, nil)
		}
		return b.logical(e.Body)
	}
	ops := map[string]ir.Quant{"forall": ir.ForAll, "exists": ir.Exists, "count": ir.Sum, "sum": ir.Sum}
	q := &ir.Quantifier{Op: ops[e.Op], T: ir.BoolType(), Pos: e.Pos}
	set := b.domain(q, binders[0])
	if c := ofNothing(q, set); c != nil {
		b.collector.emptyRange(e.Pos, binders[0])
		return c
	}
	stateful := b.collector.stateful
	b.collector.stateful = false
	q.Body = b.quantifier(e, binders[1:])
	reads := b.collector.stateful
	b.collector.stateful = stateful || reads
	if set != nil {
		q.Body = b.restrictToSet(q, set, e.Pos)
	}
	if q.Op == ir.Sum {
		q.T = binaryBounds(ir.Mul, terms(q), q.Body.Type())
	}
	if q.T.Kind == ir.Bool {
		q.Body = b.isDefined(q.Body, e.Pos)
	}
	if reads && q.Var.Type.Kind == ir.Node {
		return q // even if no process gets to where it looks: then prove must see that it depends on their number
	}
	return b.decidedQuantifier(q)
}

// terms returns the range of the number of values over which q ranges.
func terms(q *ir.Quantifier) *ir.Type {
	if q.Over != nil {
		return ir.IntType(0, math.MaxInt64)
	}
	n := binaryBounds(ir.Add, binaryBounds(ir.Sub, q.Hi.Type(), q.Lo.Type()), ir.IntType(1, 1))
	return ir.IntType(max(0, n.Lo), max(0, n.Hi))
}

// restrictToSet restricts the body of a quantifier over all values of the elements' type to a set.
func (b *builder) restrictToSet(q *ir.Quantifier, set ir.Expr, pos syntax.Pos) ir.Expr {
	in := b.isDefined(isIn(q.Var, set, pos), pos)
	switch {
	case q.Op == ir.ForAll:
		return implication(in, q.Body, pos)
	case q.Op == ir.Exists || q.Body.Type().Kind == ir.Bool:
		return conjunction(in, q.Body, pos)
	}
	t, _ := hull(q.Body.Type(), ir.IntType(0, 0))
	return &ir.Cond{If: in, Then: q.Body, Else: integer(0), T: t}
}

func isIn(v *ir.Var, set ir.Expr, pos syntax.Pos) ir.Expr {
	return fold(&ir.Binary{Op: ir.In, X: &ir.VarRef{Var: v}, Y: set, T: ir.BoolType(), Pos: pos})
}

// comprehension resolves {x in D where c}: the union of {x} over all x for which c holds.
func (b *builder) comprehension(e *syntax.QuantExpr) ir.Expr {
	q := &ir.Quantifier{Op: ir.Unite, Pos: e.Pos}
	set := b.domain(q, e.Binders[0])
	elem := q.Var.Type
	var ok bool
	if q.T, ok = b.setOf(elem, e.Pos); !ok {
		return &ir.Const{T: q.T}
	}
	if c := ofNothing(q, set); c != nil {
		return c
	}
	cond := b.logical(e.Body)
	if set != nil {
		cond = conjunction(isIn(q.Var, set, e.Pos), cond, e.Pos)
	}
	if all, ok := decided(cond); ok && all && q.Lo != nil {
		return fold(&ir.Interval{Lo: q.Lo, Hi: q.Hi, T: q.T, Pos: e.Pos})
	}
	one := &ir.SetLit{Elems: []ir.Expr{&ir.VarRef{Var: q.Var}}, T: q.T, Pos: e.Pos}
	q.Body = &ir.Cond{If: cond, Then: one, Else: &ir.Const{T: q.T}, T: q.T}
	return b.decidedQuantifier(q)
}

// domain sets what the quantifier ranges over, and its binder. If that is a set, it ranges over all values of the
// elements' type, and the set is returned.
func (b *builder) domain(q *ir.Quantifier, d *syntax.Binder) (set ir.Expr) {
	lo, hi, over, t := b.extent(d)
	q.Lo, q.Hi, q.Over = lo, hi, over
	if over != nil && over.Type().Kind == ir.Set {
		set, q.Over = over, nil
		q.Lo, q.Hi = bounds(t)
	}
	q.Var = b.binder(symbolOf(d.Name.Binding), t)
	return set
}

// extent returns the range of a binder, values of type t: the values from lo to hi, or the elements of over, a set or a
// channel.
func (b *builder) extent(d *syntax.Binder) (lo, hi, over ir.Expr, t *ir.Type) {
	switch r := d.Type.(type) {
	case nil:
		if kind := b.kindNamed(d.Over); kind != nil {
			lo, hi = b.processesOf(kind)
			return lo, hi, nil, ir.NodeType(b.protocol.N)
		}
		over = b.expr(d.Over, nil)
		if over.Type().Kind == ir.Set {
			return nil, nil, over, over.Type().Elem
		}
		return nil, nil, over, &ir.Type{Kind: ir.MessageRef, Hi: math.MaxInt64}
	case *syntax.RangeType:
		lo, hi = b.expr(r.Lo, nil), b.expr(r.Hi, nil)
		least := lo.Type().Lo
		return lo, hi, nil, ir.IntType(least, max(least, hi.Type().Hi))
	default:
		t = b.typ(r)
		lo, hi = bounds(t)
		return lo, hi, nil, t
	}
}

// bounds returns the first and the last value of a type.
func bounds(t *ir.Type) (lo, hi ir.Expr) {
	return &ir.Const{T: t, Value: t.Lo}, &ir.Const{T: t, Value: t.Hi}
}

// binder makes the variable of a binder.
func (b *builder) binder(sym *symbol, t *ir.Type) *ir.Var {
	v := &ir.Var{ID: b.protocol.EnvSize, Name: sym.name, Type: t}
	b.protocol.EnvSize++
	b.vars[sym] = v
	return v
}
