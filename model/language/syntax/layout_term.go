package syntax

// alternatives writes the terms of a choice; on several lines, the bars stand to the left of the column.
func (l *layout) alternatives(c *ChoiceTerm, column int) {
	for i, t := range c.Terms {
		if i > 0 {
			bar := l.author.wordBefore(t.TermPos())
			if !l.flat {
				for _, at := range []Pos{bar, t.TermPos()} {
					l.text = l.author.comments(l.text, column, at)
				}
			}
			l.newline(column-2, bar)
			l.write("| ")
		}
		l.term(t, column)
	}
}

// term writes a sequence from the column on, with a line for each step if it does not fit on one. A choice has
// parentheses.
func (l *layout) term(t Term, column int) {
	if l.full() {
		return
	}
	column = min(column, maxColumn)
	l.group(column, func() {
		switch t := t.(type) {
		case *ChoiceTerm:
			l.write("(", given(!l.flat, " "))
			l.alternatives(t, column+2)
			if !l.flat {
				l.newline(column, Pos{})
			}
			l.write(")")
		case *IfTerm:
			l.branch("if "+exprString(t.Cond, 0, true)+" then", t.Then, column)
			l.newline(column, l.author.wordBefore(t.Else.TermPos()))
			if next, ok := t.Else.(*IfTerm); ok {
				l.write("else ")
				l.term(next, column)
			} else {
				l.branch("else", t.Else, column)
			}
		case *WhenTerm:
			l.branch("when "+exprString(t.Cond, 0, true)+":", t.Then, column)
		default:
			if next := l.step(t); next != nil {
				l.fill(column, next.TermPos(), func() { l.term(next, column) })
			}
		}
	})
}

// branch writes head and, on the same line or indented on the next ones, t.
func (l *layout) branch(head string, t Term, column int) {
	l.write(head)
	l.group(column+len(head), func() {
		l.fill(column+indent, t.TermPos(), func() { l.term(t, column+indent) })
	})
}

// step writes the first step of a sequence, with its semicolon, and returns the rest; nil if the sequence ends with it.
func (l *layout) step(t Term) (next Term) {
	l.unbroken(func() {
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
	})
	if _, ends := next.(*LoopEnd); ends || next == nil {
		return nil
	}
	l.write(";")
	return next
}

// loop writes a loop with its body, which has parentheses unless it is one action.
func (l *layout) loop(t *ForTerm) {
	l.write(join("for", binderString(t.Binder), withWord("where", t.Where)), ": ")
	if p, ok := t.Body.(*PrefixTerm); ok {
		if _, single := p.Next.(*LoopEnd); single {
			l.action(p.Action)
			return
		}
	}
	if c, ok := t.Body.(*ChoiceTerm); ok {
		l.term(c, 0)
		return
	}
	l.write("(")
	l.term(t.Body, 0)
	l.write(")")
}

func (l *layout) action(a Action) {
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
			l.write(given(i == 0, " then"), given(i > 0, ","), " ")
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

// endpoint writes the target or source of a message.
func (l *layout) endpoint(e Expr) {
	switch e.(type) {
	case *Name, *CallExpr, *Wildcard, *IntLit:
		l.write(e)
	default:
		l.write("(", e, ")")
	}
}

func (l *layout) arguments(list []Expr) {
	if len(list) > 0 {
		l.write("(")
		l.list(list, true)
		l.write(")")
	}
}

func (l *layout) draw(t *DrawTerm) {
	l.write(given(t.Choose, "choose "), given(!t.Choose, "draw "), t.Name.Name)
	switch {
	case t.With != nil:
		l.write(" with ", t.With)
	case t.From != nil:
		l.write(" in ", typeString(t.From))
	case t.Among != nil:
		l.write(" in ")
		l.expr(t.Among, sumLevel, true)
	case t.Weights != nil:
		l.write(" in {")
		for i, w := range t.Weights {
			l.write(given(i > 0, ", "))
			l.expr(w.Value, 0, false)
			l.write(": ", w.Probability)
		}
		l.write("}")
	}
}
