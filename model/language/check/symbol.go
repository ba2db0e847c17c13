package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// A symbol is a declared name.
type symbol struct {
	kind   symbolKind
	name   string
	pos    syntax.Pos
	at     syntax.Pos      // of the name, where the declaration has it; the zero Pos if nothing declares it
	decl   any             // the declaration: *syntax.ConstDecl, …; of a binder what binds it
	shape  *shape          // of a value, or of the values of a type
	fields []*syntax.Field // of a message or event
	order  int             // of settings and definitions, which may use only what has a smaller order
	used   bool
	set    bool // of a variable: some action binds or sets it
	asked  bool // of an equation: properties mention it
	// Of a message: whether a process sends or receives it.
	sent, received bool
	// Of an assignment: the conditions of the properties, goals and roles that read it, which may be nil.
	conditions []syntax.Expr
	// stateful says that a definition reads the state, so processes cannot use it.
	stateful bool
	// shares says that a definition reads a shared variable.
	shares bool
	reads  []*symbol // the assignments that a definition reads
	calls  []*symbol // the equations that an equation calls
	direct []directCall
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
	propertySymbol
	roleSymbol
	fieldSymbol
	valueSymbol // of an enumeration
)

func (k symbolKind) String() string {
	return [...]string{
		"parameter", "option", "constant", "type", "assignment", "variable", "process number", "kind of process",
		"definition", "bound name", "reward", "message", "event", "equation", "property", "role", "field", "value",
	}[k]
}

// a returns the kind with its article.
func (k symbolKind) a() string { return article(k.String()) }

// constant reports whether the symbol has a value before the run.
func (s *symbol) constant() bool {
	return s.kind == paramSymbol || s.kind == optionSymbol || s.kind == constSymbol
}

// varKind returns the kind of variable that the symbol is, "" if it is no variable.
func (s *symbol) varKind() string {
	if d, ok := s.decl.(*syntax.VarDecl); ok {
		return d.Kind
	}
	return ""
}

func (s *symbol) register() bool { return s.varKind() == "register" }

// variable reports whether the symbol is a variable that processes have, as opposed to a shared one.
func (s *symbol) variable() bool { return s.kind == varSymbol && !s.shared() }

// shared reports whether the symbol is a variable that all processes share.
func (s *symbol) shared() bool { return s.varKind() == "shared" }

// lasting reports whether the symbol is a variable that always has a value.
func (s *symbol) lasting() bool { return s.varKind() != "" && s.varKind() != "var" }

// givesWay reports whether an enumerated value may have the same name, and is meant where its type is expected.
func (s *symbol) givesWay() bool { return s.kind == typeSymbol || s.kind == defineSymbol }

// symbolOf returns the symbol that a name denotes, nil if it is unknown.
func symbolOf(b syntax.Binding) *symbol {
	s, _ := b.(*symbol)
	return s
}

// nodeSymbol returns the symbol of the name in a node of an expression, a type or a term, nil if it has no name.
func nodeSymbol(node any) *symbol {
	switch n := node.(type) {
	case *syntax.Ident:
		return symbolOf(n.Binding)
	case *syntax.Name:
		return symbolOf(n.Binding)
	case *syntax.CallExpr:
		return symbolOf(n.Binding)
	case *syntax.CallTerm:
		return symbolOf(n.Binding)
	case *syntax.NamedType:
		return symbolOf(n.Binding)
	}
	return nil
}

// A namespace maps names to symbols.
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
