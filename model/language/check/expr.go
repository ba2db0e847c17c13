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
	if sym.kind == defineSymbol {
		c.look(sym)
		c.arguments(s, e.Pos, sym, nil)
	}
	return sym.shape
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
	return &ir.VarRef{Var: v}
}

// zero returns the value of an absent variable.
func (b *builder) zero(sym *symbol) *ir.Const {
	if d, ok := sym.decl.(*syntax.VarDecl); ok && sym.shape.kind == arrayShape {
		return &ir.Const{T: b.typ(d.Type)}
	}
	return &ir.Const{T: b.shapeType(sym.shape)}
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

// operators are the binary ones by how they are written, ">" and ">=" with the operands exchanged.
var operators = map[string]ir.Op{
	"=": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Lt, ">=": ir.Le, "union": ir.Union, "minus": ir.Minus,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "div": ir.Div, "mod": ir.Mod, "^": ir.Pow, "min": ir.Min, "max": ir.Max,
}

// connectives leave out operands that are decided.
var connectives = map[string]func(x, y ir.Expr, pos syntax.Pos) ir.Expr{
	"and": conjunction, "or": disjunction, "=>": implication,
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
		never = e.Var.Lasting()
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
