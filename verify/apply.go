package verify

import (
	"slices"

	"ringcheck/model/language/ir"
)

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
