package check

import (
	"slices"

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
