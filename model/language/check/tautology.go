package check

import (
	"math"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/ltl"
)

const (
	// maxCases bounds the cases in which a property is tried.
	maxCases = 1 << 10
	// maxOperators bounds the temporal operators of a property that is translated into an automaton.
	maxOperators = 6
)

// An atom is a boolean, or a term that is compared with constants, or two terms that are compared with each other: then
// the atom is their difference.
type atom struct {
	text   string
	values []int64 // the values that its comparisons tell apart
}

// undefined is the value of an atom in which a variable is not live. No comparison with it holds.
const undefined = math.MinInt64

// tautology reports whether a lowered property has the same value in every state, reachable or not, and that value: it
// follows from constants, from the connectives, and from the constants with which atoms are compared. An expression
// that reads a state is an atom, even if it is false with these options because no process can be there: that may be
// what the property claims.
func (b *builder) tautology(e syntax.Expr) (value, ok bool) {
	if hasTemporal(e) {
		return b.ofAllRuns(e)
	}
	var atoms []atom
	holds := b.proposition(e, &atoms)
	cases := 1
	for _, a := range atoms {
		if cases *= len(a.values); cases > maxCases {
			return false, false
		}
	}
	values := make([]int64, len(atoms))
	for number := range cases {
		rest := number
		for i, a := range atoms {
			values[i] = a.values[rest%len(a.values)]
			rest /= len(a.values)
		}
		switch now := holds(values); {
		case number == 0:
			value = now
		case now != value:
			return false, false
		}
	}
	return value, true
}

// ofAllRuns is tautology for a temporal formula: no run whatever violates it, or satisfies it.
func (b *builder) ofAllRuns(e syntax.Expr) (value, ok bool) {
	o := &outline{builder: b}
	f := o.of(e).LTL(0, func(atom *ir.Formula) *ltl.Formula { return ltl.Atom(slices.Index(o.atoms, atom)) })
	if o.operators > maxOperators || len(o.atoms) > ltl.MaxAtoms {
		return false, false
	}
	if !ltl.Satisfiable(ltl.Not(f)) {
		return true, true
	}
	return false, !ltl.Satisfiable(f)
}

// An outline of a formula has equal texts as one atom.
type outline struct {
	*builder
	texts     []string
	atoms     []*ir.Formula // by text
	operators int           // temporal ones
}

// of returns the outline of e.
func (o *outline) of(e syntax.Expr) *ir.Formula {
	if hasTemporal(e) {
		return o.join(e, o.of)
	}
	if value, ok := o.tautology(e); ok {
		return truth(value)
	}
	return o.inside(e)
}

// inside returns the outline of a part without temporal operators: whether that is a tautology is computed once.
func (o *outline) inside(e syntax.Expr) *ir.Formula { return o.join(e, o.inside) }

func truth(value bool) *ir.Formula { return &ir.Formula{Op: ir.StateAtom, State: boolean(value)} }

// join joins the outlines of the parts of e. If it has none, an atom with no content, which LTL passes on, represents
// its text.
func (o *outline) join(e syntax.Expr, part func(e syntax.Expr) *ir.Formula) *ir.Formula {
	if f := joinFormulas(e, part); f != nil {
		if f.Op.Temporal() {
			o.operators++
		}
		return f
	}
	if value, ok := o.constantAtom(e); ok {
		return truth(value)
	}
	text := syntax.FormatExpr(e)
	i := slices.Index(o.texts, text)
	if i < 0 {
		i = len(o.texts)
		o.texts, o.atoms = append(o.texts, text), append(o.atoms, &ir.Formula{Op: ir.TerminalAtom})
	}
	return o.atoms[i]
}

// proposition returns the value of e for values of the atoms in it.
func (b *builder) proposition(e syntax.Expr, atoms *[]atom) func(values []int64) bool {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		if e.Op == "not" {
			x := b.proposition(e.X, atoms)
			return func(v []int64) bool { return !x(v) }
		}
	case *syntax.BinaryExpr:
		if connectives[e.Op] == nil {
			break
		}
		x, y := b.proposition(e.X, atoms), b.proposition(e.Y, atoms)
		switch e.Op {
		case "and":
			return func(v []int64) bool { return x(v) && y(v) }
		case "or":
			return func(v []int64) bool { return x(v) || y(v) }
		}
		return func(v []int64) bool { return !x(v) || y(v) }
	case *syntax.CondExpr:
		c, x, y := b.proposition(e.Cond, atoms), b.proposition(e.Then, atoms), b.proposition(e.Else, atoms)
		return func(v []int64) bool { return c(v) && x(v) || !c(v) && y(v) }
	}
	if value, ok := b.constantAtom(e); ok {
		return func([]int64) bool { return value }
	}
	if e, ok := e.(*syntax.BinaryExpr); ok && strings.ContainsAny(e.Op, "<>=") {
		if holds := b.comparedAtom(e, atoms); holds != nil {
			return holds
		}
	}
	text, is := syntax.FormatExpr(e), int64(1)
	if q, ok := e.(*syntax.QuantExpr); ok && q.Op == "exists" { // it is not true that for all it is false
		all := *q
		all.Op, all.Body = "forall", negation(q.Body)
		text, is = syntax.FormatExpr(&all), 0
	}
	i := atomNumber(atoms, text, 0, 1)
	return func(v []int64) bool { return v[i] == is }
}

func negation(e syntax.Expr) syntax.Expr {
	if not, ok := e.(*syntax.UnaryExpr); ok && not.Op == "not" {
		return not.X
	}
	return &syntax.UnaryExpr{Op: "not", X: e}
}

// comparedAtom returns the value of a comparison, nil if it is not one of scalars.
func (b *builder) comparedAtom(e *syntax.BinaryExpr, atoms *[]atom) func(values []int64) bool {
	before := b.collector
	x, y, _ := b.pair(e.X, e.Y, nil, e.Pos)
	b.collector = before
	if !x.Type().Scalar() || !y.Type().Scalar() {
		return nil
	}
	left, right, exchanged := syntax.FormatExpr(e.X), syntax.FormatExpr(e.Y), e.Op[0] == '>'
	_, isConst := y.(*ir.Const)
	if _, ok := x.(*ir.Const); ok || !isConst && left > right {
		x, y, left, right, exchanged = y, x, right, left, !exchanged
	}
	text, with, values := left+" - "+right, int64(0), []int64{-1, 0, 1}
	if c, ok := y.(*ir.Const); ok {
		text, with = left, c.Value
		for i := range values {
			values[i] = max(x.Type().Lo, min(values[i]+with, x.Type().Hi))
		}
	}
	if b.mayBeUndefined(x) || b.mayBeUndefined(y) {
		values = append(values, undefined)
	}
	i, comparison := atomNumber(atoms, text, values...), ir.Binary{Op: operators[e.Op]}
	return func(v []int64) bool {
		x, y := v[i], with
		if exchanged {
			x, y = y, x
		}
		holds, _ := comparison.Apply(x, y) // which never fails
		return v[i] != undefined && holds != 0
	}
}

// atomNumber returns the number of an atom that has such values.
func atomNumber(atoms *[]atom, text string, values ...int64) int {
	i := slices.IndexFunc(*atoms, func(a atom) bool { return a.text == text })
	if i < 0 {
		i = len(*atoms)
		*atoms = append(*atoms, atom{text: text})
	}
	a := &(*atoms)[i]
	a.values = append(a.values, values...)
	slices.Sort(a.values)
	a.values = slices.Compact(a.values)
	return i
}

// constantAtom returns the value of an atom or a quantifier, if it is the same whatever the states are.
func (b *builder) constantAtom(e syntax.Expr) (value, ok bool) {
	switch e := e.(type) {
	case *syntax.QuantExpr:
		if e.Op != "forall" && e.Op != "exists" {
			break
		}
		varies := false // whether it may range over nothing in some states
		for _, d := range e.Binders {
			lo, hi, over, _ := b.extent(d)
			if isEmptyDomain(lo, hi, over) {
				return e.Op == "forall", true
			}
			_, _, isConst := fixed(lo, hi)
			varies = varies || !isConst
		}
		value, ok = b.tautology(wholeBody(e))
		return value, ok && (!varies || value == (e.Op == "forall"))
	}
	if hasTemporal(e) {
		return false, false
	}
	before := b.collector
	b.collector = warningCollector{}
	value, ok = decided(b.logical(e))
	ok = ok && !b.collector.stateful
	b.collector = before
	return value, ok
}

// wholeBody returns the body of a forall or exists that ranges over all values, those included that do not satisfy the
// condition of e.
func wholeBody(e *syntax.QuantExpr) syntax.Expr {
	if e.Where == nil {
		return e.Body
	}
	op := "and"
	if e.Op == "forall" {
		op = "=>"
	}
	return &syntax.BinaryExpr{ExprNode: e.ExprNode, Op: op, X: e.Where, Y: e.Body}
}
