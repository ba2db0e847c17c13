package check

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// expr lowers an expression. want is the type that the context expects, or nil. It determines the types of expressions
// without a type of their own, such as {} and all(e), but the result need not be within it. Temporal operators are
// lowered by formula.
func (b *builder) expr(e syntax.Expr, want *ir.Type) ir.Expr {
	switch e := e.(type) {
	case *syntax.IntLit:
		return integer(e.Value)
	case *syntax.BoolLit:
		return boolean(e.Value)
	case *syntax.Name:
		return b.name(e)
	case *syntax.UnaryExpr:
		if e.Op == "-" {
			return unary(ir.Neg, b.expr(e.X, nil), e.Pos)
		}
		return not(b.logical(e.X))
	case *syntax.BinaryExpr:
		return b.binary(e, want)
	case *syntax.CondExpr:
		return b.cond(e, want)
	case *syntax.CallExpr:
		return b.function(e)
	case *syntax.SetLit:
		return b.setLit(e, want)
	case *syntax.RangeSet:
		return b.rangeSet(e)
	case *syntax.IndexExpr:
		return b.index(e)
	case *syntax.UpdateExpr:
		return b.update(e, want)
	case *syntax.FillExpr:
		return b.fill(e, want)
	case *syntax.QuantExpr:
		if e.Op == "set" {
			return b.comprehension(e)
		}
		return b.quantifier(e, e.Binders)
	case *syntax.FieldExpr:
		return b.field(e)
	case *syntax.AtExpr, *syntax.CrashedExpr, *syntax.IsExpr:
		return b.ofState(e)
	}
	panic(fmt.Sprintf("check: %T cannot be lowered", e))
}

// name lowers a name.
func (b *builder) name(e *syntax.Name) ir.Expr {
	sym := symbolOf(e.Binding)
	if sym.kind == valueSymbol {
		t := b.shapeType(sym.shape)
		return &ir.Const{T: t, Value: int64(slices.Index(t.Names, e.Name))}
	}
	if sym.kind == defineSymbol {
		return b.apply(sym, nil, e.Pos)
	}
	if c := b.consts[sym]; c != nil && c.T.Wide { // the set that its value refers to is gone
		return b.expr(sym.decl.(*syntax.ConstDecl).Value, nil)
	} else if c != nil {
		return c
	}
	if kind := b.kindNamed(e); kind != nil {
		t, _ := b.setOf(ir.NodeType(b.protocol.N), e.Pos) // a wide one
		lo, hi := b.processesOf(kind)
		return &ir.Interval{Lo: lo, Hi: hi, T: t, Pos: e.Pos}
	}
	v := b.vars[sym]
	if v.Type.Kind == ir.Absent {
		return b.zero(sym)
	}
	if v.Kind == ir.Shared {
		b.collector.stateful = b.collector.stateful || b.ofProperties
		return &ir.SharedVar{Var: v, Pos: e.Pos}
	}
	return &ir.VarRef{Var: v}
}

// zero returns the value of an absent variable.
func (b *builder) zero(sym *symbol) *ir.Const {
	if d, ok := sym.decl.(*syntax.VarDecl); ok && sym.shape.kind == arrayShape {
		return &ir.Const{T: b.typ(d.Type)}
	}
	return &ir.Const{T: b.shapeType(sym.shape)}
}

// pair lowers two operands, each of which may determine the expected type of the other. It gives sets or arrays the
// same type.
func (b *builder) pair(x, y syntax.Expr, want *ir.Type, pos syntax.Pos) (ir.Expr, ir.Expr, *ir.Type) {
	if isFill(x) {
		ey := b.expr(y, want)
		return b.unify(b.expr(x, ey.Type()), ey, pos)
	}
	ex := b.expr(x, want)
	return b.unify(ex, b.expr(y, ex.Type()), pos)
}

// isFill reports whether e has no type of its own because all(e) has none.
func isFill(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.FillExpr:
		return true
	case *syntax.UpdateExpr:
		return isFill(e.X)
	case *syntax.CondExpr:
		return isFill(e.Then) && isFill(e.Else)
	}
	return false
}

// operators are the binary ones by how they are written, ">" and ">=" with the operands exchanged.
var operators = map[string]ir.Op{
	"=": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Lt, ">=": ir.Le, "union": ir.Union, "minus": ir.Minus,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "div": ir.Div, "mod": ir.Mod, "^": ir.Pow, "min": ir.Min, "max": ir.Max,
}

// connectives leave out operands that are decided.
var connectives = map[string]func(x, y ir.Expr, pos syntax.Pos) ir.Expr{
	"and": conjunction, "or": disjunction, "=>": implication,
}

// binary lowers a binary operator.
func (b *builder) binary(e *syntax.BinaryExpr, want *ir.Type) ir.Expr {
	if e.Op == "in" {
		return b.membership(e)
	}
	if join := connectives[e.Op]; join != nil {
		return join(b.logical(e.X), b.logical(e.Y), e.Pos)
	}
	op := operators[e.Op]
	x, y, t := b.pair(e.X, e.Y, want, e.Pos)
	switch e.Op {
	case ">", ">=":
		return b.comparison(op, y, x, e.Pos)
	case "<", "<=", "=", "!=":
		return b.comparison(op, x, y, e.Pos)
	case "union", "minus":
		return fold(&ir.Binary{Op: op, X: x, Y: y, T: t, Pos: e.Pos})
	}
	return arithmetic(op, x, y, e.Pos)
}

func (b *builder) comparison(op ir.Op, x, y ir.Expr, pos syntax.Pos) ir.Expr {
	c := compare(op, x, y, pos)
	b.collector.warnComparison(op, x.Type(), y.Type(), pos, ir.Stateful(c), b.mayBeUndefined(c))
	return c
}

// cond lowers a conditional: to the branch that is selected, if the condition is decided.
func (b *builder) cond(e *syntax.CondExpr, want *ir.Type) ir.Expr {
	cond := b.logical(e.Cond)
	if v, ok := decided(cond); ok {
		if v {
			return b.expr(e.Then, want)
		}
		return b.expr(e.Else, want)
	}
	x, y, t := b.pair(e.Then, e.Else, want, e.Pos)
	if t.Kind != ir.Set && t.Kind != ir.Array {
		t, _ = hull(x.Type(), y.Type())
	}
	return &ir.Cond{If: cond, Then: x, Else: y, T: t}
}

// logical lowers a boolean that is an operand of a connective, a condition or a whole property. It is false where it
// would be undefined.
func (b *builder) logical(e syntax.Expr) ir.Expr { return b.isDefined(b.expr(e, nil), e.ExprPos()) }

// isDefined returns a boolean that is false where x is undefined.
func (b *builder) isDefined(x ir.Expr, pos syntax.Pos) ir.Expr {
	if b.mayBeUndefined(x) {
		return &ir.Holds{X: x, Pos: pos}
	}
	return x
}

// mayBeUndefined reports whether the value of e can be undefined in some state.
func (b *builder) mayBeUndefined(e ir.Expr) bool {
	never := true
	switch e := e.(type) {
	case *ir.ProcessVar:
		never = e.Var.Lasting() && (e.Var.Of == nil || e.Required)
	case *ir.MessageField:
		never = false
	case *ir.Neighbour:
		never = e.Protocol.Topology.Ring
	case *ir.Apply:
		never = !b.undefined[e.Define]
	case *ir.Holds:
		return false
	}
	return !never || slices.ContainsFunc(ir.Children(e), b.mayBeUndefined)
}

// constant evaluates an expression that has a value before the run. If it fails, that is reported and some
// value is returned.
func (b *builder) constant(e syntax.Expr, want *ir.Type) *ir.Const {
	large := b.protocol.Large
	x := b.expr(e, want)
	b.protocol.Large = large // a wide set that exists only before the run does not count
	if c, ok := x.(*ir.Const); ok {
		return c
	}
	v := b.value(x, b.env())
	return &ir.Const{T: exactly(x.Type(), v), Value: v}
}

// value evaluates an expression before the run. If it fails, that is reported, and 0 is returned.
func (b *builder) value(e ir.Expr, env *ir.Env) int64 {
	v, err := e.Eval(env)
	if failed, ok := errors.AsType[*ir.Error](err); ok {
		b.errs.Add(failed.Pos, "%s", failed.Message)
	}
	return v
}

// env returns an environment for what is evaluated before the run.
func (b *builder) env() *ir.Env {
	env := b.protocol.NewEnv(nil)
	env.Sets = new(ir.Sets)
	return env
}

// argument lowers a value for a variable or field of type t; what names it. A value for an absent one is not lowered.
func (b *builder) argument(e syntax.Expr, t *ir.Type, what string) ir.Expr {
	if t.Kind == ir.Absent {
		return &ir.Const{T: t}
	}
	return b.convert(b.expr(e, t), t, what, e.ExprPos())
}
