package syntax

import (
	"bytes"
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

// A layout is text that is broken into lines where the author broke it, or where it is longer than a line.
type layout struct {
	text []byte
	// flat means that newlines are written as spaces. Text longer than end bytes is discarded then: see group.
	flat bool
	end  int
	// author has the author's line breaks; nil: there are none.
	author *lineBreaks
	// broken means that a newline of flat text is one of the author's, so the text is discarded, too.
	broken bool
	// filled means that the author broke the current group, so that other newlines of it are needed only for width.
	filled bool
	// single means that all newlines are written as spaces, also the author's.
	single bool
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
	fits, broken := l.try(column, f)
	if fits {
		return
	}
	l.text = l.text[:start]
	defer func(filled bool) { l.filled = filled }(l.filled)
	l.filled = broken
	f()
}

// try writes the text of f without newlines, from the column on. It reports whether the text fits on the line and,
// if it does not, whether it fits up to the author's first line break.
func (l *layout) try(column int, f func()) (fits, broken bool) {
	l.flat, l.broken, l.end = true, false, len(l.text)+max(1, lineWidth-column)
	f()
	l.flat = false
	tooLong := len(l.text) > l.end
	return !tooLong && !l.broken, !tooLong && l.broken
}

// unbroken runs f so that its newlines become spaces, however long the line is.
func (l *layout) unbroken(f func()) {
	if !l.flat {
		l.flat, l.broken, l.end = true, false, math.MaxInt
		defer func() { l.flat = false }()
	}
	defer func(single bool) { l.single = single }(l.single)
	l.single = true
	f()
}

func (l *layout) full() bool { return l.flat && (l.broken || len(l.text) > l.end) }

// newline begins a line with the token at a position, which may be in parentheses; the zero Pos if it is not known.
func (l *layout) newline(column int, at Pos) {
	switch {
	case l.full():
	case !l.flat:
		l.text = l.author.comments(l.text, column, at)
		l.text = append(l.text, "\n"+strings.Repeat(" ", column)...)
	default:
		l.broken = l.broken || !l.single && l.author.begins(at)
		l.text = append(l.text, ' ')
	}
}

// fill writes rest, which begins with the token at a position, after a newline or, if the author broke the group but
// not here, after a space if rest fits on the line, at least up to the author's next line break.
func (l *layout) fill(column int, at Pos, rest func()) {
	if !l.flat && l.filled && at != (Pos{}) && !l.author.begins(at) {
		start := len(l.text)
		line := start - 1 - bytes.LastIndexByte(l.text, '\n')
		l.text = append(l.text, ' ')
		fits, broken := l.try(line+1, rest)
		if l.text = l.text[:start]; fits || broken {
			l.text = append(l.text, ' ')
			rest()
			return
		}
	}
	l.newline(column, at)
	rest()
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
		if x, y := operandLevels(e.Op); levels[e.Op] <= andLevel || levels[e.Op] == sumLevel {
			l.block(e.X, x, false, column)
			l.fill(column, e.Pos, func() {
				l.write(e.Op, " ")
				l.block(e.Y, y, tail, column+len(e.Op)+1)
			})
			return
		}
	case *QuantExpr:
		if e.Op != "set" {
			l.write(join(e.Op, bindersString(e.Binders), withWord("where", e.Where)), ":")
			l.fill(column+indent, Begin(e.Body), func() { l.block(e.Body, 0, true, column+indent) })
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
		if e.Bound {
			l.write(" bound for ", e.Equation.Name)
		} else {
			l.write(" at ", e.Equation.Name)
		}
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
