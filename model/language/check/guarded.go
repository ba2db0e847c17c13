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
	for _, d := range syntax.All[*syntax.EquationDecl](c.file) {
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

// draws checks that every draw leads to one definite action: it is a part of that action.
func (c *checker) draws() {
	d := &drawChecker{checker: c, problems: map[*symbol]string{}}
	for _, eq := range syntax.All[*syntax.EquationDecl](c.file) {
		d.within(eq.Body)
	}
	for _, kind := range c.processKinds {
		d.within(kind.Body)
	}
}

// A drawChecker reports terms that are not allowed after a draw. It remembers what is wrong with the equations, ""
// for nothing.
type drawChecker struct {
	*checker
	problems map[*symbol]string
}

// within checks the draws in t and behind its actions.
func (d *drawChecker) within(t syntax.Term) {
	beforeAction(t, func(t syntax.Term) bool {
		switch t := t.(type) {
		case *syntax.ForTerm:
			if neverEmpty(t) { // else it is visited anyway
				d.within(t.Next)
			}
		case *syntax.PrefixTerm:
			d.within(t.Next)
		case *syntax.DrawTerm:
			if !t.Choose {
				d.follow(t.Next, func(pos syntax.Pos, problem string) {
					d.errs.Add(pos, "a draw must be followed by a send, an event or skip, not by %s", problem)
				})
			}
		}
		return true
	})
}

// follow calls report for whatever in t must not follow a draw.
func (d *drawChecker) follow(t syntax.Term, report func(syntax.Pos, string)) {
	switch t := t.(type) {
	case *syntax.PrefixTerm:
		if _, ok := t.Action.(*syntax.Receive); ok {
			report(t.Pos, "a receive")
		}
	case *syntax.DrawTerm:
		if t.Choose {
			report(t.Pos, "choose")
		} // else the inner draw has its own check
	case *syntax.LetTerm:
		d.follow(t.Next, report)
	case *syntax.IfTerm:
		d.follow(t.Then, report)
		d.follow(t.Else, report)
	case *syntax.CallTerm:
		if problem := d.equation(d.uses[t]); problem != "" {
			report(t.Pos, problem)
		}
	case *syntax.ForTerm:
		report(t.Pos, "a loop")
	case *syntax.LoopEnd:
		report(t.Pos, "the end of a loop")
	case *syntax.IgnoreTerm:
		report(t.Pos, "ignore")
	case *syntax.WhenTerm:
		report(t.Pos, "when")
	case *syntax.ChoiceTerm:
		report(t.Pos, "a choice")
	case *syntax.Stop:
		report(t.Pos, "stop")
	}
}

// equation returns what an equation begins with that must not follow a draw, "" if there is nothing.
func (d *drawChecker) equation(eq *symbol) string {
	if eq == nil {
		return ""
	}
	if p, known := d.problems[eq]; known {
		return p
	}
	d.problems[eq] = "" // while it is worked out; a cycle of calls is reported as such
	d.follow(eq.decl.(*syntax.EquationDecl).Body, func(_ syntax.Pos, problem string) {
		if d.problems[eq] == "" {
			d.problems[eq] = eq.name + ", which begins with " + problem
		}
	})
	return d.problems[eq]
}
