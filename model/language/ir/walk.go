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

// A Domain is what an expression is evaluated in, in the place of numbers: intervals, say, or what becomes of a value when
// the state is rotated, or the expression for fixed values of its binders.
type Domain[V any] interface {
	// Node returns the value of an expression that is no Quantifier or Apply, given those of its Children. It is asked of a
	// VarRef only where that is not bound in the expression.
	Node(e Expr, parts Parts[V]) V
	// Quantifier returns the value of q. Domain holds the values of Over, or of Lo and Hi; body returns that of Body where
	// the binder has a value.
	Quantifier(q *Quantifier, domain []V, body func(binder V) V) V
	// Apply returns the value of e, given those of the arguments; body returns that of the definition where its parameters
	// have some values.
	Apply(e *Apply, args []V, body func(args []V) V) V
}

// A Recaller is a Domain that may have the value of an expression already. It is asked before any other; bound returns the
// values of the variables that are bound around e, and value evaluates it.
type Recaller[V any] interface {
	Recall(e Expr, bound func(*Var) (V, bool), value func() V) V
}

// Abstract evaluates e in a domain.
func Abstract[V any](d Domain[V], e Expr) V {
	a := &abstraction[V]{domain: d, bound: make(map[*Var]V)}
	a.recaller, _ = d.(Recaller[V])
	return a.of(e)
}

// An abstraction is an evaluation in a domain, with the values of binders.
type abstraction[V any] struct {
	domain   Domain[V]
	recaller Recaller[V] // nil if the domain is none
	bound    map[*Var]V
}

func (a *abstraction[V]) of(e Expr) V {
	if a.recaller == nil {
		return a.value(e)
	}
	return a.recaller.Recall(e, a.lookup, func() V { return a.value(e) })
}

func (a *abstraction[V]) lookup(v *Var) (V, bool) {
	value, ok := a.bound[v]
	return value, ok
}

func (a *abstraction[V]) value(e Expr) V {
	switch e := e.(type) {
	case *VarRef:
		if v, ok := a.bound[e.Var]; ok {
			return v
		}
	case *Quantifier:
		parts := Children(e)
		domain := Parts[V]{a, parts[:len(parts)-1]}.All()
		defer delete(a.bound, e.Var)
		return a.domain.Quantifier(e, domain, func(v V) V {
			a.bound[e.Var] = v
			return a.of(e.Body)
		})
	case *Apply:
		args := Parts[V]{a, e.Args}.All()
		return a.domain.Apply(e, args, func(args []V) V { return a.apply(e.Define, args) })
	}
	return a.domain.Node(e, Parts[V]{a, Children(e)})
}

func (a *abstraction[V]) apply(d *Define, args []V) V {
	for i, p := range d.Params {
		a.bound[p] = args[i]
		defer delete(a.bound, p)
	}
	return a.of(d.Body)
}

// Parts are the parts of an expression, which are evaluated when they are asked for.
type Parts[V any] struct {
	in   *abstraction[V]
	list []Expr
}

// At returns the value of part i.
func (p Parts[V]) At(i int) V { return p.in.of(p.list[i]) }

// All returns the values of all parts.
func (p Parts[V]) All() []V {
	values := make([]V, len(p.list))
	for i := range values {
		values[i] = p.At(i)
	}
	return values
}
