package syntax

import (
	"math"
	"strconv"
	"strings"
)

const (
	// lineWidth is how long the lines of a canonical layout may be, if they can be broken.
	lineWidth = 120
	// indent is one step of indentation, and maxColumn the most there is of it.
	indent    = 4
	maxColumn = lineWidth - 40
)

// A layout is text that is broken into lines where it does not fit on one.
type layout struct {
	text []byte
	// flat means that newlines are written as spaces. What is longer than end, in bytes, will not be used then.
	flat bool
	end  int
}

// flat returns what f writes, on one line.
func flat(f func(*layout)) string {
	l := &layout{flat: true, end: math.MaxInt}
	f(l)
	return string(l.text)
}

// exprString returns e as an operand of an operator of the given level, on one line.
func exprString(e Expr, level int, tail bool) string {
	return flat(func(l *layout) { l.expr(e, level, tail) })
}

// group writes on one line what f writes if it fits there from the column on, else with the newlines of f.
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

// unbroken writes on one line what f writes, however long it is.
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

// write appends strings and, in between, expressions that nothing follows that they could swallow.
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

// expr is block for what stands on one line.
func (l *layout) expr(e Expr, level int, tail bool) {
	l.unbroken(func() { l.block(e, level, tail, 0) })
}

// block writes e as an operand of an operator of the given level: in parentheses if it binds looser, or if it would
// swallow what follows it; tail says that nothing follows that it could swallow. It is broken at the connectives and
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

// bare writes e without parentheses around it.
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

// operand writes what no operator stands before, behind or within: a literal, a name, a call, a selection.
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
	// What reaches to the end of an expression is easy to misread behind an operator.
	misread := level >= andLevel && level != notLevel
	switch e := e.(type) {
	case *CondExpr:
		return !tail || misread
	case *QuantExpr:
		return e.Op != "set" && (!tail || misread)
	}
	return exprLevel(e) < level
}

// exprLevel returns how tight e binds.
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

// operandLevels returns how tight the operands of a binary operator must bind.
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
