package syntax

import (
	"math"
	"strconv"
	"strings"
)

const (
	// lineWidth is the maximum length of lines that can be broken.
	lineWidth = 120
	// indent is one level of indentation, and maxColumn the maximum indentation.
	indent    = 4
	maxColumn = lineWidth - 40
)

// A layout is text that is broken into lines where it is longer than one.
type layout struct {
	text []byte
	// flat means that newlines are written as spaces. Text longer than end bytes is discarded then: see group.
	flat bool
	end  int
}

// flat returns the output of f on one line.
func flat(f func(*layout)) string {
	l := &layout{flat: true, end: math.MaxInt}
	f(l)
	return string(l.text)
}

// exprString returns on one line what block writes.
func exprString(e Expr, level int, tail bool) string {
	return flat(func(l *layout) { l.expr(e, level, tail) })
}

// group runs f so that its newlines become spaces if its text then fits on the line from column on; otherwise the
// newlines remain.
func (l *layout) group(column int, f func()) {
	if l.flat {
		f()
		return
	}
	start := len(l.text)
	l.flat, l.end = true, start+max(1, lineWidth-column)
	f()
	if l.flat = false; len(l.text) > l.end {
		l.text = l.text[:start]
		f()
	}
}

// unbroken runs f so that its newlines become spaces, however long the line is.
func (l *layout) unbroken(f func()) {
	if !l.flat {
		l.flat, l.end = true, math.MaxInt
		defer func() { l.flat = false }()
	}
	f()
}

func (l *layout) full() bool { return l.flat && len(l.text) > l.end }

func (l *layout) newline(column int) {
	if l.flat {
		l.write(" ")
	} else {
		l.write("\n" + strings.Repeat(" ", column))
	}
}

// write appends strings and expressions. After each expression comes a string, or the end, that cannot be read as part
// of it.
func (l *layout) write(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			l.text = append(l.text, p...)
		case Expr:
			l.expr(p, 0, true)
		}
	}
}

// expr is block on one line.
func (l *layout) expr(e Expr, level int, tail bool) {
	l.unbroken(func() { l.block(e, level, tail, 0) })
}

// block writes e as an operand of an operator of the given level. It adds parentheses if e binds looser, or if the text
// after e would be read as part of it; tail says that there is no such text. Lines are broken at the connectives and
// quantifiers that do not fit from the column on.
func (l *layout) block(e Expr, level int, tail bool, column int) {
	if l.full() {
		return
	}
	column = min(column, maxColumn)
	l.group(column, func() {
		if needsParentheses(e, level, tail) {
			l.write("(")
			l.bare(e, true, column+1)
			l.write(")")
		} else {
			l.bare(e, tail, column)
		}
	})
}

func (l *layout) bare(e Expr, tail bool, column int) {
	switch e := e.(type) {
	case *BinaryExpr:
		if x, y := operandLevels(e.Op); levels[e.Op] <= andLevel {
			l.block(e.X, x, false, column)
			l.newline(column)
			l.write(e.Op, " ")
			l.block(e.Y, y, tail, column+len(e.Op)+1)
			return
		}
	case *QuantExpr:
		if e.Op != "set" {
			l.write(e.Op, " ", bindersString(e.Binders), ":")
			l.newline(column + indent)
			l.block(e.Body, 0, true, column+indent)
			return
		}
	}
	l.unbroken(func() { l.operator(e, tail) })
}

// operator writes an expression that is never broken.
func (l *layout) operator(e Expr, tail bool) {
	switch e := e.(type) {
	case *UnaryExpr:
		if e.Op == "-" {
			l.write("-")
			l.expr(e.X, negateLevel, tail)
			return
		}
		l.write(e.Op, " ")
		l.expr(e.X, notLevel, tail)
	case *BinaryExpr:
		x, y := operandLevels(e.Op)
		space := given(e.Op != "^" && e.Op != "/", " ")
		l.expr(e.X, x, false)
		l.write(space, e.Op, space)
		l.expr(e.Y, y, tail)
	case *CondExpr:
		l.write("if ", e.Cond, " then ", e.Then, " else ", e.Else)
	case *UpdateExpr:
		l.expr(e.X, updateLevel, false)
		l.write(" with [", e.Index, "] = ")
		l.expr(e.Value, sumLevel, tail)
	case *AtExpr:
		l.expr(e.X, updateLevel, false)
		l.write(" at ", e.Equation.Name)
	case *CrashedExpr:
		l.expr(e.X, updateLevel, false)
		l.write(" crashed")
	case *IsExpr:
		l.expr(e.X, updateLevel, false)
		l.write(" is ", e.Message.Name)
	case *HappensExpr:
		l.write(e.Event.Name, " happens")
		if e.At != nil {
			l.write(" at ")
			l.expr(e.At, updateLevel, tail)
		}
	default:
		l.operand(e)
	}
}

// operand writes a literal, a name, a call or a selection.
func (l *layout) operand(e Expr) {
	switch e := e.(type) {
	case *Ident:
		l.write(e.Name)
	case *Name:
		l.write(e.Name)
	case *Wildcard:
		l.write("_")
	case *IntLit:
		l.write(strconv.FormatInt(e.Value, 10))
	case *DecimalLit:
		l.write(e.Text)
	case *EndExpr:
		l.write("terminal")
	case *BoolLit:
		l.write(strconv.FormatBool(e.Value))
	case *SetLit:
		l.write("{")
		l.list(e.Elems, false)
		l.write("}")
	case *RangeSet:
		l.write("{", typeString(&RangeType{Lo: e.Lo, Hi: e.Hi}), "}")
	case *QuantExpr:
		l.write("{", bindersString(e.Binders), " where ", e.Body, "}")
	case *CallExpr:
		l.write(e.Name, "(")
		l.list(e.Args, true)
		l.write(")")
	case *IndexExpr:
		l.expr(e.X, postfixLevel, false)
		l.write("[", e.Index, "]")
	case *FillExpr:
		if e.Binder != nil {
			l.write("{", binderString(e.Binder), ": ", e.Value, "}")
		} else {
			l.write("all(", e.Value, ")")
		}
	case *FieldExpr:
		l.expr(e.X, postfixLevel, false)
		l.write(".", e.Name.Name)
	}
}

// list writes a comma-separated list.
func (l *layout) list(list []Expr, tail bool) {
	for i, e := range list {
		l.write(given(i > 0, ", "))
		l.expr(e, 0, tail)
	}
}

func bindersString(list []*Binder) string {
	parts := make([]string, len(list))
	for i, b := range list {
		parts[i] = binderString(b)
	}
	return strings.Join(parts, ", ")
}

func binderString(b *Binder) string {
	if b.Type != nil {
		return b.Name.Name + " in " + typeString(b.Type)
	}
	return b.Name.Name + " in " + exprString(b.Over, sumLevel, false)
}

// needsParentheses reports whether e has to stand in parentheses as an operand, as explained at layout.block.
func needsParentheses(e Expr, level int, tail bool) bool {
	// An operand that extends to the end of the expression is easy to misread after an operator.
	misread := level >= andLevel && level != notLevel
	switch e := e.(type) {
	case *CondExpr:
		return !tail || misread
	case *QuantExpr:
		return e.Op != "set" && (!tail || misread)
	}
	return exprLevel(e) < level
}

// exprLevel returns the level of precedence of e.
func exprLevel(e Expr) int {
	switch e := e.(type) {
	case *BinaryExpr:
		return levels[e.Op]
	case *UnaryExpr:
		if e.Op == "-" {
			return negateLevel
		}
		return notLevel
	case *AtExpr, *IsExpr, *CrashedExpr, *HappensExpr:
		return compareLevel
	case *UpdateExpr:
		return updateLevel
	}
	return postfixLevel
}

// operandLevels returns the least levels of precedence of the operands of a binary operator.
func operandLevels(op string) (x, y int) {
	level := levels[op]
	switch level {
	case implyLevel, untilLevel:
		return level + 1, level
	case compareLevel:
		return level + 1, level + 1
	case powerLevel:
		return level + 1, negateLevel
	default:
		return level, level + 1
	}
}

// alternatives writes the terms of a choice; on several lines, the bars stand to the left of the column.
func (l *layout) alternatives(c *ChoiceTerm, column int) {
	for i, t := range c.Terms {
		if i > 0 {
			l.newline(column - 2)
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
				l.newline(column)
			}
			l.write(")")
		case *IfTerm:
			l.branch("if "+exprString(t.Cond, 0, true)+" then", t.Then, column)
			l.newline(column)
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
				l.newline(column)
				l.term(next, column)
			}
		}
	})
}

// branch writes head and, on the same line or indented on the next ones, t.
func (l *layout) branch(head string, t Term, column int) {
	l.write(head)
	l.group(column+len(head), func() {
		l.newline(column + indent)
		l.term(t, column+indent)
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
