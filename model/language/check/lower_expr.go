package check

import (
	"errors"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// constant evaluates an expression that has a value before the run. If it fails, that is reported and some
// value is returned.
func (b *builder) constant(e syntax.Expr, want *ir.Type) *ir.Const {
	large := b.protocol.Large
	x := b.expr(e, want)
	b.protocol.Large = large // a wide set that is gone before the run is no matter
	if c, ok := x.(*ir.Const); ok {
		return c
	}
	v, err := x.Eval(b.env())
	if err == nil {
		return &ir.Const{T: exactly(x.Type(), v), Value: v}
	}
	if failed, ok := errors.AsType[*ir.Error](err); ok {
		b.errs.Add(failed.Pos, "%s", failed.Message)
	}
	return integer(0)
}

// env returns an environment for what is evaluated before the run.
func (b *builder) env() *ir.Env {
	env := b.protocol.NewEnv(nil)
	env.Sets = new(ir.Sets)
	return env
}

// expr resolves an expression. want is the type that the context expects, or nil; it tells the types of
// what has no own, such as {} and all(e), but the result need not be within it.
func (b *builder) expr(e syntax.Expr, want *ir.Type) ir.Expr {
	switch e := e.(type) {
	case *syntax.IntLit:
		return integer(e.Value)
	case *syntax.BoolLit:
		return boolean(e.Value)
	case *syntax.Name:
		return b.name(e)
	case *syntax.UnaryExpr:
		if e.Op == "not" {
			return not(b.logical(e.X))
		}
		return unary(ir.Neg, b.expr(e.X, nil), e.Pos)
	case *syntax.BinaryExpr:
		return b.binary(e, want)
	case *syntax.CondExpr:
		return b.cond(e, want)
	case *syntax.CallExpr:
		return b.call(e)
	case *syntax.SetLit:
		return b.setLit(e, want)
	case *syntax.RangeSet:
		return b.rangeSet(e)
	case *syntax.IndexExpr:
		return b.index(e)
	case *syntax.UpdateExpr:
		x := b.expr(e.X, want)
		value := b.convert(b.expr(e.Value, x.Type().Elem), x.Type().Elem, "element of an array", e.Value.ExprPos())
		return fold(&ir.Update{X: x, I: b.expr(e.Index, nil), Value: value, Pos: e.Pos})
	case *syntax.FillExpr:
		return b.fill(e, want)
	}
	return b.propertyExpr(e)
}

func (b *builder) name(e *syntax.Name) ir.Expr {
	sym := b.uses[e]
	if sym == nil {
		t := b.shapeType(b.shapes[e])
		return &ir.Const{T: t, Value: int64(slices.Index(t.Names, e.Name))}
	}
	if sym.kind == defineSymbol {
		return b.apply(sym, nil, e.Pos)
	}
	if c := b.consts[sym]; c != nil {
		return c
	}
	if sym.kind == kindSymbol {
		t, _ := b.setOf(ir.NodeType(b.protocol.N), e.Pos) // a wide one
		lo, hi := b.processesOf(b.kindNamed(e))
		return &ir.Interval{Lo: lo, Hi: hi, T: t, Pos: e.Pos}
	}
	return b.variable(sym)
}

// variable reads a variable, the process number or a binder.
func (b *builder) variable(sym *symbol) ir.Expr {
	v := b.vars[sym]
	if v.Type.Kind == ir.Absent {
		return b.zero(sym)
	}
	return &ir.VarRef{Var: v}
}

// zero is what one reads from an absent variable.
func (b *builder) zero(sym *symbol) *ir.Const {
	if d, ok := sym.decl.(*syntax.VarDecl); ok && sym.shape.kind == arrayShape {
		return &ir.Const{T: b.typ(d.Type)}
	}
	return &ir.Const{T: b.shapeType(sym.shape)}
}

func (b *builder) binary(e *syntax.BinaryExpr, want *ir.Type) ir.Expr {
	switch e.Op {
	case "and":
		return conjunction(b.logical(e.X), b.logical(e.Y), e.Pos)
	case "or":
		return disjunction(b.logical(e.X), b.logical(e.Y), e.Pos)
	case "=>":
		return implication(b.logical(e.X), b.logical(e.Y), e.Pos)
	case "in":
		return b.membership(e)
	}
	x, y := b.pair(e.X, e.Y, want)
	switch e.Op {
	case "=", "!=":
		x, y, _ = b.unify(x, y, e.Pos)
		return b.comparison(operators[e.Op], x, y, e.Pos)
	case "<", "<=":
		return b.comparison(operators[e.Op], x, y, e.Pos)
	case ">", ">=":
		return b.comparison(operators[e.Op], y, x, e.Pos)
	case "union", "minus":
		x, y, t := b.unify(x, y, e.Pos)
		return fold(&ir.Binary{Op: operators[e.Op], X: x, Y: y, T: t, Pos: e.Pos})
	}
	return arithmetic(operators[e.Op], x, y, e.Pos)
}

func (b *builder) comparison(op ir.Op, x, y ir.Expr, pos syntax.Pos) ir.Expr {
	c := compare(op, x, y, pos)
	b.noticed.compared(op, x.Type(), y.Type(), pos, ir.Stateful(c), b.mayBeUndefined(c))
	return c
}

// operators are the binary ones by how they are written, ">" and ">=" with the operands exchanged.
var operators = map[string]ir.Op{
	"=": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Lt, ">=": ir.Le, "union": ir.Union, "minus": ir.Minus,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "div": ir.Div, "mod": ir.Mod, "^": ir.Pow, "min": ir.Min, "max": ir.Max,
}

// functions are those of one integer.
var functions = map[string]ir.Op{"abs": ir.Abs, "log2ceil": ir.Log2Ceil, "sqrtceil": ir.SqrtCeil}

// pair resolves two operands, each of which may tell the other what is expected.
func (b *builder) pair(x, y syntax.Expr, want *ir.Type) (ir.Expr, ir.Expr) {
	if isFill(x) {
		ey := b.expr(y, want)
		return b.expr(x, ey.Type()), ey
	}
	ex := b.expr(x, want)
	return ex, b.expr(y, ex.Type())
}

// isFill reports whether e has no type of its own because all(e) has none.
func isFill(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.FillExpr:
		return true
	case *syntax.CondExpr:
		return isFill(e.Then) && isFill(e.Else)
	}
	return false
}

func (b *builder) membership(e *syntax.BinaryExpr) ir.Expr {
	x := b.expr(e.X, nil)
	var want *ir.Type
	if t, err := ir.SetType(x.Type()); err == nil {
		want = t
	}
	return fold(&ir.Binary{Op: ir.In, X: x, Y: b.expr(e.Y, want), T: ir.BoolType(), Pos: e.Pos})
}

func (b *builder) cond(e *syntax.CondExpr, want *ir.Type) ir.Expr {
	cond := b.logical(e.Cond)
	if v, ok := decided(cond); ok {
		if v {
			return b.expr(e.Then, want)
		}
		return b.expr(e.Else, want)
	}
	x, y := b.pair(e.Then, e.Else, want)
	x, y, t := b.unify(x, y, e.Pos)
	if t.Kind != ir.Set && t.Kind != ir.Array {
		t, _ = hull(x.Type(), y.Type())
	}
	return &ir.Cond{If: cond, Then: x, Else: y, T: t}
}

func (b *builder) call(e *syntax.CallExpr) ir.Expr {
	if sym := b.uses[e]; sym != nil {
		return b.apply(sym, e.Args, e.Pos)
	}
	x := b.expr(e.Args[0], nil)
	switch e.Name {
	case "min", "max":
		if len(e.Args) == 1 {
			return b.extreme(e, x)
		}
		for _, a := range e.Args[1:] {
			x = arithmetic(operators[e.Name], x, b.expr(a, nil), e.Pos)
		}
		return x
	case "abs", "log2ceil", "sqrtceil":
		return unary(functions[e.Name], x, e.Pos)
	case "neighbours":
		t, ok := b.setOf(ir.NodeType(b.protocol.N), e.Pos)
		if !ok {
			return &ir.Const{T: t}
		}
		return fold(&ir.Neighbours{Protocol: b.protocol, Process: b.toProcess(x, e.Args[0].ExprPos()), T: t})
	case "ports":
		return b.ports(e, x)
	case "opposite":
		return fold(&ir.Unary{Op: ir.Opposite, X: x, T: directions(b.file.Topology), Pos: e.Pos})
	case "size":
		if x.Type().Kind == ir.ChannelRef {
			return &ir.Length{Channel: x}
		}
		return fold(&ir.Unary{Op: ir.Card, X: x, T: sizes(x.Type()), Pos: e.Pos})
	}
	return b.stateFunction(e, x)
}

// ports resolves the set of what process x names its neighbours by.
func (b *builder) ports(e *syntax.CallExpr, x ir.Expr) ir.Expr {
	elem := directions(b.file.Topology)
	if b.protocol.Naming == ir.ByPort {
		elem = ir.IntType(1, 1)
		for p := range b.protocol.N {
			elem.Hi = max(elem.Hi, int64(len(b.protocol.Ports(p))))
		}
	}
	t, ok := b.setOf(elem, e.Pos)
	if !ok {
		return &ir.Const{T: t}
	}
	return fold(&ir.Neighbours{Protocol: b.protocol, Process: b.toProcess(x, e.Args[0].ExprPos()), Ports: true, T: t})
}

// sizes returns the type of the number of elements of a set.
func sizes(set *ir.Type) *ir.Type {
	if set.Wide {
		n, _ := set.Elem.Size()
		return ir.IntType(0, int64(n))
	}
	return ir.IntType(0, 63)
}

// extreme resolves min and max of a set.
func (b *builder) extreme(e *syntax.CallExpr, set ir.Expr) ir.Expr {
	op := ir.Least
	if e.Name == "max" {
		op = ir.Greatest
	}
	t := ir.IntType(0, 0)
	if set.Type().Kind == ir.Set {
		t = ir.IntType(set.Type().Elem.Lo, set.Type().Elem.Hi)
	}
	return fold(&ir.Unary{Op: op, X: set, T: t, Pos: e.Pos})
}

// setLit makes a set of just the type that its elements need; if that is too wide, of the expected one.
func (b *builder) setLit(e *syntax.SetLit, want *ir.Type) ir.Expr {
	var elems []ir.Expr
	elem := b.shapeType(b.shapes[e].elem)
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

// rangeSet makes the set of the integers in a range.
func (b *builder) rangeSet(e *syntax.RangeSet) ir.Expr {
	lo, hi := b.expr(e.Lo, nil), b.expr(e.Hi, nil)
	least := lo.Type().Lo
	t, ok := b.setOf(ir.IntType(least, max(least, hi.Type().Hi)), e.Pos)
	if !ok {
		return &ir.Const{T: t}
	}
	return fold(&ir.Interval{Lo: lo, Hi: hi, T: t, Pos: e.Pos})
}

func (b *builder) index(e *syntax.IndexExpr) ir.Expr {
	if n, ok := e.X.(*syntax.Name); ok {
		if sym := b.uses[n]; sym != nil && sym.kind == assignSymbol {
			return b.assignRef(sym, e)
		}
	}
	return fold(&ir.Index{X: b.expr(e.X, nil), I: b.expr(e.Index, nil), Pos: e.Pos})
}

func (b *builder) fill(e *syntax.FillExpr, want *ir.Type) ir.Expr {
	if want == nil || want.Kind != ir.Array {
		b.errs.Add(e.Pos, "the context does not say what array this is")
		return boolean(false)
	}
	if e.Binder != nil {
		return b.byRule(e, want)
	}
	return fold(&ir.Fill{Value: b.element(e, want), T: want})
}

// element resolves what the elements of an array of type t are.
func (b *builder) element(e *syntax.FillExpr, t *ir.Type) ir.Expr {
	return b.convert(b.expr(e.Value, t.Elem), t.Elem, "element of an array", e.Value.ExprPos())
}

// byRule resolves {i in D: e} to an array of type t, element by element.
func (b *builder) byRule(e *syntax.FillExpr, t *ir.Type) ir.Expr {
	q := &ir.Quantifier{}
	set := b.domain(q, e.Binder)
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	if !ok || !ok2 || set != nil || lo.Value != t.Index.Lo || hi.Value != t.Index.Hi {
		b.errs.Add(e.Binder.Name.Pos, "the array has an element for each of %s: write {%s in %s: …}", t.Index, q.Var.Name, t.Index)
		return &ir.Const{T: t, Value: t.Zero()}
	}
	value := b.element(e, t)
	var array ir.Expr = &ir.Const{T: t, Value: t.Zero()}
	for i := lo.Value; i <= hi.Value; i++ {
		one := ir.Substitute(value, q.Var, &ir.Const{T: q.Var.Type, Value: i})
		array = fold(&ir.Update{X: array, I: integer(i), Value: one, Pos: e.Pos})
	}
	return array
}
