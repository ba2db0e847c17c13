package syntax

import (
	"cmp"
	"fmt"
	"strings"
)

// choice reads sequences separated by "|".
func (p *parser) choice() Term {
	at := TermNode{p.peek().Pos}
	terms := series(p, "|", p.sequence)
	if len(terms) == 1 {
		return terms[0]
	}
	return &ChoiceTerm{at, terms}
}

// sequence reads a term without "|" outside parentheses. After an error it keeps the part before it.
func (p *parser) sequence() (t Term) {
	start := p.next
	if !p.recovering(func() { t = p.steps() }, func() { p.leaveSequence(start) }) {
		t = &BadTerm{TermNode{p.tokens[start].Pos}}
	}
	return t
}

// steps reads the first step of a sequence and what follows it.
func (p *parser) steps() Term {
	defer p.leave(p.enter())
	t := p.peek()
	at := TermNode{t.Pos}
	switch {
	case p.accept("stop"):
		return p.checkEnd(&Stop{at}, `"stop"`)
	case p.accept("draw"), p.accept("choose"):
		return p.draw(t)
	case p.accept("let"):
		l := &LetTerm{TermNode: at, Name: p.name("the name of a variable"), Value: p.exprAfter("=")}
		p.expect(";")
		l.Next = p.sequence()
		return l
	case p.accept("if"):
		return p.ifTerm(at)
	case p.accept("when"):
		return &WhenTerm{at, p.exprBefore(":"), p.sequence()}
	case p.accept("("):
		inner := p.choice()
		p.close(")", `"|" or ")"`, "")
		return p.checkEnd(inner, "a choice in parentheses")
	case p.is("for") && p.peekAt(1).kind == name:
		p.next++
		return p.loop(at)
	case p.is("ignore") && p.peekAt(1).kind == name && !p.peekAt(1).First:
		p.next++
		return p.checkEnd(&IgnoreTerm{at, p.names(",", "the name of a message")}, "ignore")
	}
	if a := p.action(); a != nil {
		return p.prefix(at, a)
	}
	if t.kind == name && !p.startsEquation() {
		return p.eventOrCall()
	}
	hint := ""
	if p.peekAt(1).is("=") && (!t.First || t.Pos.Column > 1) {
		hint = fmt.Sprintf("%s := … assigns a register, ghost or timer, let %[1]s = … binds a variable", t.Text)
	}
	p.unexpected("an action, a call, if, when, draw, choose, let, stop or (", hint)
	return nil
}

// checkEnd checks that nothing follows a term that can only end a sequence.
func (p *parser) checkEnd(t Term, what string) Term {
	if at := p.next; p.is(";") {
		p.recovering(func() { p.fail(p.peek().Pos, "", "%s ends a sequence, nothing can follow it", what) },
			func() { p.leaveSequence(at) })
	}
	return t
}

// prefix reads what follows an action.
func (p *parser) prefix(at TermNode, a Action) Term {
	return &PrefixTerm{at, a, p.following("an", "action")}
}

// following reads what follows an action or a loop: a semicolon and a term, or in the body of a loop its end.
func (p *parser) following(article, what string) Term {
	if p.looping && !p.is(";") {
		return p.loopEnd()
	}
	p.need(";", `";" after the `+what, article+" "+what+` that nothing follows is written "…; stop"`)
	return p.sequence()
}

func (p *parser) loopEnd() Term { return &LoopEnd{TermNode{p.peek().Pos}} }

// action reads an action that begins with a keyword or assigns a value; nil if no such action follows.
func (p *parser) action() Action {
	at := ActionNode{p.peek().Pos}
	switch {
	case p.accept("send"):
		return &Send{at, p.endpoint("send right M(…)"), p.name("the name of a message"), p.args()}
	case p.accept("recv"):
		return p.receive(at)
	case p.accept("skip"):
		return &Skip{at}
	case p.peek().kind == name && p.peekAt(1).is(":="):
		return p.assignment()
	}
	return nil
}

// eventOrCall reads NAME(args) at the end of a sequence, or NAME(args); T.
func (p *parser) eventOrCall() Term {
	id := p.name("")
	if t := p.peek(); t.kind == name && !t.First && !p.startsEquation() && !p.startsUnreserved() {
		// NAME NAME on one line can only be a misspelt keyword.
		words := Words(StepClause, OtherStep)
		hint := cmp.Or(DidYouMean(id.Name, words), "known: "+strings.Join(words, ", "))
		p.fail(id.Pos, hint, "expected an action or a call, found %q", id.Name)
	}
	switch {
	case p.is("["):
		p.unexpected(`":="`, fmt.Sprintf("%s := … assigns the variable of the process itself; for an element of an array: "+
			"%[1]s := %[1]s with [i] = …", id.Name))
	case p.is(".") && p.peekAt(1).kind == name && p.peekAt(2).is(":="):
		p.unexpected(`":="`, fmt.Sprintf("a process assigns only its own variables: %s := …", p.peekAt(1).Text))
	}
	args := p.args()
	if p.is(";") || p.looping {
		return p.prefix(TermNode{id.Pos}, &EventAction{ActionNode: ActionNode{id.Pos}, Name: id.Name, Args: args})
	}
	if id.Name == "crash" && args == nil {
		return &CrashTerm{TermNode{id.Pos}}
	}
	return &CallTerm{TermNode: TermNode{id.Pos}, Name: id.Name, Args: args}
}

// args reads arguments, if there are any.
func (p *parser) args() []Expr { return inParentheses(p, p.expr) }

func (p *parser) receive(at ActionNode) Action {
	a := &Receive{ActionNode: at, Source: p.endpoint("recv left M(…)")}
	if !p.accept("_") {
		a.Message, a.Patterns = p.name("the name of a message"), inParentheses(p, p.pattern)
	}
	a.Where = p.optional("where")
	if p.accept("then") {
		a.Then = series(p, ",", p.assignment)
	}
	return a
}

// endpoint reads the target or source of a message: _, a name, a number, a call or an expression in parentheses.
func (p *parser) endpoint(example string) Expr {
	pos := p.peek().Pos
	var e Expr
	switch t := p.peek(); {
	case p.accept("_"):
		e = &Wildcard{ExprNode{pos}}
	case p.accept("("):
		e = p.exprBefore(")")
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

// pattern reads the pattern for a field of a received message.
func (p *parser) pattern() Expr {
	if t := p.peek(); p.accept("_") {
		return &Wildcard{ExprNode{t.Pos}}
	}
	return p.expr()
}

// loop reads what follows "for".
func (p *parser) loop(at TermNode) Term {
	f := &ForTerm{TermNode: at, Binder: p.binder(), Where: p.optional("where")}
	p.expect(":")
	outer := p.looping
	p.looping = true
	if p.accept("(") {
		f.Body = p.choice()
		p.looping = outer
		p.close(")", `";", "|" or ")"`, "")
	} else {
		f.Body = p.single()
		p.looping = outer
	}
	f.Next = p.following("a", "loop")
	return f
}

// single reads the one action of a loop.
func (p *parser) single() Term {
	t := p.peek()
	a := p.action()
	switch {
	case a != nil:
	case t.kind == name:
		a = &EventAction{ActionNode: ActionNode{t.Pos}, Name: p.take().Text, Args: p.args()}
	default:
		p.unexpected("an action or (", "")
	}
	return &PrefixTerm{TermNode{t.Pos}, a, p.loopEnd()}
}

func (p *parser) assignment() *Assign {
	return &Assign{ActionNode{p.peek().Pos}, p.name("the name of a register"), p.exprAfter(":=")}
}

// draw reads what follows draw or choose.
func (p *parser) draw(t Token) Term {
	d := &DrawTerm{TermNode: TermNode{t.Pos}, Choose: t.Text == "choose", Name: p.name("the name of a variable")}
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

// weightsFollow reports whether the set after the next token is {1: 1/2, 2: 1/2} and not {1, 2}: whether a colon
// follows its first element.
func (p *parser) weightsFollow() bool { return p.withinNext(1, ",", ":") == ":" }

func (p *parser) weight() *Weight { return &Weight{p.exprBefore(":"), p.expr()} }

func (p *parser) ifTerm(at TermNode) Term {
	t := &IfTerm{TermNode: at, Cond: p.exprBefore("then"), Then: p.sequence()}
	p.close("else", `"else"`, `a branch without an alternative is written "when …: …"`)
	t.Else = p.sequence()
	return t
}
