package syntax

import "fmt"

// choice reads sequences with "|" between them.
func (p *parser) choice() Term {
	p.enter()
	defer p.leave(1)
	pos := p.peek().pos
	first := p.sequence()
	if !p.is("|") {
		return first
	}
	c := &ChoiceTerm{Pos: pos, Terms: []Term{first}}
	for p.accept("|") {
		c.Terms = append(c.Terms, p.sequence())
	}
	return c
}

// sequence reads a term without "|" outside parentheses.
func (p *parser) sequence() Term {
	p.enter()
	defer p.leave(1)
	t := p.peek()
	switch {
	case p.accept("stop"):
		return p.closed(&Stop{t.pos}, `"stop"`)
	case p.accept("draw"), p.accept("choose"):
		return p.draw(t)
	case p.accept("let"):
		return p.let(t.pos)
	case p.accept("if"):
		return p.ifTerm(t.pos)
	case p.accept("when"):
		cond := p.expr()
		p.expect(":")
		return &WhenTerm{t.pos, cond, p.sequence()}
	case p.accept("("):
		inner := p.choice()
		p.need(")", `"|" or ")"`, "")
		return p.closed(inner, "a choice in parentheses")
	case p.accept("send"):
		return p.prefix(t.pos, p.send(t.pos))
	case p.accept("recv"):
		return p.prefix(t.pos, p.receive(t.pos))
	case p.accept("skip"):
		return p.prefix(t.pos, &Skip{t.pos})
	case p.is("for") && p.peekAt(1).kind == name:
		p.next++
		return p.loop(t.pos)
	case p.is("ignore") && p.peekAt(1).kind == name && !p.peekAt(1).first:
		p.next++
		return p.closed(p.ignore(t.pos), "ignore")
	case t.kind == name && p.peekAt(1).is(":="):
		return p.prefix(t.pos, p.assignment(t.pos))
	case t.kind == name && !p.startsEquation():
		return p.eventOrCall()
	}
	hint := ""
	if p.peekAt(1).is("=") && (!t.first || t.pos.Column > 1) {
		hint = fmt.Sprintf("%s := … assigns a register, ghost or timer, let %s = … binds a variable", t.str, t.str)
	}
	p.unexpected("an action, a call, if, when, draw, choose, let, stop or (", hint)
	return nil
}

// closed checks that nothing follows a term that can only end a sequence.
func (p *parser) closed(t Term, what string) Term {
	if p.is(";") {
		p.fail(p.peek().pos, "", "%s ends a sequence, nothing can follow it", what)
	}
	return t
}

// prefix reads what follows an action.
func (p *parser) prefix(pos Pos, a Action) Term {
	if p.looping && !p.is(";") {
		return &PrefixTerm{pos, a, &LoopEnd{p.peek().pos}}
	}
	p.need(";", `";" after the action`, `an action that nothing follows is written "…; stop"`)
	return &PrefixTerm{pos, a, p.sequence()}
}

// eventOrCall reads NAME(args); T or, at the end of a sequence, NAME(args).
func (p *parser) eventOrCall() Term {
	id := p.name("")
	if t := p.peek(); t.kind == name && !t.first && !p.startsEquation() && !p.startsUnreserved() {
		// NAME NAME on one line can only be a keyword gone wrong.
		hint := Suggest(id.Name, []string{"send", "recv", "draw", "choose", "let", "when", "if"})
		p.fail(id.Pos, hint, "expected an action or a call, found %q", id.Name)
	}
	args := p.args()
	if p.is(";") || p.looping {
		return p.prefix(id.Pos, &EventAction{id.Pos, id.Name, args})
	}
	if id.Name == "crash" && args == nil {
		return &CrashTerm{id.Pos}
	}
	return &CallTerm{id.Pos, id.Name, args}
}

// args reads arguments, if there are any.
func (p *parser) args() []Expr { return inParentheses(p, p.expr) }

func (p *parser) send(pos Pos) Action {
	a := &Send{Pos: pos, Target: p.endpoint("send right M(…)")}
	a.Message = p.name("the name of a message")
	a.Args = p.args()
	return a
}

func (p *parser) receive(pos Pos) Action {
	a := &Receive{Pos: pos, Source: p.endpoint("recv left M(…)")}
	if !p.accept("_") {
		a.Message = p.name("the name of a message")
	}
	if a.Message != nil {
		a.Patterns = inParentheses(p, p.pattern)
	}
	if p.accept("where") {
		a.Where = p.expr()
	}
	if p.accept("then") {
		a.Then = append(a.Then, p.assignment(p.peek().pos))
		for p.accept(",") {
			a.Then = append(a.Then, p.assignment(p.peek().pos))
		}
	}
	return a
}

// endpoint reads where a message goes to or comes from: _, a name, a call or an expression in parentheses.
func (p *parser) endpoint(example string) Expr {
	pos := p.peek().pos
	var e Expr
	switch t := p.peek(); {
	case p.accept("_"):
		e = &Wildcard{pos}
	case p.accept("("):
		e = p.expr()
		p.expect(")")
	case t.kind == name:
		e = p.nameOrCall()
	case t.kind == integer:
		e = p.integer()
	default:
		p.unexpected("a direction or a process", "")
	}
	if p.peek().kind != name && !p.is("_") {
		p.fail(pos, "as in "+example, "expected a direction or a process, then the name of a message")
	}
	return e
}

// pattern reads what a received field has to be like.
func (p *parser) pattern() Expr {
	if t := p.peek(); p.accept("_") {
		return &Wildcard{t.pos}
	}
	return p.expr()
}

// loop reads what follows "for".
func (p *parser) loop(pos Pos) Term {
	f := &ForTerm{Pos: pos, Binder: p.binder()}
	if p.accept("where") {
		f.Where = p.expr()
	}
	p.expect(":")
	outer := p.looping
	p.looping = true
	if p.accept("(") {
		f.Body = p.choice()
		p.looping = outer
		p.need(")", `";", "|" or ")"`, "")
	} else {
		f.Body = p.single()
		p.looping = outer
	}
	if p.looping && !p.is(";") {
		f.Next = &LoopEnd{p.peek().pos}
		return f
	}
	p.need(";", `";" after the loop`, `a loop that nothing follows is written "…; stop"`)
	f.Next = p.sequence()
	return f
}

// single reads the one action of a loop.
func (p *parser) single() Term {
	t := p.peek()
	var a Action
	switch {
	case p.accept("send"):
		a = p.send(t.pos)
	case p.accept("recv"):
		a = p.receive(t.pos)
	case p.accept("skip"):
		a = &Skip{t.pos}
	case t.kind == name && p.peekAt(1).is(":="):
		a = p.assignment(t.pos)
	case t.kind == name:
		id := p.name("")
		a = &EventAction{id.Pos, id.Name, p.args()}
	default:
		p.unexpected("an action or (", "")
	}
	return &PrefixTerm{t.pos, a, &LoopEnd{p.peek().pos}}
}

func (p *parser) ignore(pos Pos) Term {
	return &IgnoreTerm{pos, p.names(",", "the name of a message")}
}

func (p *parser) assignment(pos Pos) *Assign {
	a := &Assign{Pos: pos, Name: p.name("the name of a register")}
	p.expect(":=")
	a.Value = p.expr()
	return a
}

// draw reads what follows draw or choose.
func (p *parser) draw(t token) Term {
	d := &DrawTerm{Pos: t.pos, Choose: t.str == "choose", Name: p.name("the name of a variable")}
	switch {
	case p.accept("with"):
		d.With = p.expr()
	case p.is("in") && p.peekAt(1).is("{") && p.weightsFollow():
		p.take()
		d.Weights = list(p, "{", "}", p.weight)
	case p.accept("in"):
		first := p.sum()
		if p.is("..") {
			d.From = p.rangeFrom(first)
		} else {
			d.Among = first
		}
	}
	p.need(";", `"in", "with" or ";"`, "")
	d.Next = p.sequence()
	return d
}

// weightsFollow reports whether a colon follows the first element of the braces behind the next token, which
// tells {1: 1/2, 2: 1/2} from {1, 2}.
func (p *parser) weightsFollow() bool { return p.withinNext(1, ",", ":") == ":" }

func (p *parser) weight() *Weight {
	w := &Weight{Value: p.expr()}
	p.expect(":")
	w.Probability = p.expr()
	return w
}

func (p *parser) let(pos Pos) Term {
	t := &LetTerm{Pos: pos, Name: p.name("the name of a variable")}
	p.expect("=")
	t.Value = p.expr()
	p.expect(";")
	t.Next = p.sequence()
	return t
}

func (p *parser) ifTerm(pos Pos) Term {
	t := &IfTerm{Pos: pos, Cond: p.expr()}
	p.expect("then")
	t.Then = p.sequence()
	p.need("else", `"else"`, `a branch without an alternative is written "when …: …"`)
	t.Else = p.sequence()
	return t
}
