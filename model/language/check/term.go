package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// equationDecl checks a process equation.
func (c *checker) equationDecl(d *syntax.EquationDecl) {
	if d.Name == "crash" {
		c.errs.Add(d.Pos, "crash is an action and cannot name an equation").Hint = "choose another name"
	}
	s := c.knowing(scope{context: codeContext, order: len(c.file.Order)})
	for _, id := range d.Params {
		sym := c.variable(id)
		if sym == nil {
			continue
		}
		c.ordinary(id.Pos, sym)
		if s.bound.has(sym) {
			c.errs.Add(id.Pos, "a second parameter %s", id.Name)
		}
		s = s.bind(sym)
	}
	c.within = c.equations[d.Name]
	c.term(s, d.Body)
	c.within = nil
}

// knowing returns s with the name self, unless the spec means something else by it.
func (c *checker) knowing(s scope) scope {
	named := func(enum *shape) bool { return slices.Contains(enum.names, c.own.name) }
	if c.values[c.own.name] != nil || slices.ContainsFunc(c.enums, named) {
		return s
	}
	return s.bind(c.own)
}

// variable resolves the name of a declared variable that is about to be bound.
func (c *checker) variable(id *syntax.Ident) *symbol {
	sym := c.values[id.Name]
	switch {
	case sym == nil && id.Name == c.own.name:
		c.errs.Add(id.Pos, "self is the number of the process and cannot be bound")
		return nil
	case sym == nil:
		names := c.values.names((*symbol).variable)
		c.unknown(id.Pos, syntax.Suggest(id.Name, names), "no variable %s is declared", id.Name)
		return nil
	case sym.kind != varSymbol:
		c.errs.Add(id.Pos, "%s is %s, not a variable", id.Name, sym.kind.a())
		return nil
	}
	sym.used, sym.set = true, true
	id.Binding = sym
	c.refer(id.Pos, sym)
	return sym
}

// resolve looks up a name that cannot be anything but a message, an event or an equation.
func (c *checker) resolve(in namespace, pos syntax.Pos, kind symbolKind, name string) *symbol {
	if sym := in[name]; sym != nil {
		c.refer(pos, sym)
		sym.used = sym.used || kind != equationSymbol // an equation is used if a used one calls it
		return sym
	}
	names := in.names(func(*symbol) bool { return true })
	if kind == equationSymbol && c.within != nil { // an event or stop can stand there, too
		names = append(names, append(c.events.names(func(*symbol) bool { return true }), "stop")...)
	}
	hint := syntax.Suggest(name, names)
	switch {
	case kind == equationSymbol && c.events[name] != nil:
		hint = "an event that ends a sequence is written " + name + "; stop"
	case kind == eventSymbol && c.equations[name] != nil:
		hint = "it is an equation; nothing can follow a call"
	}
	c.unknown(pos, hint, "unknown %s %s", kind, name)
	return nil
}

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

// term checks a term; s.bound holds what is bound on the way to it.
func (c *checker) term(s scope, t syntax.Term) {
	switch t := t.(type) {
	case *syntax.BadTerm, *syntax.Stop, *syntax.CrashTerm:
	case *syntax.CallTerm:
		c.callTerm(s, t)
	case *syntax.PrefixTerm:
		s.context, s.acted = codeContext, true
		c.term(c.action(s, t.Action), t.Next)
	case *syntax.DrawTerm:
		s.context = codeContext
		c.draw(s, t)
	case *syntax.LetTerm:
		c.let(s, t)
	case *syntax.IfTerm:
		c.expect(s, t.Cond, aBoolean, "condition")
		c.term(s, t.Then)
		c.term(s, t.Else)
	case *syntax.ForTerm:
		s.context = codeContext
		c.loop(s, t)
	case *syntax.LoopEnd:
		if !s.looping {
			c.errs.Add(t.Pos, "this end of a loop has no beginning")
		}
	case *syntax.WhenTerm:
		s.context = codeContext
		c.expect(s, t.Cond, aBoolean, "condition")
		c.term(s, t.Then)
	case *syntax.IgnoreTerm:
		c.ignore(t)
	case *syntax.ChoiceTerm:
		s.context = codeContext
		for _, summand := range t.Terms {
			c.term(s, summand)
		}
	default:
		c.errs.Add(t.TermPos(), "unknown term")
	}
}

func (c *checker) callTerm(s scope, t *syntax.CallTerm) {
	sym := c.resolve(c.equations, t.Pos, equationSymbol, t.Name)
	c.arguments(s, t.Pos, sym, t.Args)
	if t.Binding = sym; sym == nil {
		return
	}
	if by := c.within; by == nil {
		sym.used = true
	} else if by.calls = append(by.calls, sym); !s.acted {
		by.direct = append(by.direct, directCall{t, s.looped})
	}
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

// varShape returns the shape of a variable, nil if it has none, which is reported elsewhere.
func (c *checker) varShape(name string) *shape {
	if sym := c.values[name]; sym != nil && sym.kind == varSymbol {
		return sym.shape
	}
	return nil
}

func (c *checker) let(s scope, t *syntax.LetTerm) {
	sym := c.variable(t.Name)
	if sym == nil {
		c.expr(s, t.Value, nil)
		c.term(s, t.Next)
		return
	}
	if sym.lasting() {
		s.context = codeContext // it is set by the action that follows
	}
	value := s
	value.ghost = sym.varKind() == "ghost"
	c.expect(value, t.Value, sym.shape, "value of "+sym.name)
	if !sym.lasting() {
		s = s.bind(sym)
	}
	c.term(s, t.Next)
}

// let lowers a let; one of an absent variable is left out.
func (b *builder) let(t *syntax.LetTerm, eq *ir.Equation) ir.Term {
	v := b.vars[symbolOf(t.Name.Binding)]
	if v.Type.Kind == ir.Absent {
		return b.term(t.Next, eq)
	}
	value := b.argument(t.Value, v.Type, "value of "+v.Name)
	return &ir.Let{Var: v, Value: value, Then: b.term(t.Next, eq), Pos: t.Pos}
}

// argument resolves a value for a variable or field of type t; what names it. For an absent one it is not
// looked at.
func (b *builder) argument(e syntax.Expr, t *ir.Type, what string) ir.Expr {
	if t.Kind == ir.Absent {
		return &ir.Const{T: t}
	}
	return b.convert(b.expr(e, t), t, what, e.ExprPos())
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

func (c *checker) ignore(t *syntax.IgnoreTerm) {
	c.needChannel(t.Pos, "ignore")
	for _, id := range t.Messages {
		if sym := c.resolve(c.messages, id.Pos, messageSymbol, id.Name); sym != nil {
			id.Binding = sym
			sym.received = true
		}
	}
}

// ordinary reports a register, ghost or timer that a binder binds: these always have a value.
func (c *checker) ordinary(pos syntax.Pos, sym *symbol) {
	if sym.lasting() {
		c.errs.Add(pos, "%s is a %s: it is set by let or := and cannot be bound", sym.name, sym.varKind())
	}
}

// loop checks a loop; its variable is known in the condition and in the body.
func (c *checker) loop(s scope, t *syntax.ForTerm) {
	id := t.Binder.Name
	sh := c.domain(s, t.Binder)
	inside := s
	if sym := c.variable(id); sym != nil {
		c.ordinary(id.Pos, sym)
		if !isBad(sh) && sh.kind != messageShape && !sameShape(sh, sym.shape) {
			c.errs.Add(id.Pos, "%s is %s, the domain holds %s", id.Name, sym.shape, sh.plural())
		}
		inside = s.bind(sym)
	}
	if !isBad(sh) && sh.kind == messageShape {
		c.errs.Add(t.Binder.Over.ExprPos(), "a loop ranges over a type, a range or a set")
	}
	c.condition(inside, t.Where)
	inside.looping = true
	c.term(inside, t.Body)
	s.acted, s.looped = s.acted || loopActs(t), true
	c.term(s, t.Next)
}

// forTerm lowers a loop; one that has no values is left out.
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
