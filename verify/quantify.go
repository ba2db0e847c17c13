package verify

import (
	"slices"

	"ringcheck/model/language/ir"
)

// quantifier writes a quantifier out.
func (x *expander) quantifier(q *ir.Quantifier, s *scope) part {
	if q.Over != nil {
		return x.overMessages(q, s)
	}
	lo, ok := x.expand(q.Lo, s).constant()
	hi, ok2 := x.expand(q.Hi, s).constant()
	if !ok || !ok2 || hi.Value >= lo.Value && uint64(hi.Value)-uint64(lo.Value) >= maxParts {
		x.fail()
		return part{expr: q}
	}
	var parts []part
	for v := lo.Value; v <= hi.Value && x.err == nil; v++ {
		p := x.expand(q.Body, s.with(q.Var, part{expr: &ir.Const{T: q.Var.Type, Value: v}}))
		c, ok := p.constant()
		if !ok || q.Op == ir.Sum || q.Op == ir.Unite {
			parts = append(parts, p)
			continue
		}
		if (c.Value != 0) != (q.Op == ir.ForAll) {
			return p // decides
		}
	}
	return x.series(q, parts)
}

// series joins parts by the operator of a quantifier. It divides them in the middle again and again, since
// the middle of the processes is where the tree of slots divides.
func (x *expander) series(q *ir.Quantifier, parts []part) part {
	switch len(parts) {
	case 0:
		return part{expr: neutral(q)}
	case 1:
		return parts[0]
	}
	ops := map[ir.Quant]ir.Op{ir.ForAll: ir.Every, ir.Exists: ir.Some, ir.Unite: ir.Union, ir.Sum: ir.Add}
	middle := len(parts) / 2
	left, right := x.series(q, parts[:middle]), x.series(q, parts[middle:])
	return x.close(x.rebuild(&ir.Binary{Op: ops[q.Op], T: q.T, Pos: q.Pos}, []part{left, right}))
}

// neutral is the value of a quantifier over nothing.
func neutral(q *ir.Quantifier) *ir.Const {
	c := truth(q.Op == ir.ForAll)
	c.T = q.T
	return c
}

// overMessages keeps a quantifier over the messages of a channel, which must be a certain one.
func (x *expander) overMessages(q *ir.Quantifier, s *scope) part {
	link, ok := x.expand(q.Over, s).constant()
	if !ok {
		x.fail()
		return part{expr: q}
	}
	if link.Value < 0 {
		return part{expr: neutral(q)}
	}
	body := x.expand(q.Body, s.with(q.Var, part{expr: &ir.VarRef{Var: q.Var}, open: []*ir.Var{q.Var}}))
	if c, ok := body.constant(); ok && q.Op != ir.Sum && (c.Value != 0) == (q.Op == ir.ForAll) {
		return body
	}
	c := *q
	c.Over, c.Body = link, body.expr
	return part{
		expr: &c,
		open: slices.DeleteFunc(slices.Clone(body.open), func(v *ir.Var) bool { return v == q.Var }),
		uses: union(body.uses, []*term{x.slots[x.sys.SlotOfLink(int(link.Value))]}),
	}
}

// maxCases is how many values an argument may have for a definition to be expanded for each of them. It makes
// the body of one more process or channel the body of one less: where c is what process p says, "a message with
// bit c" depends on p and the channel, "a message with bit 0" on the channel alone.
const maxCases = 8

// apply replaces the parameters of a definition by arguments.
func (x *expander) apply(e *ir.Apply, s *scope) part {
	return x.bind(e, x.children(e, s), 0, nil)
}

// bind gives the parameters from i on their arguments, in the scope in which the others have theirs.
func (x *expander) bind(e *ir.Apply, args []part, i int, inner *scope) part {
	if i == len(args) {
		return x.expand(e.Define.Body, inner)
	}
	v, a := e.Define.Params[i], args[i]
	if c, ok := a.constant(); ok {
		return x.bind(e, args, i+1, inner.with(v, constant(v.Type, c.Value)))
	}
	t := a.expr.Type()
	if n, ok := t.Size(); len(a.open) == 0 && ok && 2 <= n && n <= maxCases && t.Kind != ir.Set && t.Kind != ir.Array {
		return x.cases(a, slices.Collect(t.Values()), func(value int64) part {
			return x.bind(e, args, i+1, inner.with(v, constant(v.Type, value)))
		})
	}
	body := x.bind(e, args, i+1, inner.with(v, a))
	p := join([]part{a, body})
	p.expr = &strict{arg: a.expr, body: body.expr}
	return x.close(p)
}

// cases returns what body is for the value of a, which is one of some.
func (x *expander) cases(a part, values []int64, body func(int64) part) part {
	if len(values) == 1 {
		return body(values[0])
	}
	is := x.close(x.rebuild(&ir.Binary{Op: ir.Eq, T: ir.BoolType()}, []part{a, constant(a.expr.Type(), values[0])}))
	here, rest := body(values[0]), x.cases(a, values[1:], body)
	return x.close(x.rebuild(&ir.Cond{T: here.expr.Type()}, []part{is, here, rest}))
}

func constant(t *ir.Type, value int64) part { return part{expr: &ir.Const{T: t, Value: value}} }

// A strict is the body of a definition for the argument arg: it has no value if arg has none, whether the
// body needs it or not.
type strict struct {
	ir.Foreign
	arg, body ir.Expr
}

// Type implements ir.Expr.
func (e *strict) Type() *ir.Type { return e.body.Type() }

// Eval implements ir.Expr.
func (e *strict) Eval(env *ir.Env) (int64, error) {
	if v, err := e.arg.Eval(env); err != nil {
		return v, err
	}
	return e.body.Eval(env)
}
