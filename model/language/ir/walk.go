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
