package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// maxAtoms bounds the atoms of a property that is tried for all their values.
const maxAtoms = 10

// tautology reports whether a property that has been lowered has the same value whatever the states are, which: it
// follows from constants and from how "and", "or", "not" and the like join its atoms. What looks at a state is an atom,
// even if it is false with these options because nobody can be there: it may be a property's point that nobody is.
func (b *builder) tautology(e syntax.Expr) (value, ok bool) {
	var atoms []string
	holds := b.proposition(e, &atoms)
	if len(atoms) > maxAtoms {
		return false, false
	}
	value = holds(0)
	for values := range uint(1) << len(atoms) {
		if holds(values) != value {
			return false, false
		}
	}
	return value, true
}

// proposition returns the value of e for values of the atoms in it, by their text, one bit each.
func (b *builder) proposition(e syntax.Expr, atoms *[]string) func(values uint) bool {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		if e.Op == "not" {
			x := b.proposition(e.X, atoms)
			return func(v uint) bool { return !x(v) }
		}
	case *syntax.BinaryExpr:
		x, y := func(uint) bool { return true }, func(uint) bool { return true }
		if connective(e) {
			x, y = b.proposition(e.X, atoms), b.proposition(e.Y, atoms)
		}
		switch e.Op {
		case "and":
			return func(v uint) bool { return x(v) && y(v) }
		case "or":
			return func(v uint) bool { return x(v) || y(v) }
		case "=>":
			return func(v uint) bool { return !x(v) || y(v) }
		}
	case *syntax.CondExpr:
		c, x, y := b.proposition(e.Cond, atoms), b.proposition(e.Then, atoms), b.proposition(e.Else, atoms)
		return func(v uint) bool { return c(v) && x(v) || !c(v) && y(v) }
	}
	if value, ok := b.constantAtom(e); ok {
		return func(uint) bool { return value }
	}
	text := syntax.FormatExpr(e)
	i := slices.Index(*atoms, text)
	if i < 0 {
		i = len(*atoms)
		*atoms = append(*atoms, text)
	}
	return func(v uint) bool { return v>>min(i, maxAtoms)&1 != 0 }
}

// constantAtom returns the value of an atom, a quantifier or what a temporal operator makes of a condition, if it is
// the same whatever the states are.
func (b *builder) constantAtom(e syntax.Expr) (value, ok bool) {
	switch e := e.(type) {
	case *syntax.QuantExpr:
		if e.Op != "forall" && e.Op != "exists" {
			break
		}
		value, ok = b.tautology(e.Body)
		for _, d := range e.Binders {
			lo, hi, _, _ := b.extent(d)
			first, isConst := lo.(*ir.Const)
			last, areConst := hi.(*ir.Const)
			switch {
			case !isConst || !areConst: // it may range over nothing in some states
				ok = ok && value == (e.Op == "forall")
			case first.Value > last.Value:
				return e.Op == "forall", true
			}
		}
		return value, ok
	case *syntax.UnaryExpr:
		if temporal(e.Op) {
			return b.tautology(e.X)
		}
	}
	if hasTemporal(e) {
		return false, false
	}
	before := b.noticed
	b.noticed = notice{}
	value, ok = decided(b.logical(e))
	ok = ok && !b.noticed.stateful
	b.noticed = before
	return value, ok
}
