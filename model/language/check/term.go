package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// equationDecl checks a process equation.
func (c *checker) equationDecl(d *syntax.EquationDecl) {
	if d.Name == "crash" {
		c.errs.Add(d.Pos, "crash is what a process does that crashes").Hint = "choose another name"
	}
	s := c.knowing(scope{place: codePlace, order: len(c.file.Order)})
	for _, id := range d.Params {
		sym := c.variable(id)
		if sym == nil {
			continue
		}
		c.ordinary(id.Pos, sym)
		if s.bound.has(sym) {
			c.errs.Add(id.Pos, "a second parameter %s", id.Name)
		}
		s = s.with(sym)
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
	return s.with(c.own)
}

// variable resolves the name of a declared variable that is about to be bound.
func (c *checker) variable(id *syntax.Ident) *symbol {
	sym := c.values[id.Name]
	switch {
	case sym == nil && id.Name == c.own.name:
		c.errs.Add(id.Pos, "self is the number of the process and cannot be bound")
		return nil
	case sym == nil:
		names := c.values.names(func(sym *symbol) bool { return sym.kind == varSymbol })
		c.errs.Add(id.Pos, "no variable %s is declared", id.Name).Hint = syntax.Suggest(id.Name, names)
		return nil
	case sym.kind != varSymbol:
		c.errs.Add(id.Pos, "%s is %s, not a variable", id.Name, sym.kind.a())
		return nil
	}
	sym.used = true
	c.uses[id] = sym
	return sym
}

// resolve looks up a name that cannot be anything but a message, an event or an equation.
func (c *checker) resolve(in namespace, pos syntax.Pos, kind symbolKind, name string) *symbol {
	if sym := in[name]; sym != nil {
		sym.used = sym.used || kind != equationSymbol // of equations it matters who calls them
		return sym
	}
	names := in.names(func(*symbol) bool { return true })
	if kind == equationSymbol && c.within != nil { // where an event can stand, too, and stop
		names = append(names, append(c.events.names(func(*symbol) bool { return true }), "stop")...)
	}
	err := c.errs.Add(pos, "unknown %s %s", kind, name)
	err.Hint = syntax.Suggest(name, names)
	switch {
	case kind == equationSymbol && c.events[name] != nil:
		err.Hint = "an event that ends a sequence is written " + name + "; stop"
	case kind == eventSymbol && c.equations[name] != nil:
		err.Hint = "it is an equation; nothing can follow a call"
	}
	return nil
}

// term checks a term; s.bound holds what is bound on the way to it.
func (c *checker) term(s scope, t syntax.Term) {
	switch t := t.(type) {
	case *syntax.Stop, *syntax.CrashTerm:
	case *syntax.CallTerm:
		c.callTerm(s, t)
	case *syntax.PrefixTerm:
		s.place = codePlace
		c.term(c.action(s, t.Action), t.Next)
	case *syntax.DrawTerm:
		s.place = codePlace
		c.draw(s, t)
	case *syntax.LetTerm:
		c.let(s, t)
	case *syntax.IfTerm:
		c.expect(s, t.Cond, aBoolean, "condition")
		c.term(s, t.Then)
		c.term(s, t.Else)
	case *syntax.WhenTerm:
		s.place = codePlace
		c.expect(s, t.Cond, aBoolean, "condition")
		c.term(s, t.Then)
	case *syntax.ForTerm:
		s.place = codePlace
		c.loop(s, t)
	case *syntax.LoopEnd:
		if !s.looping {
			c.errs.Add(t.Pos, "a loop ends here that does not begin")
		}
	case *syntax.IgnoreTerm:
		c.needChannel(t.Pos, "ignore")
		for _, id := range t.Messages {
			if sym := c.resolve(c.messages, id.Pos, messageSymbol, id.Name); sym != nil {
				c.uses[id] = sym
				c.received[sym] = true
			}
		}
	case *syntax.ChoiceTerm:
		s.place = codePlace
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
	if sym == nil {
		return
	}
	c.uses[t] = sym
	if c.within != nil {
		c.within.calls = append(c.within.calls, sym)
	} else {
		sym.used = true
	}
}

// varShape returns the shape of a variable; if there is none, that has been or will be reported.
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
	value := s
	value.ghost = sym.varKind() == "ghost"
	c.expect(value, t.Value, sym.shape, "value of "+sym.name)
	if !sym.lasting() {
		s = s.with(sym)
	}
	c.term(s, t.Next)
}

// ordinary reports a variable that is to be bound but always has a value.
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
		if !isBad(sh) && sh.kind != messageShape && !same(sh, sym.shape) {
			c.errs.Add(id.Pos, "%s is %s, the domain holds %s", id.Name, sym.shape, sh.plural())
		}
		inside = s.with(sym)
	}
	if !isBad(sh) && sh.kind == messageShape {
		c.errs.Add(t.Binder.Over.ExprPos(), "a loop goes through a type, a range or a set")
	}
	if t.Where != nil {
		c.expect(inside, t.Where, aBoolean, "condition")
	}
	inside.looping = true
	c.term(inside, t.Body)
	c.term(s, t.Next)
}

func (c *checker) draw(s scope, t *syntax.DrawTerm) {
	sym := c.variable(t.Name)
	if sym == nil {
		sym = &symbol{kind: varSymbol, name: t.Name.Name, shape: &shape{}}
	}
	c.ordinary(t.Name.Pos, sym)
	c.lottery(s, t, sym)
	c.term(s.with(sym), t.Next)
}

// lottery checks what a draw draws from.
func (c *checker) lottery(s scope, t *syntax.DrawTerm, sym *symbol) {
	sh := sym.shape
	if sh == nil {
		sh = &shape{}
	}
	switch {
	case t.Choose && (t.With != nil || t.Weights != nil):
		c.errs.Add(t.Pos, "choose leaves the choice to the scheduler; probabilities need draw")
	case t.With != nil:
		if !same(sh, aBoolean) {
			c.errs.Add(t.Name.Pos, "only a boolean is drawn with a probability, %s is %s", sym.name, sh)
		}
	case t.Weights == nil && t.From == nil && t.Among == nil && sh.nat:
		c.errs.Add(t.Name.Pos, "%s has infinitely many values: draw %s in a range", sym.name, sym.name)
	}
	if t.With != nil {
		c.probability(t.With)
	}
	if t.From != nil {
		if from := c.typ(s, t.From); !same(from, sh) {
			c.errs.Add(t.From.TypePos(), "%s is %s, the range holds integers", sym.name, sh)
		}
	}
	if set, size, ok := subsets(t.Among); ok {
		if !isBad(sh) && sh.kind != setShape {
			c.errs.Add(t.Name.Pos, "%s is %s, subsets are sets", sym.name, sh)
		}
		c.expect(s, set, sh, "first argument of subsets")
		c.expect(s, size, anInteger, "second argument of subsets")
		return
	}
	if set, ok := permutations(t.Among); ok {
		elem := &shape{}
		if !isBad(sh) && sh.kind != arrayShape {
			c.errs.Add(t.Name.Pos, "%s is %s, permutations are arrays", sym.name, sh)
		} else if !isBad(sh) {
			elem = sh.elem
		}
		c.expect(s, set, &shape{kind: setShape, elem: elem}, "argument of permutations")
		return
	}
	if t.Among != nil {
		c.expect(s, t.Among, &shape{kind: setShape, elem: sh}, "values of "+sym.name)
	}
	for _, w := range t.Weights {
		c.expect(c.constants(), w.Value, sh, "value of "+sym.name)
		c.probability(w.Probability)
	}
}

// subsets returns the arguments of subsets(D, k), which can stand only in a draw.
func subsets(e syntax.Expr) (set, size syntax.Expr, ok bool) {
	if call, is := e.(*syntax.CallExpr); is && call.Name == "subsets" && len(call.Args) == 2 {
		return call.Args[0], call.Args[1], true
	}
	return nil, nil, false
}

// permutations returns the argument of permutations(D), which can stand only in a draw.
func permutations(e syntax.Expr) (set syntax.Expr, ok bool) {
	if call, is := e.(*syntax.CallExpr); is && call.Name == "permutations" && len(call.Args) == 1 {
		return call.Args[0], true
	}
	return nil, false
}

// probability checks a constant rational: like an integer expression, but a quotient may stand in it.
func (c *checker) probability(e syntax.Expr) {
	if b, ok := e.(*syntax.BinaryExpr); ok && slices.Contains([]string{"+", "-", "*", "/"}, b.Op) {
		c.probability(b.X)
		c.probability(b.Y)
		c.shapes[e] = anInteger
		return
	}
	if _, ok := e.(*syntax.DecimalLit); ok {
		return
	}
	c.expect(c.constants(), e, anInteger, "probability")
}
