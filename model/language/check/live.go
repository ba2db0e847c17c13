package check

import (
	"ringcheck/model/language/ir"
)

// A varSet is a set of variables, by their IDs.
type varSet []bool

// addAll adds the variables of t and reports whether there was a new one.
func (s varSet) addAll(t varSet) bool {
	grown := false
	for id, in := range t {
		grown = grown || in && !s[id]
		s[id] = s[id] || in
	}
	return grown
}

// liveness finds the live variables of every control point: variables that are used before they are bound again on some
// syntactic path. Passing a variable to a parameter that is not live does not use it; a constant replaces the argument.
// Computing with it does, since that can fail: a counter that is never read still leaves its range, or grows for ever.
func (b *builder) liveness() {
	l := &liveness{builder: b, vars: b.protocol.Vars, starts: map[*ir.Equation]varSet{}, loops: map[*ir.Loop]varSet{}}
	for _, loop := range b.loops {
		l.loops[loop] = l.newVarSet()
	}
	for _, eq := range b.protocol.Equations {
		l.starts[eq] = l.newVarSet()
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
			s[loop.Var.ID] = true
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
			if !l.starts[call.Equation][v.ID] && handsOn(call.Args[i]) {
				call.Args[i] = &ir.Const{T: v.Type, Value: v.Type.Zero()}
			}
		}
	}
}

// A liveness is a backward analysis, to be repeated until the starts of the equations do not change.
type liveness struct {
	*builder
	vars   []*ir.Var
	starts map[*ir.Equation]varSet
	loops  map[*ir.Loop]varSet // what is live at the end of the body
}

func (l *liveness) newVarSet() varSet { return make(varSet, len(l.vars)) }

// point returns the variables that are live at p, and notes them there.
func (l *liveness) point(p *ir.Point) varSet {
	s := l.term(p.Term)
	if p.Equation != nil && !ir.Passing(p.Term) {
		for _, v := range p.Equation.LiveParams {
			s[v.ID] = true
		}
	}
	p.Live = p.Live[:0]
	for _, v := range l.vars {
		if s[v.ID] || v.Lasting() && v.Kind != ir.Shared && (v.Of == nil || l.regions[v.Of].points[p]) {
			p.Live = append(p.Live, v)
		}
	}
	return s
}

func (l *liveness) term(t ir.Term) varSet {
	s := l.newVarSet()
	switch t := t.(type) {
	case *ir.Call:
		for i, a := range t.Args {
			if l.starts[t.Equation][t.Equation.Params[i].ID] || !handsOn(a) {
				s.use(a)
			}
		}
		return s
	case *ir.For:
		return l.loop(t.Loop)
	case *ir.LoopEnd:
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
		s[v.ID] = false
	}
	s.use(p.Exprs...)
	return s
}

// loop returns the variables that are live before the next value of a loop is found.
func (l *liveness) loop(loop *ir.Loop) varSet {
	s := l.point(loop.Body)
	s.use(loop.Where)
	s[loop.Var.ID] = false
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
			if v.ID < len(s) { // binders are no variables
				s[v.ID] = true
			}
		}
	}
}
