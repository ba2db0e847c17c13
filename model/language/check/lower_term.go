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
	for _, d := range b.file.Defs {
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

// term resolves a term in the text of eq. Conditions on constants are decided.
func (b *builder) term(t syntax.Term, eq *ir.Equation) ir.Term {
	switch t := t.(type) {
	case *syntax.CrashTerm:
		return &ir.Prefix{Action: &ir.Crash{Pos: t.Pos}, Next: b.crashed(t.Pos).Start}
	case *syntax.CallTerm:
		return b.callTerm(t)
	case *syntax.PrefixTerm:
		p := &ir.Prefix{Action: b.action(t.Action), Next: b.next(t.Next, eq)}
		if r, ok := t.Action.(*syntax.Receive); ok {
			p.Next = b.stores(r.Then, p.Next)
		}
		return p
	case *syntax.DrawTerm:
		return b.draw(t, eq)
	case *syntax.LetTerm:
		return b.let(t, eq)
	case *syntax.IfTerm:
		cond := b.logical(t.Cond)
		if v, ok := decided(cond); ok {
			if v {
				return b.term(t.Then, eq)
			}
			return b.term(t.Else, eq)
		}
		return &ir.If{Cond: cond, Then: b.term(t.Then, eq), Else: b.term(t.Else, eq), Pos: syntax.Begin(t.Cond)}
	case *syntax.WhenTerm:
		if then := b.when(t, eq); then != nil {
			return then
		}
	case *syntax.ForTerm:
		return b.loop(t, eq)
	case *syntax.LoopEnd:
		return &ir.Again{Loop: b.inner}
	case *syntax.IgnoreTerm:
		return oneOf(b.ignore(t))
	case *syntax.ChoiceTerm:
		return b.choice(t, eq)
	}
	return b.stop(t, eq)
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

// loop resolves a loop.
func (b *builder) loop(t *syntax.ForTerm, eq *ir.Equation) ir.Term {
	l := &ir.Loop{Var: b.vars[b.uses[t.Binder.Name]], Pos: t.Pos}
	l.Lo, l.Hi, l.Set, _ = b.extent(t.Binder)
	if lo, ok := l.Lo.(*ir.Const); ok {
		if hi, ok := l.Hi.(*ir.Const); ok && lo.Value <= hi.Value && uint64(hi.Value)-uint64(lo.Value) >= ir.MaxDomain {
			b.errs.Add(t.Pos, "%d..%d has too many values to go through", lo.Value, hi.Value)
		}
	}
	if t.Where != nil {
		l.Where = b.logical(t.Where)
		if v, ok := decided(l.Where); ok && v {
			l.Where = nil
		}
	}
	b.loops = append(b.loops, l)
	outer := b.inner
	b.inner = l
	l.Body = b.next(t.Body, eq)
	b.inner = outer
	l.Then = b.next(t.Next, eq)
	return &ir.For{Loop: l}
}

// ignore resolves the alternatives that take a message away and leave the process where it is.
func (b *builder) ignore(t *syntax.IgnoreTerm) []ir.Term {
	var terms []ir.Term
	for _, id := range t.Messages {
		m := b.messages[b.uses[id]]
		terms = append(terms, &ir.Prefix{Action: &ir.Receive{Message: m, Patterns: make([]ir.Pattern, len(m.Fields)), Pos: id.Pos}})
	}
	return terms
}

// when resolves a guarded summand; it returns nil if there is none.
func (b *builder) when(t *syntax.WhenTerm, eq *ir.Equation) ir.Term {
	cond := b.logical(t.Cond)
	switch v, ok := decided(cond); {
	case !ok:
		return &ir.If{Cond: cond, Then: b.term(t.Then, eq), Else: &ir.Choice{}, Pos: syntax.Begin(t.Cond)}
	case v:
		return b.term(t.Then, eq)
	}
	return nil
}

// choice resolves a choice, from which guards on constants remove summands. A single one that is left stands
// for itself.
func (b *builder) choice(t *syntax.ChoiceTerm, eq *ir.Equation) ir.Term {
	var terms []ir.Term
	for _, summand := range t.Terms {
		switch summand := summand.(type) {
		case *syntax.WhenTerm:
			if then := b.when(summand, eq); then != nil {
				terms = append(terms, then)
			}
		case *syntax.IgnoreTerm:
			terms = append(terms, b.ignore(summand)...)
		default:
			terms = append(terms, b.term(summand, eq))
		}
	}
	if len(terms) == 0 {
		return b.stop(t, eq)
	}
	return oneOf(terms)
}

// oneOf returns the choice between terms, of which there is one at least.
func oneOf(terms []ir.Term) ir.Term {
	if len(terms) == 1 {
		return terms[0]
	}
	return &ir.Choice{Terms: terms}
}

func (b *builder) callTerm(t *syntax.CallTerm) ir.Term {
	call := &ir.Call{Equation: b.equation(b.uses[t]), Pos: t.Pos}
	for i, a := range t.Args {
		v := call.Equation.Params[i]
		call.Args = append(call.Args, b.argument(a, v.Type, "argument "+v.Name+" of "+t.Name))
	}
	if b.own.used {
		call.Args = append(call.Args, &ir.VarRef{Var: b.vars[b.self]})
	}
	b.calls = append(b.calls, call)
	return call
}

// argument resolves a value for a variable or field of type t; what names it. For an absent one it is not
// looked at.
func (b *builder) argument(e syntax.Expr, t *ir.Type, what string) ir.Expr {
	if t.Kind == ir.Absent {
		return &ir.Const{T: t}
	}
	return b.convert(b.expr(e, t), t, what, e.ExprPos())
}

func (b *builder) let(t *syntax.LetTerm, eq *ir.Equation) ir.Term {
	v := b.vars[b.uses[t.Name]]
	if v.Type.Kind == ir.Absent {
		return b.term(t.Next, eq)
	}
	value := b.argument(t.Value, v.Type, "value of "+v.Name)
	return &ir.Let{Var: v, Value: value, Then: b.term(t.Next, eq), Pos: t.Pos}
}
