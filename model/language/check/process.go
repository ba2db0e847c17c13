package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// processes resolves the process declaration and every equation that it leads to.
func (b *builder) processes() {
	b.protocol.Start.Term = b.begin()
	b.environment()
	for len(b.queue) > 0 {
		eq := b.queue[0]
		b.queue = b.queue[1:]
		start := b.equations[eq].Start
		start.Term = b.term(eq.decl.(*syntax.EquationDecl).Body, start.Equation)
	}
	b.number()
}

// equation returns the equation that sym stands for, to be resolved later.
func (b *builder) equation(sym *symbol) *ir.Equation {
	if eq := b.equations[sym]; eq != nil {
		return eq
	}
	d := sym.decl.(*syntax.EquationDecl)
	eq := &ir.Equation{Name: d.Name}
	for i, id := range d.Params {
		v := b.vars[b.uses[id]]
		eq.Params = append(eq.Params, v)
		if d.Kept[i] && v.Type.Kind != ir.Absent {
			eq.Kept = append(eq.Kept, v)
		}
	}
	if b.own.used {
		eq.Params = append(eq.Params, b.vars[b.self])
	}
	eq.Start = &ir.Point{Equation: eq, Start: true, Pos: d.Pos}
	b.equations[sym] = eq
	b.protocol.Points = append(b.protocol.Points, eq.Start)
	b.queue = append(b.queue, sym)
	return eq
}

// number puts equations and control points in the order of the text: first the points of the process
// declaration, then for each equation its start and the others.
func (b *builder) number() {
	for _, d := range syntax.All[*syntax.EquationDecl](b.file) {
		if eq := b.equations[b.info.equations[d.Name]]; eq != nil {
			eq.ID = len(b.protocol.Equations)
			b.protocol.Equations = append(b.protocol.Equations, eq)
		}
	}
	if crashed := b.protocol.Faults.Crashed; crashed != nil {
		crashed.ID = len(b.protocol.Equations)
		b.protocol.Equations = append(b.protocol.Equations, crashed)
		b.protocol.Points = append(b.protocol.Points, crashed.Start)
	}
	rows := make([][]*ir.Point, len(b.protocol.Equations)+1)
	for _, p := range b.protocol.Points {
		row := 0
		if p.Equation != nil {
			row = p.Equation.ID + 1
		}
		rows[row] = append(rows[row], p)
	}
	b.protocol.Points = nil
	for _, row := range rows {
		for _, p := range row {
			if s, ok := p.Term.(*ir.Stop); ok {
				s.Point = p
			}
			p.ID = len(b.protocol.Points)
			b.protocol.Points = append(b.protocol.Points, p)
		}
	}
}

// next resolves the term behind an action, in the text of eq, to a control point. A call is passed through.
func (b *builder) next(t syntax.Term, eq *ir.Equation) *ir.Point {
	p := &ir.Point{ID: -1, Equation: eq, Kind: b.kindOf(eq), Pos: t.TermPos()}
	at := len(b.protocol.Points)
	b.protocol.Points = append(b.protocol.Points, p)
	p.Term = b.term(t, eq)
	if ir.Passing(p.Term) {
		b.protocol.Points = append(b.protocol.Points[:at], b.protocol.Points[at+1:]...)
	}
	return p
}

// stop resolves a term in the text of eq that does nothing more.
func (b *builder) stop(t syntax.Term, eq *ir.Equation) *ir.Stop {
	s := &ir.Stop{}
	s.Point = &ir.Point{ID: -1, Equation: eq, Kind: b.kindOf(eq), Term: s, Pos: t.TermPos()}
	b.stops = append(b.stops, s)
	return s
}

// kindOf returns the kind of process whose declaration is resolved, nil for the text of an equation.
func (b *builder) kindOf(eq *ir.Equation) *ir.ProcessKind {
	if eq == nil {
		return b.kind
	}
	return nil
}

// stores resolves what a receive sets before the process arrives at next.
func (b *builder) stores(list []*syntax.Assign, next *ir.Point) *ir.Point {
	for _, a := range slices.Backward(list) {
		if set, ok := b.action(a).(*ir.Assign); ok { // else the variable is absent
			next = &ir.Point{ID: -1, Equation: next.Equation, Pos: a.Pos, Term: &ir.Store{Assign: set, Then: next}}
		}
	}
	return next
}
