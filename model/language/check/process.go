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
		if set, ok := b.action(a).(*ir.Assign); ok { // an absent variable is not set
			next = &ir.Point{ID: -1, Equation: next.Equation, Pos: a.Pos, Term: &ir.Store{Assign: set, Then: next}}
		}
	}
	return next
}

// A varSet is a set of variables, by their IDs.
type varSet []uint64

func (s varSet) has(v *ir.Var) bool { return s[v.ID/64]>>(v.ID%64)&1 != 0 }
func (s varSet) add(v *ir.Var)      { s[v.ID/64] |= 1 << (v.ID % 64) }
func (s varSet) remove(v *ir.Var)   { s[v.ID/64] &^= 1 << (v.ID % 64) }

// addAll adds the variables of t and reports whether there was a new one.
func (s varSet) addAll(t varSet) bool {
	grown := false
	for i, w := range t {
		grown = grown || w&^s[i] != 0
		s[i] |= w
	}
	return grown
}

// liveness finds the live variables of every control point: those that are used before they are bound again
// on some syntactic path. Handing a variable on to a parameter that is not live is no use; the argument is
// replaced by a constant. Computing with it is one, since that can fail: a counter that is never read still
// leaves its range, or grows for ever.
func (b *builder) liveness() {
	l := &liveness{vars: b.protocol.Vars, starts: map[*ir.Equation]varSet{}, loops: map[*ir.Loop]varSet{}}
	for _, loop := range b.loops {
		l.loops[loop] = l.none()
	}
	for _, eq := range b.protocol.Equations {
		l.starts[eq] = l.none()
	}
	for grown := true; grown; {
		grown = false
		for _, eq := range b.protocol.Equations {
			if l.starts[eq].addAll(l.point(eq.Start)) {
				grown = true
			}
		}
		for _, loop := range b.loops {
			s := l.loop(loop)
			s.add(loop.Var)
			if l.loops[loop].addAll(s) {
				grown = true
			}
		}
	}
	for _, p := range b.protocol.Points {
		l.point(p)
	}
	for _, s := range b.stops {
		l.point(s.Point)
	}
	for _, call := range b.calls {
		for i, v := range call.Equation.Params {
			if !l.starts[call.Equation].has(v) && handsOn(call.Args[i]) {
				call.Args[i] = &ir.Const{T: v.Type, Value: v.Type.Zero()}
			}
		}
	}
}

// A liveness is a backward analysis, to be repeated until the starts of the equations do not change.
type liveness struct {
	vars   []*ir.Var
	starts map[*ir.Equation]varSet
	loops  map[*ir.Loop]varSet // what is live at the end of the body
}

func (l *liveness) none() varSet { return make(varSet, (len(l.vars)+63)/64) }

// point returns the variables that are live at p, and notes them there.
func (l *liveness) point(p *ir.Point) varSet {
	s := l.term(p.Term)
	if p.Equation != nil && !ir.Passing(p.Term) {
		for _, v := range p.Equation.Kept {
			s.add(v)
		}
	}
	p.Live = p.Live[:0]
	for _, v := range l.vars {
		if s.has(v) || v.Lasting() {
			p.Live = append(p.Live, v)
		}
	}
	return s
}

func (l *liveness) term(t ir.Term) varSet {
	s := l.none()
	switch t := t.(type) {
	case *ir.Call:
		for i, a := range t.Args {
			if l.starts[t.Equation].has(t.Equation.Params[i]) || !handsOn(a) {
				s.use(a)
			}
		}
		return s
	case *ir.For:
		return l.loop(t.Loop)
	case *ir.Again:
		s.addAll(l.loops[t.Loop])
		return s
	}
	p := ir.PartsOf(t)
	for _, then := range p.Terms {
		s.addAll(l.term(then))
	}
	for _, next := range p.Points { // an alternative that stays at its point makes nothing more live
		s.addAll(l.point(next))
	}
	s.use(p.Bound...)
	for _, v := range p.Binds {
		s.remove(v)
	}
	s.use(p.Exprs...)
	return s
}

// loop returns what is live before the next value of a loop is found.
func (l *liveness) loop(loop *ir.Loop) varSet {
	s := l.point(loop.Body)
	s.use(loop.Where)
	s.remove(loop.Var)
	s.addAll(l.point(loop.Then))
	s.use(loop.Lo, loop.Hi, loop.Set)
	return s
}

// handsOn reports whether an argument only passes values on: it is a variable, or reads none.
func handsOn(arg ir.Expr) bool {
	if _, ok := arg.(*ir.VarRef); ok {
		return true
	}
	for range ir.FreeVars(arg) {
		return false
	}
	return true
}

// use adds the variables that expressions read, some of which may be nil.
func (s varSet) use(list ...ir.Expr) {
	for _, e := range list {
		for v := range ir.FreeVars(e) {
			if v.ID/64 < len(s) { // binders are no variables
				s.add(v)
			}
		}
	}
}
