package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// A scope says what an expression may refer to.
type scope struct {
	context context
	order   int // settings and definitions with a smaller order are visible
	bound   *binding
	// kinds are the known kinds of bound messages.
	kinds *messageKind
	// temporal says that operators of temporal logic may stand here.
	temporal bool
	// ghost says that ghosts can be read.
	ghost bool
	// early says that the processes are not known yet, unlinked that their network is not.
	early, unlinked bool
	// looping says that a term is in the body of a loop.
	looping bool
}

// A context is the kind of text that an expression stands in.
type context int

const (
	constantContext context = iota // evaluated before the run
	codeContext                    // in a process
	startContext                   // in the process declaration, before any action
	propertyContext
)

// A messageKind is a list of bound messages with known kinds, the last one first.
type messageKind struct {
	bound, kind *symbol
	others      *messageKind
}

// of returns the kind of the message that a name stands for, nil if it is not known.
func (k *messageKind) of(bound *symbol) *symbol {
	for ; k != nil; k = k.others {
		if k.bound == bound {
			return k.kind
		}
	}
	return nil
}

// A binding is a list of bound names, the innermost first.
type binding struct {
	symbol *symbol
	outer  *binding
}

func (b *binding) has(s *symbol) bool {
	for ; b != nil; b = b.outer {
		if b.symbol == s {
			return true
		}
	}
	return false
}

// find returns the innermost symbol with a name, nil if there is none.
func (b *binding) find(name string) *symbol {
	for ; b != nil; b = b.outer {
		if b.symbol.name == name {
			return b.symbol
		}
	}
	return nil
}

// with returns s with one more bound name.
func (s scope) with(sym *symbol) scope {
	s.bound = &binding{sym, s.bound}
	return s
}

// constants is the scope of what is evaluated before the run by a declaration that comes after all settings.
func (c *checker) constants() scope { return scope{context: constantContext, order: len(c.file.Order)} }

// lookup returns what a name stands for as a value, nil if it is not declared.
func (c *checker) lookup(s scope, name string) *symbol {
	if sym := s.bound.find(name); sym != nil {
		return sym
	}
	return c.values[name]
}

// value resolves a name that stands for a value. It reports what cannot be used here and returns nil then.
func (c *checker) value(s scope, pos syntax.Pos, name string) *symbol {
	sym := c.lookup(s, name)
	if sym == nil {
		e := c.errs.Add(pos, "unknown name %s", name)
		e.Hint = syntax.Suggest(name, c.visible(s))
		return nil
	}
	sym.used = true
	if s.bound.has(sym) {
		return sym
	}
	if problem := c.problem(s, sym); problem != "" {
		c.errs.Add(pos, "%s %s", name, problem)
		return nil
	}
	return sym
}

// problem says why a symbol that is not bound cannot be used as a value in s, or returns "".
func (c *checker) problem(s scope, sym *symbol) string {
	switch {
	case sym.kind == typeSymbol:
		return "is a type, not a value"
	case sym.kind == assignSymbol:
		return "is assigned to processes: write " + sym.name + "[p] for that of process p"
	case sym.kind == defineSymbol && s.context != propertyContext && (sym.stateful || s.context == constantContext):
		return "is a definition for properties"
	case sym.kind == kindSymbol && s.early:
		return "is a kind of process, which is not known here"
	case sym.kind == kindSymbol:
		return ""
	case sym.constant() || sym.kind == defineSymbol:
		if sym.order >= s.order {
			return "is declared only after its use"
		}
		return ""
	case s.context == constantContext:
		return "is " + sym.kind.a() + "; only parameters, options and constants have a value here"
	case s.context == propertyContext && sym.kind == varSymbol:
		return "is a variable of each process: write p." + sym.name + " for that of process p"
	case sym.varKind() == "ghost" && !s.ghost:
		return "is a ghost: only properties and what is assigned to ghosts can read it"
	case sym.lasting():
		return ""
	case sym.kind == processSymbol:
		return "is known only in the process declaration"
	}
	return "has no value here: neither a parameter of the equation nor bound before"
}

// visible returns the names that could be meant in s, for a hint.
func (c *checker) visible(s scope) []string {
	names := c.values.names(func(sym *symbol) bool { return c.problem(s, sym) == "" })
	for b := s.bound; b != nil; b = b.outer {
		names = append(names, b.symbol.name)
	}
	for _, e := range c.enums {
		names = append(names, e.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
