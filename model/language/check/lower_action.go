package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

func (b *builder) action(a syntax.Action) ir.Action {
	switch a := a.(type) {
	case *syntax.Send:
		m := b.messages[b.uses[a]]
		return &ir.Send{
			Target:  b.expr(a.Target, nil),
			Message: m,
			Args:    b.arguments(a.Args, m.Fields, m.Name),
			Pos:     a.Pos,
		}
	case *syntax.Receive:
		return b.receive(a)
	case *syntax.Assign:
		v := b.vars[b.uses[a.Name]]
		if v.Type.Kind == ir.Absent {
			return &ir.Skip{Pos: a.Pos}
		}
		return &ir.Assign{Var: v, Value: b.argument(a.Value, v.Type, "value of "+v.Name), Pos: a.Pos}
	case *syntax.EventAction:
		e := b.events[b.uses[a]]
		return &ir.Emit{Event: e, Args: b.arguments(a.Args, e.Fields, e.Name), Pos: a.Pos}
	}
	return &ir.Skip{Pos: a.ActionPos()}
}

func (b *builder) arguments(args []syntax.Expr, fields []ir.Field, of string) []ir.Expr {
	var out []ir.Expr
	for i, a := range args {
		f := fields[i]
		out = append(out, b.argument(a, f.Type, "argument "+f.Name+" of "+of))
	}
	return out
}

func (b *builder) receive(a *syntax.Receive) ir.Action {
	r := &ir.Receive{Source: b.pattern(a.Source, nil, "source"), Pos: a.Pos}
	m := b.messages[b.uses[a]]
	if a.Message != nil {
		r.Message = m
	}
	for i, p := range a.Patterns {
		f := m.Fields[i]
		r.Patterns = append(r.Patterns, b.pattern(p, f.Type, "field "+f.Name+" of "+m.Name))
	}
	if a.Where != nil {
		r.Where = b.logical(a.Where)
		if v, ok := decided(r.Where); ok && v {
			r.Where = nil
		}
	}
	return r
}

// pattern resolves a pattern for a field of type t; for a source t is nil.
func (b *builder) pattern(p syntax.Expr, t *ir.Type, what string) ir.Pattern {
	if _, ok := p.(*syntax.Wildcard); ok {
		return ir.Pattern{}
	}
	if n, ok := p.(*syntax.Name); ok && b.binds[n] != nil {
		v := b.vars[b.binds[n]]
		if v.Type.Kind == ir.Absent {
			return ir.Pattern{}
		}
		if t != nil && (t.Kind == ir.Set || t.Kind == ir.Array) && !t.Within(v.Type) {
			b.errs.Add(n.Pos, "%s is %s, but %s is %s", what, t, n.Name, v.Type)
		}
		return ir.Pattern{Bind: v}
	}
	if t != nil && t.Kind == ir.Absent {
		return ir.Pattern{}
	}
	x := b.expr(p, t)
	if t != nil && (t.Kind == ir.Set || t.Kind == ir.Array) {
		x = b.convert(x, t, what, p.ExprPos())
	}
	return ir.Pattern{Equal: x}
}
