package syntax

// term writes a term on one line. A choice has no parentheses.
func (l *line) term(t Term) {
	c, ok := t.(*ChoiceTerm)
	if !ok {
		l.sequence(t)
		return
	}
	for i, t := range c.Terms {
		if i > 0 {
			l.write(" | ")
		}
		l.sequence(t)
	}
}

// sequence writes a term on one line. A choice has parentheses.
func (l *line) sequence(t Term) {
	if l.full() {
		return
	}
	switch t := t.(type) {
	case *ChoiceTerm:
		l.write("(")
		l.term(t)
		l.write(")")
	case *IfTerm:
		l.write("if ", t.Cond, " then ")
		l.sequence(t.Then)
		l.write(" else ")
		l.sequence(t.Else)
	case *WhenTerm:
		l.write("when ", t.Cond, ": ")
		l.sequence(t.Then)
	case *LoopEnd:
	default:
		if next := l.step(t); next != nil {
			l.write(" ")
			l.sequence(next)
		}
	}
}

// step writes the first step of a sequence, with its semicolon, and returns what follows; nil if the sequence
// ends with it.
func (l *line) step(t Term) (next Term) {
	switch t := t.(type) {
	case *Stop:
		l.write("stop")
	case *CrashTerm:
		l.write("crash")
	case *CallTerm:
		l.write(t.Name)
		l.arguments(t.Args)
	case *PrefixTerm:
		l.action(t.Action)
		next = t.Next
	case *DrawTerm:
		l.draw(t)
		next = t.Next
	case *IgnoreTerm:
		l.write("ignore ", idents(t.Messages, ", "))
	case *ForTerm:
		l.loop(t)
		next = t.Next
	case *LetTerm:
		l.write("let ", t.Name.Name, " = ", t.Value)
		next = t.Next
	}
	if _, ends := next.(*LoopEnd); ends {
		return nil
	}
	if next != nil {
		l.write(";")
	}
	return next
}

// loop writes a loop with its body, which has parentheses unless it is one action.
func (l *line) loop(t *ForTerm) {
	l.write("for ", binderString(t.Binder))
	if t.Where != nil {
		l.write(" where ", t.Where)
	}
	l.write(": ")
	if p, ok := t.Body.(*PrefixTerm); ok {
		if _, single := p.Next.(*LoopEnd); single {
			l.action(p.Action)
			return
		}
	}
	l.write("(")
	l.term(t.Body)
	l.write(")")
}

func (l *line) action(a Action) {
	switch a := a.(type) {
	case *Send:
		l.write("send ")
		l.endpoint(a.Target)
		l.write(" ", a.Message.Name)
		l.arguments(a.Args)
	case *Receive:
		l.write("recv ")
		l.endpoint(a.Source)
		if a.Message == nil {
			l.write(" _")
		} else {
			l.write(" ", a.Message.Name)
			l.arguments(a.Patterns)
		}
		if a.Where != nil {
			l.write(" where ", a.Where)
		}
		for i, set := range a.Then {
			if i == 0 {
				l.write(" then ")
			} else {
				l.write(", ")
			}
			l.action(set)
		}
	case *EventAction:
		l.write(a.Name)
		l.arguments(a.Args)
	case *Assign:
		l.write(a.Name.Name, " := ", a.Value)
	case *Skip:
		l.write("skip")
	}
}

// endpoint writes where a message goes to or comes from.
func (l *line) endpoint(e Expr) {
	switch e.(type) {
	case *Name, *CallExpr, *Wildcard, *IntLit:
		l.write(e)
	default:
		l.write("(", e, ")")
	}
}

func (l *line) arguments(list []Expr) {
	if len(list) > 0 {
		l.write("(")
		l.list(list, true)
		l.write(")")
	}
}

func (l *line) draw(t *DrawTerm) {
	if t.Choose {
		l.write("choose ", t.Name.Name)
	} else {
		l.write("draw ", t.Name.Name)
	}
	switch {
	case t.With != nil:
		l.write(" with ", t.With)
	case t.From != nil:
		l.write(" in ", typeString(t.From))
	case t.Among != nil:
		l.write(" in ")
		l.expr(t.Among, sumLevel, true)
	case t.Weights != nil:
		l.weights(t.Weights)
	}
}

func (l *line) weights(list []*Weight) {
	l.write(" in {")
	for i, w := range list {
		if i > 0 {
			l.write(", ")
		}
		l.expr(w.Value, 0, false)
		l.write(": ", w.Probability)
	}
	l.write("}")
}
