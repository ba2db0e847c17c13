package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A region is the part of the text where the processes of some kinds may come.
type region struct {
	points map[*ir.Point]bool
	terms  []ir.Term
	seen   map[ir.Term]bool
}

// kindWith returns the kind of process with a name, nil for no name.
func (b *builder) kindWith(name *syntax.Ident) *ir.ProcessKind {
	if name == nil {
		return nil
	}
	i := slices.IndexFunc(b.protocol.Kinds, func(k *ir.ProcessKind) bool { return k.Name == name.Name })
	return b.protocol.Kinds[i]
}

// owners checks that only processes of its kind use a variable that one kind has. A variable that lasts is part of the
// state of its process wherever that is, so no process of another kind may come to the same control points.
func (b *builder) owners() {
	b.regions = make(map[*ir.ProcessKind]*region)
	for _, d := range syntax.All[*syntax.VarDecl](b.file) {
		kind := b.kindWith(d.Of)
		if kind == nil || len(b.errs) > 0 {
			continue
		}
		if b.regions[kind] == nil {
			b.regions[kind] = b.regionOf(func(k *ir.ProcessKind) bool { return k == kind })
		}
		others := b.regionOf(func(k *ir.ProcessKind) bool { return k != kind })
		for _, id := range d.Names {
			v := b.vars[b.values[id.Name]]
			if v.Type.Kind == ir.Absent {
				continue
			}
			b.checkUses(v, others)
			if v.Lasting() && len(b.errs) == 0 {
				b.checkShared(v, others, id.Pos)
			}
		}
	}
}

// checkUses reports the first use of a variable where processes of other kinds come.
func (b *builder) checkUses(v *ir.Var, others *region) {
	for _, t := range others.terms {
		if pos, uses := usesVar(t, v); uses {
			b.errs.Add(pos, "only %s has %s, and other processes may come here", v.Of.Name, v.Name)
			return
		}
	}
}

// checkShared reports a control point to which processes of its kind and others may come, of a variable that lasts.
func (b *builder) checkShared(v *ir.Var, others *region, pos syntax.Pos) {
	if b.protocol.Faults.Crashed != nil {
		b.errs.Add(pos, "%s of %s: a variable of one kind of process is not supported where processes crash", v.Name,
			v.Of.Name)
		return
	}
	for _, p := range b.protocol.Points {
		if !b.regions[v.Of].points[p] || !others.points[p] || ir.Passing(p.Term) {
			continue
		}
		b.errs.Add(p.Pos, "%s and other processes may come here, but only %s has %s", v.Of.Name, v.Of.Name, v.Name).
			Hint = "write an equation for " + v.Of.Name + " and one for the others"
		return
	}
}

// regionOf returns the region of the selected kinds.
func (b *builder) regionOf(selected func(*ir.ProcessKind) bool) *region {
	t := &region{points: make(map[*ir.Point]bool), seen: make(map[ir.Term]bool)}
	for _, kind := range b.protocol.Kinds {
		if begin := b.openings[kind]; begin != nil && selected(kind) {
			t.term(begin)
		}
	}
	return t
}

func (t *region) point(p *ir.Point) {
	if !t.points[p] {
		t.points[p] = true
		t.term(p.Term)
	}
}

func (t *region) term(u ir.Term) {
	if t.seen[u] {
		return
	}
	t.seen[u] = true
	t.terms = append(t.terms, u)
	switch u := u.(type) {
	case *ir.Call:
		t.point(u.Equation.Start)
	case *ir.Enter:
		t.point(u.Point)
	case *ir.Stop:
		t.points[u.Point] = true
	case *ir.LoopEnd:
		t.point(u.Body)
		t.point(u.Then)
	}
	parts := ir.PartsOf(u)
	for _, next := range parts.Terms {
		t.term(next)
	}
	for _, p := range parts.Points {
		t.point(p)
	}
}

// usesVar reports whether a term reads, binds or sets a variable, and where.
func usesVar(t ir.Term, v *ir.Var) (pos syntax.Pos, uses bool) {
	parts := ir.PartsOf(t)
	uses = slices.Contains(parts.Binds, v)
	for _, e := range slices.Concat(parts.Exprs, parts.Bound) {
		for read := range ir.FreeVars(e) {
			uses = uses || read == v
		}
	}
	switch t := t.(type) {
	case *ir.Prefix:
		a, assigns := t.Action.(*ir.Assign)
		return t.Action.Position(), uses || assigns && a.Var == v
	case *ir.Store:
		return t.Pos, uses || t.Var == v
	case *ir.Call:
		return t.Pos, uses
	case *ir.Let:
		return t.Pos, uses
	case *ir.Draw:
		return t.Pos, uses
	case *ir.If:
		return t.Pos, uses
	case *ir.For:
		return t.Pos, uses
	case *ir.LoopEnd:
		return t.Pos, uses
	}
	return pos, uses
}
