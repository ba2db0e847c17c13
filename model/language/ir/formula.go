package ir

import (
	"ringcheck/model/language/syntax"
	"ringcheck/model/ltl"
)

// A Formula is one of linear temporal logic. X and Y are its operands, nil where the operator has none.
type Formula struct {
	Op      Operator
	X, Y    *Formula
	State   Expr   // of StateAtom: like Property.Body
	Event   *Event // of EventAtom
	Process Expr   // of EventAtom: the process, evaluated in the first state; nil for any process
	Pos     syntax.Pos
	// Bindings are the values of binders for which a quantifier over a temporal formula was written out to this part.
	Bindings []Binding
	// Quantifier is the quantifier that this formula writes out; nil for other formulas.
	Quantifier *TemporalQuantifier
}

// A TemporalQuantifier is a quantifier over a temporal formula: the conjunction of Body for all values of Var from Lo
// to Hi or, unless All is set, their disjunction.
type TemporalQuantifier struct {
	All    bool
	Var    *Var
	Lo, Hi int64
	Body   *Formula
}

// For returns the body for a value of the binder.
func (q *TemporalQuantifier) For(value int64) *Formula {
	one := q.Body.Substitute(q.Var, &Const{T: q.Var.Type, Value: value})
	one.Bindings = append([]Binding{{Var: q.Var, Value: value}}, one.Bindings...)
	return one
}

// A Binding is a binder with its value.
type Binding struct {
	Var   *Var
	Value int64
}

// An Operator is the root of a Formula.
type Operator int

// The operators.
const (
	StateAtom    Operator = iota // State holds in the first state
	EventAtom                    // the first step is Event, of Process
	TerminalAtom                 // the first state has no transitions
	Negation
	Conjunction
	Disjunction
	Implication
	Next
	Always
	Eventually
	Until    // Y holds at some time, and X holds until then
	Unless   // X holds until Y holds, or for ever
	Releases // Y holds up to and including the time when X holds, or for ever
)

// Temporal reports whether o is about more than the first state: it is Next or one after it.
func (o Operator) Temporal() bool { return o >= Next }

// Substitute returns f with by in place of v.
func (f *Formula) Substitute(v *Var, by Expr) *Formula {
	if f == nil {
		return nil
	}
	g := *f
	g.X, g.Y = f.X.Substitute(v, by), f.Y.Substitute(v, by)
	if f.State != nil {
		g.State = Substitute(f.State, v, by)
	}
	if f.Process != nil {
		g.Process = Substitute(f.Process, v, by)
	}
	if f.Quantifier != nil {
		of := *f.Quantifier
		of.Body = of.Body.Substitute(v, by)
		g.Quantifier = &of
	}
	return &g
}

// Walk calls visit for f and the formulas within it, unless f is nil.
func (f *Formula) Walk(visit func(*Formula)) {
	if f == nil {
		return
	}
	visit(f)
	f.X.Walk(visit)
	f.Y.Walk(visit)
}

// Propositional reports whether f has no temporal operator, so that a state and the next step decide it.
func (f *Formula) Propositional() bool {
	return f == nil || f.Op < Next && f.X.Propositional() && f.Y.Propositional()
}

// LTL translates f; atom translates each StateAtom that is not constant, each EventAtom and each TerminalAtom. An
// EventAtom whose process depends on the state becomes a disjunction over the n processes.
func (f *Formula) LTL(n int, atom func(*Formula) *ltl.Formula) *ltl.Formula {
	if f == nil {
		return nil
	}
	switch f.Op {
	case StateAtom:
		if c, ok := f.State.(*Const); ok {
			if c.Value != 0 {
				return ltl.True
			}
			return ltl.False
		}
		return atom(f)
	case EventAtom:
		return f.event(n, atom)
	case TerminalAtom:
		return atom(f)
	case Negation:
		return ltl.Not(f.X.LTL(n, atom))
	case Conjunction:
		return ltl.And(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	case Disjunction:
		return ltl.Or(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	case Implication:
		return ltl.Implies(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	case Next:
		return ltl.Next(f.X.LTL(n, atom))
	case Always:
		return ltl.Always(f.X.LTL(n, atom))
	case Eventually:
		return ltl.Eventually(f.X.LTL(n, atom))
	case Until:
		return ltl.Until(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	case Unless:
		return ltl.WeakUntil(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	case Releases:
		return ltl.Release(f.X.LTL(n, atom), f.Y.LTL(n, atom))
	}
	panic("ir: unknown operator of a formula")
}

// event implements LTL for an EventAtom.
func (f *Formula) event(n int, atom func(*Formula) *ltl.Formula) *ltl.Formula {
	if _, ok := f.Process.(*Const); ok || f.Process == nil {
		return atom(f)
	}
	var any []*ltl.Formula
	for p := range n {
		process := &Const{T: f.Process.Type(), Value: int64(p)}
		is := &Formula{Op: StateAtom, State: &Holds{X: &Binary{Op: Eq, X: f.Process, Y: process, T: BoolType()}}}
		happens := &Formula{Op: EventAtom, Event: f.Event, Process: process, Pos: f.Pos}
		any = append(any, ltl.And(atom(is), atom(happens)))
	}
	return ltl.Or(any...)
}
