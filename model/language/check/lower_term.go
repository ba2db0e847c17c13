package check

import (
	"fmt"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// term lowers a term in the text of eq, which is nil in a process declaration. A term that conditions on constants
// exclude is a stop.
func (b *builder) term(t syntax.Term, eq *ir.Equation) ir.Term {
	if term := b.alternative(t, eq); term != nil {
		return term
	}
	return b.stop(t, eq)
}

// alternative lowers a term as an alternative of a choice: to nil if conditions on constants exclude it.
func (b *builder) alternative(t syntax.Term, eq *ir.Equation) ir.Term {
	switch t := t.(type) {
	case *syntax.Stop:
		return b.stop(t, eq)
	case *syntax.CrashTerm:
		return &ir.Prefix{Action: &ir.Crash{Pos: t.Pos}, Next: b.crashEquation(t.Pos).Start}
	case *syntax.CallTerm:
		return b.call(t)
	case *syntax.PrefixTerm:
		return b.prefix(t, eq)
	case *syntax.DrawTerm:
		return b.draw(t, eq)
	case *syntax.LetTerm:
		return b.let(t, eq)
	case *syntax.IfTerm:
		return b.ifTerm(t, eq)
	case *syntax.ForTerm:
		return b.forTerm(t, eq)
	case *syntax.LoopEnd:
		return &ir.LoopEnd{Loop: b.inner}
	case *syntax.WhenTerm, *syntax.IgnoreTerm, *syntax.ChoiceTerm:
		return b.choice(t, eq)
	}
	panic(fmt.Sprintf("check: %T cannot be lowered", t))
}

// prefix lowers an action and what follows it, to nil if the action is never possible.
func (b *builder) prefix(t *syntax.PrefixTerm, eq *ir.Equation) ir.Term {
	r, receives := t.Action.(*syntax.Receive)
	if receives && b.isFalse(r.Where) {
		return nil
	}
	p := &ir.Prefix{Action: b.action(t.Action), Next: b.next(t.Next, eq)}
	if receives {
		p.Next = b.stores(r.Then, p.Next)
	}
	return p
}

// call lowers the call of an equation.
func (b *builder) call(t *syntax.CallTerm) *ir.Call {
	call := &ir.Call{Equation: b.equation(symbolOf(t.Binding)), Pos: t.Pos}
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

// let lowers a let. It leaves out a let of an absent variable.
func (b *builder) let(t *syntax.LetTerm, eq *ir.Equation) ir.Term {
	v := b.vars[symbolOf(t.Name.Binding)]
	if v.Type.Kind == ir.Absent {
		return b.term(t.Next, eq)
	}
	value := b.argument(t.Value, v.Type, "value of "+v.Name)
	return &ir.Let{Var: v, Value: value, Then: b.term(t.Next, eq), Pos: t.Pos}
}

// ifTerm lowers an if: to the branch that is selected, if the condition is decided.
func (b *builder) ifTerm(t *syntax.IfTerm, eq *ir.Equation) ir.Term {
	cond := b.logical(t.Cond)
	if v, ok := decided(cond); ok {
		if v {
			return b.term(t.Then, eq)
		}
		return b.term(t.Else, eq)
	}
	return &ir.If{Cond: cond, Then: b.term(t.Then, eq), Else: b.term(t.Else, eq), Pos: syntax.Begin(t.Cond)}
}

// choice lowers a choice, or a term that can be one of its summands and nothing else. Guards on constants remove
// summands; a single summand is the result itself. The result is nil if no summand is left.
func (b *builder) choice(t syntax.Term, eq *ir.Equation) ir.Term {
	summands := []syntax.Term{t}
	if c, ok := t.(*syntax.ChoiceTerm); ok {
		summands = c.Terms
	}
	var terms []ir.Term
	for _, summand := range summands {
		terms = append(terms, b.summands(summand, eq)...)
	}
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	}
	return &ir.Choice{Terms: terms}
}

// summands lowers the alternatives of a term. Alternatives of "ignore" remove a message and leave the process at its
// control point.
func (b *builder) summands(t syntax.Term, eq *ir.Equation) (terms []ir.Term) {
	switch t := t.(type) {
	case *syntax.WhenTerm:
		cond := b.logical(t.Cond)
		switch v, ok := decided(cond); {
		case !ok:
			then := b.term(t.Then, eq)
			return []ir.Term{&ir.If{Cond: cond, Then: then, Else: &ir.Choice{}, Pos: syntax.Begin(t.Cond)}}
		case !v:
			return nil
		}
		return []ir.Term{b.term(t.Then, eq)}
	case *syntax.IgnoreTerm:
		for _, id := range t.Messages {
			m := b.messages[symbolOf(id.Binding)]
			action := &ir.Receive{Message: m, Patterns: make([]ir.Pattern, len(m.Fields)), Pos: id.Pos}
			terms = append(terms, &ir.Prefix{Action: action})
		}
		return terms
	}
	if term := b.alternative(t, eq); term != nil {
		return []ir.Term{term}
	}
	return nil
}

// forTerm lowers a loop. A loop over nothing is left out.
func (b *builder) forTerm(t *syntax.ForTerm, eq *ir.Equation) ir.Term {
	l := &ir.Loop{Var: b.vars[symbolOf(t.Binder.Name.Binding)], Pos: t.Pos}
	l.Lo, l.Hi, l.Set, _ = b.extent(t.Binder)
	if isEmptyDomain(l.Lo, l.Hi, l.Set) || b.isFalse(t.Where) {
		return b.term(t.Next, eq)
	}
	return b.loop(t, l, eq)
}

// loop lowers a loop whose domain is known.
func (b *builder) loop(t *syntax.ForTerm, l *ir.Loop, eq *ir.Equation) ir.Term {
	if lo, hi, ok := fixed(l.Lo, l.Hi); ok && lo <= hi && uint64(hi)-uint64(lo) >= ir.MaxDomain {
		b.errs.Add(t.Pos, "%d..%d has too many values to iterate over", lo, hi)
	}
	l.Where = b.where(t.Where)
	b.loops = append(b.loops, l)
	outer := b.inner
	b.inner = l
	l.Body = b.next(t.Body, eq)
	b.inner = outer
	l.Then = b.next(t.Next, eq)
	return &ir.For{Loop: l}
}

// isFalse reports whether a condition, which may be nil, is decided to be false.
func (b *builder) isFalse(e syntax.Expr) bool {
	if e == nil {
		return false
	}
	v, ok := decided(b.logical(e))
	return ok && !v
}

// where lowers the condition of a loop or a receive, nil if it always holds.
func (b *builder) where(e syntax.Expr) ir.Expr {
	if e == nil {
		return nil
	}
	cond := b.logical(e)
	if v, ok := decided(cond); ok && v {
		return nil
	}
	return cond
}

// next lowers the term after an action, in the text of eq, to a control point. A call is passed through.
func (b *builder) next(t syntax.Term, eq *ir.Equation) *ir.Point {
	p := &ir.Point{ID: -1, Equation: eq, Kind: b.kind, Pos: t.TermPos()}
	at := len(b.protocol.Points)
	b.protocol.Points = append(b.protocol.Points, p)
	p.Term = b.term(t, eq)
	if ir.Passing(p.Term) {
		b.protocol.Points = append(b.protocol.Points[:at], b.protocol.Points[at+1:]...)
	}
	return p
}

// stop lowers a term in the text of eq to a stop.
func (b *builder) stop(t syntax.Term, eq *ir.Equation) *ir.Stop {
	s := &ir.Stop{}
	s.Point = &ir.Point{ID: -1, Equation: eq, Kind: b.kind, Term: s, Pos: t.TermPos()}
	b.stops = append(b.stops, s)
	return s
}
