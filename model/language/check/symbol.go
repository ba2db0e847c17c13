package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/syntax"
)

// A symbol is a declared name.
type symbol struct {
	kind   symbolKind
	name   string
	pos    syntax.Pos
	decl   any             // the declaration: *syntax.ParamDecl, …; nil for binders
	shape  *shape          // of a value, or of the values of a type
	fields []*syntax.Field // of a message or event
	order  int             // what is declared one after the other may use only what has a smaller order
	used   bool
	asked  bool // of an equation: properties speak of it
	// stateful says that a definition looks at a state, so that processes cannot use it.
	stateful bool
	reads    []*symbol // the assignments that a definition reads
	calls    []*symbol // the equations that an equation calls
}

type symbolKind int

const (
	paramSymbol symbolKind = iota
	optionSymbol
	constSymbol
	typeSymbol
	assignSymbol
	varSymbol
	processSymbol
	kindSymbol
	defineSymbol
	binderSymbol
	rewardSymbol
	messageSymbol
	eventSymbol
	equationSymbol
)

func (k symbolKind) String() string {
	return [...]string{
		"parameter", "option", "constant", "type", "assignment", "variable", "process number", "kind of process",
		"definition", "bound name", "reward", "message", "event", "equation",
	}[k]
}

// a returns the kind with its article.
func (k symbolKind) a() string {
	switch s := k.String(); s[0] {
	case 'a', 'e', 'o':
		return "an " + s
	default:
		return "a " + s
	}
}

// constant reports whether the symbol has a value before the run.
func (s *symbol) constant() bool {
	return s.kind == paramSymbol || s.kind == optionSymbol || s.kind == constSymbol
}

// varKind returns what kind of variable the symbol is, "" if none.
func (s *symbol) varKind() string {
	if d, ok := s.decl.(*syntax.VarDecl); ok {
		return d.Kind
	}
	return ""
}

func (s *symbol) register() bool { return s.varKind() == "register" }

// lasting reports whether the symbol is a variable that always has a value.
func (s *symbol) lasting() bool { return s.varKind() != "" && s.varKind() != "var" }

// givesWay reports whether an enumerated value may have the same name; where its type is expected, it is
// meant then.
func (s *symbol) givesWay() bool { return s.kind == typeSymbol || s.kind == defineSymbol }

// A namespace maps names to what they stand for.
type namespace map[string]*symbol

// names returns the names of the symbols that fit, in order.
func (n namespace) names(fit func(*symbol) bool) []string {
	var names []string
	for name, s := range n {
		if fit(s) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// declare collects the names of all declarations.
func (c *checker) declare() {
	for i, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.ParamDecl:
			c.define(c.values, paramSymbol, d.Name, d.Pos, d).order = i
		case *syntax.OptionDecl:
			c.define(c.values, optionSymbol, d.Name, d.Pos, d).order = i
		case *syntax.ChannelDecl:
			c.define(c.values, optionSymbol, channelOption, d.Pos, d).order = i
		case *syntax.ConstDecl:
			c.define(c.values, constSymbol, d.Name, d.Pos, d).order = i
		case *syntax.TypeDecl:
			c.define(c.values, typeSymbol, d.Name, d.Pos, d).order = i
		case *syntax.VarDecl:
			for _, id := range d.Names {
				c.define(c.values, varSymbol, id.Name, id.Pos, d)
			}
		case *syntax.AssignDecl:
			c.define(c.values, assignSymbol, d.Name, d.Pos, d)
		case *syntax.DefineDecl:
			c.define(c.values, defineSymbol, d.Name, d.Pos, d).order = i
		case *syntax.ProcessDecl:
			c.declareProcess(d)
		case *syntax.MessageDecl:
			c.define(c.messages, messageSymbol, d.Name, d.Pos, d).fields = d.Fields
		case *syntax.EventDecl:
			c.define(c.events, eventSymbol, d.Name, d.Pos, d).fields = d.Fields
		case *syntax.EquationDecl:
			c.define(c.equations, equationSymbol, d.Name, d.Pos, d)
		case *syntax.RewardDecl:
			c.define(c.rewards, rewardSymbol, d.Name, d.Pos, d).used = true
		}
	}
}

// define adds a symbol to a name space. Of two with the same name the first stays.
func (c *checker) define(in namespace, kind symbolKind, name string, pos syntax.Pos, decl any) *symbol {
	s := &symbol{kind: kind, name: name, pos: pos, decl: decl}
	if old := in[name]; old != nil {
		c.errs.Add(pos, "%s is already declared, as %s on line %d", name, old.kind.a(), old.pos.Line)
		return s
	}
	in[name] = s
	return s
}

// reach marks the equations that an equation calls as used.
func (s *symbol) reach() {
	for _, called := range s.calls {
		if !called.used {
			called.used = true
			called.reach()
		}
	}
}

// unused warns of declarations that nothing refers to, and of equations to which only such equations do.
func (c *checker) unused() {
	called := map[*symbol]bool{}
	for _, eq := range c.equations {
		if eq.used {
			eq.reach()
		}
	}
	for _, eq := range c.equations {
		for _, by := range eq.calls {
			called[by] = true
		}
	}
	for _, t := range []namespace{c.values, c.messages, c.events, c.equations} {
		for name, sym := range t {
			switch {
			case sym.used || sym.isGoal():
			case sym.asked:
				c.warnings.Add(sym.pos, "equation %s is unreachable; only properties mention it", name)
			case called[sym]:
				c.warnings.Add(sym.pos, "equation %s is used only by itself, or by equations that are never used", name)
			default:
				c.warnings.Add(sym.pos, "%s %s is never used", sym.kind, name)
			}
		}
	}
	for _, sym := range c.messages {
		switch {
		case c.sent[sym] && !c.received[sym]:
			c.warnings.Add(sym.pos, "message %s is never received", sym.name)
		case c.received[sym] && !c.sent[sym]:
			c.warnings.Add(sym.pos, "message %s is never sent", sym.name)
		}
	}
	slices.SortFunc(c.warnings, func(a, b *syntax.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// isGoal reports whether s is a definition without parameters: a question about it can name that, as --until does.
func (s *symbol) isGoal() bool {
	d, ok := s.decl.(*syntax.DefineDecl)
	return ok && len(d.Params) == 0
}
