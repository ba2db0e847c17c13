package ir

import "iter"

// The expressions. A new one is to be known to Children and WithChildren, and to the domains of Abstract.
func (*Const) isExpr()        {}
func (*VarRef) isExpr()       {}
func (*Unary) isExpr()        {}
func (*Binary) isExpr()       {}
func (*Cond) isExpr()         {}
func (*Convert) isExpr()      {}
func (*Assigned) isExpr()     {}
func (*SetLit) isExpr()       {}
func (*Interval) isExpr()     {}
func (*Index) isExpr()        {}
func (*Update) isExpr()       {}
func (*Fill) isExpr()         {}
func (*Quantifier) isExpr()   {}
func (*At) isExpr()           {}
func (*ProcessVar) isExpr()   {}
func (*MessageIs) isExpr()    {}
func (*MessageField) isExpr() {}
func (*Inbox) isExpr()        {}
func (*Neighbour) isExpr()    {}
func (*Neighbours) isExpr()   {}
func (*Peer) isExpr()         {}
func (*Length) isExpr()       {}
func (*Apply) isExpr()        {}
func (*Holds) isExpr()        {}

// Children returns the parts of an expression, in the order of the text. An Apply's define is not a part.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Cond:
		return []Expr{e.If, e.Then, e.Else}
	case *Convert:
		return []Expr{e.X}
	case *Assigned:
		return []Expr{e.Process}
	case *SetLit:
		return e.Elems
	case *Interval:
		return []Expr{e.Lo, e.Hi}
	case *Index:
		return []Expr{e.X, e.I}
	case *Update:
		return []Expr{e.X, e.I, e.Value}
	case *Fill:
		return []Expr{e.Value}
	}
	return propertyChildren(e)
}

func propertyChildren(e Expr) []Expr {
	switch e := e.(type) {
	case *Quantifier:
		if e.Over != nil {
			return []Expr{e.Over, e.Body}
		}
		return []Expr{e.Lo, e.Hi, e.Body}
	case *At:
		return []Expr{e.Process}
	case *ProcessVar:
		return []Expr{e.Process}
	case *MessageIs:
		return []Expr{e.Of}
	case *MessageField:
		return []Expr{e.Of}
	case *Inbox:
		return []Expr{e.Process, e.Source}
	case *Neighbour:
		return []Expr{e.Process, e.Side}
	case *Neighbours:
		return []Expr{e.Process}
	case *Peer:
		return []Expr{e.Port}
	case *Length:
		return []Expr{e.Channel}
	case *Apply:
		return e.Args
	case *Holds:
		return []Expr{e.X}
	}
	return nil
}

// Walk calls visit for e and, if that returns true, for its parts. A nil expression has none.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, visit)
	}
}

// FreeVars yields the variables and binders that e refers to, once for each place where it does.
func FreeVars(e Expr) iter.Seq[*Var] {
	return func(yield func(*Var) bool) {
		more := true
		Walk(e, func(e Expr) bool {
			if ref, ok := e.(*VarRef); ok && more {
				more = yield(ref.Var)
			}
			return more
		})
	}
}

// Terms yields t and the terms in it that stand before the next action: what a process at a point with
// term t is about to decide. Prefixes are yielded, what follows them is not.
func Terms(t Term) iter.Seq[Term] {
	return func(yield func(Term) bool) { terms(t, yield) }
}

func terms(t Term, yield func(Term) bool) bool {
	if !yield(t) {
		return false
	}
	switch t := t.(type) {
	case *Draw:
		return terms(t.Then, yield)
	case *Let:
		return terms(t.Then, yield)
	case *If:
		return terms(t.Then, yield) && terms(t.Else, yield)
	case *For:
		return terms(t.Body.Term, yield) && terms(t.Then.Term, yield)
	case *Choice:
		for _, s := range t.Terms {
			if !terms(s, yield) {
				return false
			}
		}
	}
	return true
}

// A Domain is what an abstract evaluation computes with, in the place of numbers: intervals, say, or what becomes of a
// value when the state is rotated.
type Domain[V any] interface {
	// Node returns the value of an expression that is no Quantifier or Apply, given those of its Children. It is asked of a
	// VarRef only where that is not bound in the expression.
	Node(e Expr, parts []V) V
	// Quantifier returns the value of q. Domain holds the values of Over, or of Lo and Hi; body returns that of Body where
	// the binder has a value.
	Quantifier(q *Quantifier, domain []V, body func(binder V) V) V
	// Apply returns the value of e, given those of the arguments; body returns that of the definition for them.
	Apply(e *Apply, args []V, body func() V) V
}

// Abstract evaluates e in a domain.
func Abstract[V any](d Domain[V], e Expr) V {
	a := abstraction[V]{d, make(map[*Var]V)}
	return a.of(e)
}

// An abstraction is an abstract evaluation, with the values of binders.
type abstraction[V any] struct {
	domain Domain[V]
	bound  map[*Var]V
}

func (a *abstraction[V]) of(e Expr) V {
	switch e := e.(type) {
	case *VarRef:
		if v, ok := a.bound[e.Var]; ok {
			return v
		}
		return a.domain.Node(e, nil)
	case *Quantifier:
		parts := Children(e)
		return a.domain.Quantifier(e, a.all(parts[:len(parts)-1]), func(v V) V {
			a.bound[e.Var] = v
			return a.of(e.Body)
		})
	case *Apply:
		args := a.all(e.Args)
		return a.domain.Apply(e, args, func() V {
			for i, p := range e.Define.Params {
				a.bound[p] = args[i]
			}
			return a.of(e.Define.Body)
		})
	}
	return a.domain.Node(e, a.all(Children(e)))
}

func (a *abstraction[V]) all(list []Expr) []V {
	values := make([]V, len(list))
	for i, e := range list {
		values[i] = a.of(e)
	}
	return values
}
