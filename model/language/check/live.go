package check

import (
	"ringcheck/model/language/ir"
)

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
	for _, next := range p.Points { // what is live where the process stays is so without this alternative
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

// handsOn reports whether an argument computes nothing from the variables: it is one, or reads none.
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
