package confluence

import (
	"iter"

	"ringcheck/model/language/ir"
)

// prefixes yields the actions that can come first in t, in calls too.
func prefixes(t ir.Term) iter.Seq[*ir.Prefix] {
	return func(yield func(*ir.Prefix) bool) {
		w := prefixWalk{yield: yield, called: make(map[*ir.Equation]bool)}
		w.visit(t)
	}
}

// undrawn yields those of the actions that can come first in t of which no draw decides.
func undrawn(t ir.Term) iter.Seq[*ir.Prefix] {
	return func(yield func(*ir.Prefix) bool) {
		w := prefixWalk{yield: yield, called: make(map[*ir.Equation]bool), undrawn: true}
		w.visit(t)
	}
}

type prefixWalk struct {
	yield   func(*ir.Prefix) bool
	called  map[*ir.Equation]bool
	undrawn bool
}

func (w *prefixWalk) visit(t ir.Term) bool {
	switch t := t.(type) {
	case *ir.Prefix:
		return w.yield(t)
	case *ir.Call:
		if w.called[t.Equation] {
			return true
		}
		w.called[t.Equation] = true
		return w.visit(t.Equation.Start.Term)
	case *ir.Draw:
		return w.undrawn && !t.Choose || w.visit(t.Then)
	case *ir.Let:
		return w.visit(t.Then)
	case *ir.If:
		return w.visit(t.Then) && w.visit(t.Else)
	case *ir.Choice:
		for _, u := range t.Terms {
			if !w.visit(u) {
				return false
			}
		}
	}
	return true
}
