package verify

import (
	"slices"

	"ringcheck/model/language/ir"
)

// Quantifier implements ir.Domain.
func (x *expander) Quantifier(q *ir.Quantifier, domain []part, body func(part) part) part {
	if q.Over != nil {
		return x.overMessages(q, domain[0], body)
	}
	lo, ok := domain[0].constant()
	hi, ok2 := domain[1].constant()
	if !ok || !ok2 || hi.Value >= lo.Value && uint64(hi.Value)-uint64(lo.Value) >= maxParts {
		x.fail()
		return part{expr: q}
	}
	var parts []part
	for v := lo.Value; v <= hi.Value && x.err == nil; v++ {
		p := body(constant(q.Var.Type, v))
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
func (x *expander) overMessages(q *ir.Quantifier, over part, expand func(part) part) part {
	link, ok := over.constant()
	if !ok {
		x.fail()
		return part{expr: q}
	}
	if link.Value < 0 {
		return part{expr: neutral(q)}
	}
	body := expand(part{expr: &ir.VarRef{Var: q.Var}, open: []*ir.Var{q.Var}})
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

// Apply implements ir.Domain: parameters are replaced by arguments.
func (x *expander) Apply(e *ir.Apply, args []part, body func([]part) part) part {
	return x.bind(e.Define.Params, args, nil, body)
}

// bind gives the parameters behind those that are bound their arguments.
func (x *expander) bind(params []*ir.Var, args, bound []part, body func([]part) part) part {
	if len(bound) == len(args) {
		return body(bound)
	}
	v, a := params[len(bound)], args[len(bound)]
	with := func(p part) part { return x.bind(params, args, append(slices.Clip(bound), p), body) }
	if c, ok := a.constant(); ok {
		return with(constant(v.Type, c.Value))
	}
	t := a.expr.Type()
	if n, ok := t.Size(); len(a.open) == 0 && ok && 2 <= n && n <= maxCases && t.Kind != ir.Set && t.Kind != ir.Array {
		return x.cases(a, slices.Collect(t.Values()), func(value int64) part { return with(constant(v.Type, value)) })
	}
	p := with(a)
	joined := join([]part{a, p})
	joined.expr = &strict{arg: a.expr, body: p.expr}
	return x.close(joined)
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
