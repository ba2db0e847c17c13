package syntax

import (
	"strconv"
	"strings"
)

// needsParentheses reports whether e has to stand in parentheses as an operand, as explained at line.expr.
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

// A line is the text of one line. When it is longer than its limit, more than 0, it takes no more: it
// will not be used.
type line struct {
	strings.Builder
	limit int
}

func (l *line) full() bool { return l.limit > 0 && l.Len() > l.limit }

// write appends strings and, in between, expressions that nothing follows that they could swallow.
func (l *line) write(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			l.WriteString(p)
		case Expr:
			l.expr(p, 0, true)
		}
	}
}

// exprString returns e as line.expr writes it.
func exprString(e Expr, level int, tail bool) string {
	l := &line{}
	l.expr(e, level, tail)
	return l.String()
}

// expr writes e as an operand of an operator of the given level: in parentheses if it binds looser, or if it
// would swallow what follows it. tail says that nothing follows that it could swallow.
func (l *line) expr(e Expr, level int, tail bool) {
	switch {
	case l.full():
	case needsParentheses(e, level, tail):
		l.WriteString("(")
		l.bare(e, true)
		l.WriteString(")")
	default:
		l.bare(e, tail)
	}
}

// bare writes e without parentheses around it.
func (l *line) bare(e Expr, tail bool) {
	switch e := e.(type) {
	case *UnaryExpr:
		l.unary(e, tail)
	case *BinaryExpr:
		l.binary(e, tail)
	case *CondExpr:
		l.write("if ", e.Cond, " then ", e.Then, " else ", e.Else)
	case *QuantExpr:
		if e.Op == "set" {
			l.write("{", binderString(e.Binders[0]), " where ", e.Body, "}")
			return
		}
		l.write(quantHead(e), " ", e.Body)
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
func (l *line) operand(e Expr) {
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
			return
		}
		l.write("all(", e.Value, ")")
	case *FieldExpr:
		l.expr(e.X, postfixLevel, false)
		l.write(".", e.Name.Name)
	}
}

func (l *line) unary(e *UnaryExpr, tail bool) {
	if e.Op == "-" {
		l.write("-")
		l.expr(e.X, negateLevel, tail)
		return
	}
	l.write(e.Op, " ")
	l.expr(e.X, notLevel, tail)
}

func (l *line) binary(e *BinaryExpr, tail bool) {
	x, y := operandLevels(e.Op)
	l.expr(e.X, x, false)
	if e.Op == "^" || e.Op == "/" {
		l.write(e.Op)
	} else {
		l.write(" ", e.Op, " ")
	}
	l.expr(e.Y, y, tail)
}

// list writes a comma-separated list.
func (l *line) list(list []Expr, tail bool) {
	for i, e := range list {
		if i > 0 {
			l.write(", ")
		}
		l.expr(e, 0, tail)
	}
}

// quantHead returns a quantifier up to its colon.
func quantHead(e *QuantExpr) string {
	binders := make([]string, len(e.Binders))
	for i, b := range e.Binders {
		binders[i] = binderString(b)
	}
	return e.Op + " " + strings.Join(binders, ", ") + ":"
}

func binderString(b *Binder) string {
	if b.Type != nil {
		return b.Name.Name + " in " + typeString(b.Type)
	}
	return b.Name.Name + " in " + exprString(b.Over, sumLevel, false)
}
