package ir

import (
	"iter"
	"reflect"
	"slices"

	"ringcheck/model/language/syntax"
)

// The methods parts return pointers to the operands of an expression, in the order of the text. An Apply's define is
// not one. Every Domain must implement a new expression.
func (*Const) parts() []*Expr           { return nil }
func (*VarRef) parts() []*Expr          { return nil }
func (*SharedVar) parts() []*Expr       { return nil }
func (e *Unary) parts() []*Expr         { return []*Expr{&e.X} }
func (e *Binary) parts() []*Expr        { return []*Expr{&e.X, &e.Y} }
func (e *Cond) parts() []*Expr          { return []*Expr{&e.If, &e.Then, &e.Else} }
func (e *Convert) parts() []*Expr       { return []*Expr{&e.X} }
func (e *AssignedValue) parts() []*Expr { return []*Expr{&e.Process} }
func (e *SetLit) parts() []*Expr        { return pointers(e.Elems) }
func (e *Interval) parts() []*Expr      { return []*Expr{&e.Lo, &e.Hi} }
func (e *Index) parts() []*Expr         { return []*Expr{&e.X, &e.I} }
func (e *Update) parts() []*Expr        { return []*Expr{&e.X, &e.I, &e.Value} }
func (e *Fill) parts() []*Expr          { return []*Expr{&e.Value} }
func (e *At) parts() []*Expr            { return []*Expr{&e.Process} }
func (e *BoundFor) parts() []*Expr      { return []*Expr{&e.Process} }
func (e *ProcessVar) parts() []*Expr    { return []*Expr{&e.Process} }
func (e *MessageIs) parts() []*Expr     { return []*Expr{&e.Of} }
func (e *MessageField) parts() []*Expr  { return []*Expr{&e.Of} }
func (e *Inbox) parts() []*Expr         { return []*Expr{&e.Process, &e.Source} }
func (e *Neighbour) parts() []*Expr     { return []*Expr{&e.Process, &e.Side} }
func (e *Neighbours) parts() []*Expr    { return []*Expr{&e.Process} }
func (e *Peer) parts() []*Expr          { return []*Expr{&e.Port} }
func (e *Length) parts() []*Expr        { return []*Expr{&e.Channel} }
func (e *Apply) parts() []*Expr         { return pointers(e.Args) }
func (e *Holds) parts() []*Expr         { return []*Expr{&e.X} }

func (e *Quantifier) parts() []*Expr {
	if e.Over != nil {
		return []*Expr{&e.Over, &e.Body}
	}
	return []*Expr{&e.Lo, &e.Hi, &e.Body}
}

func pointers(list []Expr) []*Expr {
	all := make([]*Expr, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// Children returns the operands of an expression.
func Children(e Expr) []Expr {
	parts := e.parts()
	list := make([]Expr, len(parts))
	for i, p := range parts {
		list[i] = *p
	}
	return list
}

// WithChildren returns a copy of e with other operands, in the order of Children.
func WithChildren(e Expr, parts []Expr) Expr {
	if len(parts) == 0 {
		return e
	}
	v := reflect.New(reflect.TypeOf(e).Elem())
	v.Elem().Set(reflect.ValueOf(e).Elem())
	switch c := v.Interface().(type) {
	case *SetLit:
		c.Elems = parts
		return c
	case *Apply:
		c.Args = parts
		return c
	case Expr:
		for i, p := range c.parts() {
			*p = parts[i]
		}
		return c
	}
	return e
}

// PosOf returns the position of an expression, the zero Pos if it has none.
func PosOf(e Expr) syntax.Pos {
	if pos := reflect.Indirect(reflect.ValueOf(e)).FieldByName("Pos"); pos.IsValid() {
		return pos.Interface().(syntax.Pos)
	}
	return syntax.Pos{}
}

// Substitute returns e with by in place of v, which is not bound in e. It returns e itself if v is not in it.
func Substitute(e Expr, v *Var, by Expr) Expr {
	if ref, ok := e.(*VarRef); ok && ref.Var == v {
		return by
	}
	return Map(e, func(p Expr) Expr { return Substitute(p, v, by) })
}

// Map returns e with what f returns for its operands in their place. It returns e itself if f returns all operands
// themselves.
func Map(e Expr, f func(Expr) Expr) Expr {
	var changed []Expr // the operands, nil as long as none has changed
	for i, p := range e.parts() {
		part := f(*p)
		if changed == nil && part != *p {
			changed = Children(e)
		}
		if changed != nil {
			changed[i] = part
		}
	}
	return WithChildren(e, changed)
}

// Walk calls visit for e unless it is nil and, if that returns true, walks its operands.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, p := range e.parts() {
		Walk(*p, visit)
	}
}

// Stateful reports whether the value of e depends on the state.
func Stateful(e Expr) bool {
	reads := false
	switch e := e.(type) {
	case *At, *BoundFor, *ProcessVar, *SharedVar, *MessageIs, *MessageField, *Length:
		reads = true
	case *Quantifier:
		reads = e.Over != nil
	case *Apply:
		reads = e.Define.stateful
	}
	return reads || slices.ContainsFunc(e.parts(), func(p *Expr) bool { return Stateful(*p) })
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

// Terms yields t and its subterms up to and including the prefixes: what a process at a point with term t decides
// before its next action. It does not enter called equations.
func Terms(t Term) iter.Seq[Term] {
	return func(yield func(Term) bool) { (&termWalk{yield: yield}).visit(t) }
}

// Terms yields the control points, each with every one of its Terms.
func (p *Protocol) Terms() iter.Seq2[*Point, Term] {
	return func(yield func(*Point, Term) bool) {
		for _, point := range p.Points {
			w := termWalk{yield: func(t Term) bool { return yield(point, t) }}
			if !w.visit(point.Term) {
				return
			}
		}
	}
}

// Beginnings yields Terms and, once each, the terms of the equations that are called before the next action.
func Beginnings(t Term) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		(&termWalk{yield: yield, called: make(map[*Equation]bool)}).visit(t)
	}
}

// A termWalk visits what a process may decide before its next action.
type termWalk struct {
	yield  func(Term) bool
	called map[*Equation]bool // the equations that were entered; nil if the walk enters none
	looped map[*Loop]bool     // the loops whose next value was looked for
}

// visit yields t and what can follow. It returns false if no more is wanted.
func (w *termWalk) visit(t Term) bool {
	if !w.yield(t) {
		return false
	}
	switch t := t.(type) {
	case *Prefix:
		return true
	case *For:
		return w.loop(t.Loop)
	case *LoopEnd:
		return w.loop(t.Loop)
	case *Call:
		if w.called == nil || w.called[t.Equation] {
			return true
		}
		w.called[t.Equation] = true
		return w.visit(t.Equation.Start.Term)
	}
	for _, s := range PartsOf(t).Terms {
		if !w.visit(s) {
			return false
		}
	}
	return true
}

// loop visits the body of a loop and what follows it, once.
func (w *termWalk) loop(l *Loop) bool {
	if w.looped[l] {
		return true
	}
	if w.looped == nil {
		w.looped = make(map[*Loop]bool)
	}
	w.looped[l] = true
	return w.visit(l.Body.Term) && w.visit(l.Then.Term)
}

// Arrivals yields p and the control points to which calls, loops and what a receive sets may lead from there. A process
// that arrives at p stays at one of those whose term is not Passing.
func Arrivals(p *Point) iter.Seq[*Point] {
	return func(yield func(*Point) bool) {
		seen := make(map[*Point]bool)
		var visit func(p *Point) bool
		visit = func(p *Point) bool {
			if seen[p] {
				return true
			}
			if seen[p] = true; !yield(p) {
				return false
			}
			switch t := p.Term.(type) {
			case *Call:
				return visit(t.Equation.Start)
			case *Store:
				return visit(t.Then)
			case *For:
				return visit(t.Body) && visit(t.Then)
			case *LoopEnd:
				return visit(t.Body) && visit(t.Then)
			}
			return true
		}
		visit(p)
	}
}

// TermParts are the parts of a term.
type TermParts struct {
	Exprs  []Expr   // what it evaluates; some may be nil
	Binds  []*Var   // the variables that it binds: in Bound, in Terms and after Points
	Bound  []Expr   // what it evaluates with them bound; some may be nil
	Terms  []Term   // what it can continue as without an action, except for calls and loops
	Points []*Point // where it can lead
}

// PartsOf returns the parts of a term. The variable of a loop is not bound where the loop is left.
func PartsOf(t Term) TermParts {
	switch t := t.(type) {
	case *Call:
		return TermParts{Exprs: t.Args}
	case *Let:
		return TermParts{Exprs: []Expr{t.Value}, Binds: []*Var{t.Var}, Terms: []Term{t.Then}}
	case *If:
		return TermParts{Exprs: []Expr{t.Cond}, Terms: []Term{t.Then, t.Else}}
	case *Choice:
		return TermParts{Terms: t.Terms}
	case *Draw:
		return TermParts{Exprs: []Expr{t.Among, t.Size}, Binds: []*Var{t.Var}, Terms: []Term{t.Then}}
	case *Store:
		return TermParts{Exprs: []Expr{t.Value}, Points: []*Point{t.Then}}
	case *For:
		return t.Loop.termParts(t.Body, t.Then)
	case *LoopEnd:
		return t.Loop.termParts()
	case *Prefix:
		p := actionParts(t.Action)
		if t.Next != nil {
			p.Points = []*Point{t.Next}
		}
		return p
	}
	return TermParts{}
}

func (l *Loop) termParts(points ...*Point) TermParts {
	return TermParts{Exprs: []Expr{l.Lo, l.Hi, l.Set}, Binds: []*Var{l.Var}, Bound: []Expr{l.Where}, Points: points}
}

func actionParts(a Action) (p TermParts) {
	switch a := a.(type) {
	case *Send:
		p.Exprs = append([]Expr{a.Target}, a.Args...)
	case *Emit:
		p.Exprs = a.Args
	case *Assign:
		p.Exprs = []Expr{a.Value}
	case *Receive:
		p.Bound = []Expr{a.Where}
		for _, q := range append([]Pattern{a.Source}, a.Patterns...) {
			p.Exprs = append(p.Exprs, q.Equal)
			if q.Bind != nil {
				p.Binds = append(p.Binds, q.Bind)
			}
		}
	case *Skip, *Crash: // they evaluate nothing
	}
	return p
}

// A Domain defines an abstract interpretation of expressions, whose values are for example intervals, the values in a
// rotated state, or expressions in which the binders are replaced by constants.
type Domain[V any] interface {
	// Node returns the value of an expression that is neither a Quantifier nor an Apply, given the values of its
	// Children. A VarRef passed to Node is free.
	Node(e Expr, parts Parts[V]) V
	// Quantifier returns the value of q. Domain holds the values of Over, or of Lo and Hi; body evaluates Body for a
	// value of the binder.
	Quantifier(q *Quantifier, domain []V, body func(binder V) V) V
	// Apply returns the value of e, given the values of the arguments; body evaluates the definition for values of its
	// parameters.
	Apply(e *Apply, args []V, body func(args []V) V) V
}

// A Memoizer is a Domain that remembers values of expressions. Memoize is called for every expression; bound returns
// the values of the variables that are bound around e, and value evaluates e.
type Memoizer[V any] interface {
	Memoize(e Expr, bound func(*Var) (V, bool), value func() V) V
}

// Abstract evaluates e in a domain.
func Abstract[V any](d Domain[V], e Expr) V {
	a := &abstraction[V]{domain: d, bound: make(map[*Var]V)}
	a.memoizer, _ = d.(Memoizer[V])
	return a.of(e)
}

type abstraction[V any] struct {
	domain   Domain[V]
	memoizer Memoizer[V] // nil if domain does not implement it
	bound    map[*Var]V
}

func (a *abstraction[V]) of(e Expr) V {
	if a.memoizer == nil {
		return a.value(e)
	}
	return a.memoizer.Memoize(e, a.lookup, func() V { return a.value(e) })
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

// Parts are the operands of an expression, evaluated on demand.
type Parts[V any] struct {
	in   *abstraction[V]
	list []Expr
}

// At returns the value of operand i.
func (p Parts[V]) At(i int) V { return p.in.of(p.list[i]) }

// All returns the values of all operands.
func (p Parts[V]) All() []V {
	values := make([]V, len(p.list))
	for i := range values {
		values[i] = p.At(i)
	}
	return values
}

// ExprsOf returns the expressions that a process evaluates at a term, not at the terms that Terms yields after it, and
// on all ways from its action, if it is one, to the control point where the process stays then; some of the expressions
// may be nil.
func ExprsOf(t Term) []Expr {
	all := exprsAt(t)
	prefix, acts := t.(*Prefix)
	if !acts || prefix.Next == nil {
		return all
	}
	for p := range Arrivals(prefix.Next) {
		if Passing(p.Term) {
			all = append(all, exprsAt(p.Term)...)
		}
	}
	return all
}

// exprsAt returns the expressions that are evaluated at a term; some may be nil.
func exprsAt(t Term) []Expr {
	p := PartsOf(t)
	return slices.Concat(p.Exprs, p.Bound)
}
