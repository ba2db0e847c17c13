package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// assignmentOf returns the assignment of a symbol that is used at pos.
func (b *builder) assignmentOf(sym *symbol, pos syntax.Pos) *ir.Assignment {
	a := b.assigned[sym]
	if a == nil {
		a = b.assignment(sym.decl.(*syntax.AssignDecl), pos)
		b.assigned[sym] = a
	}
	return a
}

// assignment makes an assignment when it is first used, at pos.
func (b *builder) assignment(d *syntax.AssignDecl, pos syntax.Pos) *ir.Assignment {
	if !b.holds(d.If) {
		b.errs.Add(pos, "%s is not assigned with these options", d.Name)
		return &ir.Assignment{Values: b.shapeType(b.values[d.Name].shape)}
	}
	a := &ir.Assignment{Permutation: d.Permutation, Values: b.typ(d.Type)}
	if n, ok := a.Values.Size(); d.Permutation && (!ok || n != uint64(b.protocol.N)) {
		b.errs.Add(d.Type.TypePos(), "a permutation of %s for %d processes: there must be as many values",
			a.Values, b.protocol.N)
	}
	return a
}

// entered returns t with control points in the place of the terms that a process can begin with, once the conditions at
// the start are decided and the calls are resolved.
func (b *builder) entered(t ir.Term, pos syntax.Pos) ir.Term {
	switch t := t.(type) {
	case *ir.If:
		return &ir.If{Cond: t.Cond, Then: b.entered(t.Then, pos), Else: b.entered(t.Else, pos), Pos: t.Pos}
	case *ir.Let:
		return &ir.Let{Var: t.Var, Value: t.Value, Then: b.entered(t.Then, pos), Pos: t.Pos}
	case *ir.Call:
		return t
	}
	p := &ir.Point{Kind: b.kind, Term: t, Pos: pos}
	b.protocol.Points = append(b.protocol.Points, p)
	return &ir.Enter{Point: p}
}

// lasting resolves what registers, ghosts and timers begin with, and assignments that properties read.
func (b *builder) lasting() {
	number := &ir.VarRef{Var: b.vars[b.self]}
	for _, d := range syntax.All[*syntax.AssignDecl](b.file) {
		if v := b.vars[b.values[d.Name]]; v != nil {
			v.Init = &ir.Assigned{Assignment: b.assignmentOf(b.values[d.Name], d.Pos), Process: number}
		}
	}
	for _, d := range syntax.All[*syntax.VarDecl](b.file) {
		for _, id := range d.Names {
			v := b.vars[b.values[id.Name]]
			switch {
			case !v.Lasting():
			case d.Init != nil:
				v.Init = b.argument(d.Init, v.Type, "value of "+v.Name)
			case v.Kind == ir.Timer:
				v.Init = integer(0)
			default:
				a := &ir.Assignment{Values: v.Type}
				b.free = append(b.free, a)
				v.Init = &ir.Assigned{Assignment: a, Process: number}
			}
		}
	}
}

// initial places the values of assignments behind the variables and binders of the environment.
func (b *builder) initial() {
	s := &b.protocol.Start
	s.Number = b.vars[b.self]
	add := func(a *ir.Assignment) {
		a.Base = b.protocol.EnvSize + len(s.Assignments)*b.protocol.N
		s.Assignments = append(s.Assignments, a)
	}
	for _, d := range syntax.All[*syntax.AssignDecl](b.file) {
		if a := b.assigned[b.values[d.Name]]; a != nil {
			add(a)
		}
	}
	for _, a := range b.free {
		add(a)
	}
}
