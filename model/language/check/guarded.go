package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// beforeAction calls visit for t and the terms in it that come before the next action, until it returns
// false.
func beforeAction(t syntax.Term, visit func(syntax.Term) bool) bool {
	if !visit(t) {
		return false
	}
	switch t := t.(type) {
	case *syntax.DrawTerm:
		return beforeAction(t.Next, visit)
	case *syntax.LetTerm:
		return beforeAction(t.Next, visit)
	case *syntax.IfTerm:
		return beforeAction(t.Then, visit) && beforeAction(t.Else, visit)
	case *syntax.ForTerm:
		return beforeAction(t.Body, visit) && (neverEmpty(t) || beforeAction(t.Next, visit))
	case *syntax.WhenTerm:
		return beforeAction(t.Then, visit)
	case *syntax.ChoiceTerm:
		for _, summand := range t.Terms {
			if !beforeAction(summand, visit) {
				return false
			}
		}
	}
	return true
}

// neverEmpty reports whether a loop does its body at least once.
func neverEmpty(t *syntax.ForTerm) bool {
	if t.Where != nil {
		return false
	}
	switch t.Binder.Type.(type) {
	case *syntax.NodeType, *syntax.DirType, *syntax.BoolType:
		return true
	}
	return false
}

// guarded reports equations that lead back to themselves without an action: they say nothing.
func (c *checker) guarded() {
	g := &guardedness{checker: c, done: map[*symbol]bool{}}
	for _, d := range c.file.Defs {
		if sym := c.equations[d.Name]; sym.decl == d {
			g.visit(sym)
		}
	}
}

// A guardedness is a depth-first search along the calls that no action precedes.
type guardedness struct {
	*checker
	path []*symbol
	done map[*symbol]bool
}

func (g *guardedness) visit(eq *symbol) {
	if g.done[eq] {
		return
	}
	g.path = append(g.path, eq)
	beforeAction(eq.decl.(*syntax.EquationDecl).Body, func(t syntax.Term) bool {
		if call, ok := t.(*syntax.CallTerm); ok && g.uses[call] != nil {
			g.call(call, g.uses[call])
		}
		return true
	})
	g.path = g.path[:len(g.path)-1]
	g.done[eq] = true
}

func (g *guardedness) call(call *syntax.CallTerm, eq *symbol) {
	i := slices.Index(g.path, eq)
	if i < 0 {
		g.visit(eq)
		return
	}
	var names []string
	for _, p := range g.path[i:] {
		names = append(names, p.name)
	}
	names = append(names, eq.name)
	g.errs.Add(call.Pos, "%s calls itself without an action in between: %s", eq.name, strings.Join(names, ", "))
}
