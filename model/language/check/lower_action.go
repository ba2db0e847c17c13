package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// action lowers an action.
func (b *builder) action(a syntax.Action) ir.Action {
	switch a := a.(type) {
	case *syntax.Send:
		m := b.messages[symbolOf(a.Message.Binding)]
		args := b.arguments(a.Args, m.Fields, m.Name)
		return &ir.Send{Target: b.expr(a.Target, nil), Message: m, Args: args, Pos: a.Pos}
	case *syntax.Receive:
		return b.receive(a)
	case *syntax.EventAction:
		e := b.events[symbolOf(a.Binding)]
		return &ir.Emit{Event: e, Args: b.arguments(a.Args, e.Fields, e.Name), Pos: a.Pos}
	case *syntax.Assign:
		v := b.vars[symbolOf(a.Name.Binding)]
		if v.Type.Kind == ir.Absent {
			return &ir.Skip{Pos: a.Pos}
		}
		return &ir.Assign{Var: v, Value: b.argument(a.Value, v.Type, "value of "+v.Name), Pos: a.Pos}
	case *syntax.Skip:
		return &ir.Skip{Pos: a.Pos}
	}
	panic(fmt.Sprintf("check: %T cannot be lowered", a))
}

func (b *builder) arguments(args []syntax.Expr, fields []ir.Field, of string) []ir.Expr {
	var out []ir.Expr
	for i, a := range args {
		f := fields[i]
		out = append(out, b.argument(a, f.Type, "argument "+f.Name+" of "+of))
	}
	return out
}

// receive lowers a receive without the assignments that follow it, see stores.
func (b *builder) receive(a *syntax.Receive) *ir.Receive {
	r := &ir.Receive{Source: b.pattern(a.Source, nil, "source"), Pos: a.Pos}
	if a.Message != nil {
		r.Message = b.messages[symbolOf(a.Message.Binding)]
	}
	r.Where = b.where(a.Where)
	for i, p := range a.Patterns {
		f := r.Message.Fields[i]
		r.Patterns = append(r.Patterns, b.pattern(p, f.Type, "field "+f.Name+" of "+r.Message.Name))
	}
	return r
}

// pattern lowers a pattern for a field of type t, which what names; for a source t is nil.
func (b *builder) pattern(p syntax.Expr, t *ir.Type, what string) ir.Pattern {
	collection := t != nil && (t.Kind == ir.Set || t.Kind == ir.Array)
	if _, ok := p.(*syntax.Wildcard); ok {
		return ir.Pattern{}
	}
	if n, ok := p.(*syntax.Name); ok && n.Binds {
		v := b.vars[symbolOf(n.Binding)]
		if v.Type.Kind == ir.Absent {
			return ir.Pattern{}
		}
		if collection && !t.SubtypeOf(v.Type) {
			b.errs.Add(n.Pos, "%s is %s, but %s is %s", what, t, n.Name, v.Type)
		}
		return ir.Pattern{Bind: v}
	}
	if t != nil && t.Kind == ir.Absent {
		return ir.Pattern{}
	}
	x := b.expr(p, t)
	if collection {
		x = b.convert(x, t, what, p.ExprPos())
	}
	return ir.Pattern{Equal: x}
}

// stores lowers the assignments of a receive, which are made before the process arrives at next.
func (b *builder) stores(list []*syntax.Assign, next *ir.Point) *ir.Point {
	for _, a := range slices.Backward(list) {
		if set, ok := b.action(a).(*ir.Assign); ok { // an absent variable is not set
			next = &ir.Point{
				ID: -1, Equation: next.Equation, Pos: a.Pos,
				Term: &ir.Store{Var: set.Var, Value: set.Value, Then: next, Pos: set.Pos},
			}
		}
	}
	return next
}
