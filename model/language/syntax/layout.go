package syntax

import "strings"

const (
	// lineWidth is how long the lines of a canonical layout may be, if they can be broken.
	lineWidth = 120
	// indent is one step of indentation, and maxColumn the most there is of it.
	indent    = 4
	maxColumn = lineWidth - 40
)

// A layout is text that is broken into lines where it does not fit on one.
type layout struct{ strings.Builder }

func (l *layout) text(s string) { l.WriteString(s) }

func (l *layout) newline(column int) { l.WriteString("\n" + strings.Repeat(" ", column)) }

// fit returns what f writes, and whether it fits on a line from the column on.
func fit(column int, f func(*line)) (string, bool) {
	l := &line{limit: max(1, lineWidth-column)}
	f(l)
	return l.String(), !l.full()
}

// alternatives writes the terms of a choice below each other; the bars stand to the left of the column.
func (l *layout) alternatives(c *ChoiceTerm, column int) {
	for i, t := range c.Terms {
		if i > 0 {
			l.newline(column - 2)
			l.text("| ")
		}
		l.term(t, column)
	}
}

// term writes a sequence from the column on, with a line for each step if it does not fit on one.
func (l *layout) term(t Term, column int) {
	column = min(column, maxColumn)
	if s, ok := fit(column, func(f *line) { f.sequence(t) }); ok {
		l.text(s)
		return
	}
	switch t := t.(type) {
	case *ChoiceTerm:
		l.text("( ")
		l.alternatives(t, column+2)
		l.newline(column)
		l.text(")")
	case *IfTerm:
		l.ifTerm(t, column)
	case *WhenTerm:
		l.branch("when "+exprString(t.Cond, 0, true)+":", t.Then, column)
	default:
		var first line
		next := first.step(t)
		l.text(first.String())
		if next != nil {
			l.newline(column)
			l.term(next, column)
		}
	}
}

func (l *layout) ifTerm(t *IfTerm, column int) {
	l.branch("if "+exprString(t.Cond, 0, true)+" then", t.Then, column)
	l.newline(column)
	if next, ok := t.Else.(*IfTerm); ok {
		l.text("else ")
		l.term(next, column)
		return
	}
	l.branch("else", t.Else, column)
}

// branch writes a term behind its head or below it.
func (l *layout) branch(head string, t Term, column int) {
	l.text(head)
	if s, ok := fit(column+len(head)+1, func(f *line) { f.sequence(t) }); ok {
		l.text(" " + s)
		return
	}
	l.newline(column + indent)
	l.term(t, column+indent)
}

// expr writes an expression as line.expr does, broken at the connectives and quantifiers that do not fit.
func (l *layout) expr(e Expr, level int, tail bool, column int) {
	column = min(column, maxColumn)
	if s, ok := fit(column, func(f *line) { f.expr(e, level, tail) }); ok {
		l.text(s)
		return
	}
	if needsParentheses(e, level, tail) {
		l.text("(")
		l.bare(e, true, column+1)
		l.text(")")
		return
	}
	l.bare(e, tail, column)
}

// bare writes an expression that does not fit on a line, without parentheses around it.
func (l *layout) bare(e Expr, tail bool, column int) {
	if b, ok := e.(*BinaryExpr); ok && levels[b.Op] <= andLevel {
		x, y := operandLevels(b.Op)
		l.expr(b.X, x, false, column)
		l.newline(column)
		l.text(b.Op + " ")
		l.expr(b.Y, y, tail, column+len(b.Op)+1)
		return
	}
	if q, ok := e.(*QuantExpr); ok && q.Op != "set" {
		l.text(quantHead(q))
		l.newline(column + indent)
		l.expr(q.Body, 0, true, column+indent)
		return
	}
	var whole line
	whole.bare(e, tail)
	l.text(whole.String())
}
