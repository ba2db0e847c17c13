package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// acts reports whether a term, such as the body of a loop, takes an action before it ends.
func acts(t syntax.Term) bool {
	switch t := t.(type) {
	case *syntax.LoopEnd, *syntax.CallTerm:
		return false
	case *syntax.LetTerm:
		return acts(t.Next)
	case *syntax.DrawTerm:
		return acts(t.Next)
	case *syntax.WhenTerm:
		return acts(t.Then)
	case *syntax.IfTerm:
		return acts(t.Then) && acts(t.Else)
	case *syntax.ChoiceTerm:
		return !slices.ContainsFunc(t.Terms, func(u syntax.Term) bool { return !acts(u) })
	case *syntax.ForTerm:
		return loopActs(t) || acts(t.Next)
	}
	return true // an action, or an end
}

// loopActs reports whether a loop takes an action, whatever the state is.
func loopActs(t *syntax.ForTerm) bool {
	_, whole := t.Binder.Type.(*syntax.WordType)
	return whole && t.Where == nil && acts(t.Body)
}

// A directCall is a call that no action precedes.
type directCall struct {
	call *syntax.CallTerm
	loop bool // whether a loop precedes it, which may take no action
}

// checkGuarded reports equations that lead back to themselves without an action, because they define no behaviour. It
// searches depth first along the calls that no action precedes.
func (c *checker) checkGuarded() {
	done := map[*symbol]bool{}
	var path []string
	var loops []bool // whether a loop precedes the call that led to an equation of the path
	var visit func(eq *symbol, loop bool)
	visit = func(eq *symbol, loop bool) {
		path, loops = append(path, eq.name), append(loops, loop)
		for _, d := range eq.direct {
			called := symbolOf(d.call.Binding)
			if i := slices.Index(path, called.name); i >= 0 {
				err := c.errs.Add(d.call.Pos, "%s calls itself without an action in between: %s, %[1]s",
					called.name, strings.Join(path[i:], ", "))
				if d.loop || slices.Contains(loops[i+1:], true) {
					err.Hint = "the loop may take no action; one before or after it, such as skip, would do"
				}
			} else if !done[called] {
				visit(called, d.loop)
			}
		}
		path, loops = path[:len(path)-1], loops[:len(loops)-1]
		done[eq] = true
	}
	for _, d := range syntax.All[*syntax.EquationDecl](c.file) {
		if eq := c.equations[d.Name]; !done[eq] {
			visit(eq, false)
		}
	}
}
