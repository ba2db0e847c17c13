package check

import (
	"fmt"

	"ringcheck/model/language/syntax"
)

// A scope has the names that an expression may refer to.
type scope struct {
	context context
	order   int // settings and definitions with a smaller order are visible
	bound   *binding
	// kinds are the known kinds of bound messages.
	kinds *messageKind
	// temporal says that it may be about the next step; goal that it may not be about later ones, as a formula may.
	temporal, goal bool
	// ghost says that ghosts can be read.
	ghost bool
	// early says that the processes are not known yet, unlinked that their network is not.
	early, unlinked bool
	// looping says that a term is in the body of a loop.
	looping bool
	// acted says that an action precedes a term.
	acted bool
	// looped says that a loop precedes a term.
	looped bool
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

// of returns the kind of the message that a name denotes, nil if it is unknown.
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

// find returns the innermost symbol with a name, nil if no symbol has it.
func (b *binding) find(name string) *symbol {
	for ; b != nil; b = b.outer {
		if b.symbol.name == name {
			return b.symbol
		}
	}
	return nil
}

// bind returns s with one more bound name.
func (s scope) bind(sym *symbol) scope {
	s.bound = &binding{sym, s.bound}
	return s
}

// constants is the scope of what is evaluated before the run by a declaration that comes after all settings.
func (c *checker) constants() scope { return scope{context: constantContext, order: len(c.file.Order)} }

// lookup returns the symbol of a name that is used as a value, nil if it is not declared.
func (c *checker) lookup(s scope, name string) *symbol {
	if sym := s.bound.find(name); sym != nil {
		return sym
	}
	return c.values[name]
}

// value resolves a name that is used as a value. It reports a name that cannot be used in the scope, and returns nil.
// Its hint is a name with a value of the shape want, unless that is nil.
func (c *checker) value(s scope, pos syntax.Pos, name string, want *shape) *symbol {
	sym := c.lookup(s, name)
	if sym == nil {
		hint := syntax.Suggest(name, c.visible(s, want))
		if c.events[name] != nil && s.context == propertyContext {
			hint = "it is an event: an ltl property or a goal says " + name + " happens"
		}
		if c.messages[name] != nil && s.context == propertyContext {
			hint = "it is a message: initially " + name + " in inbox(p, d) puts one into a channel"
		}
		if c.equations[name] != nil && s.context == propertyContext {
			hint = "it is an equation: a property says p at " + name
		}
		if name == c.own.name && c.self != nil && s.context != propertyContext && s.context != constantContext {
			hint = "outside of equations the number of a process is called " + c.self.name
		}
		c.unknown(pos, hint, "unknown name %s", name)
		return nil
	}
	sym.used = true
	c.refer(pos, sym)
	if s.bound.has(sym) {
		return sym
	}
	if problem := c.problem(s, sym); problem != "" {
		err := c.errs.Add(pos, "%s %s", name, problem)
		if sym.kind == processSymbol && s.context == propertyContext {
			err.Hint = fmt.Sprintf("say of which process: forall %s in node: …, or exists %[1]s in node: …", name)
		}
		return nil
	}
	return sym
}

// someProcess returns a name for a process in examples: of a kind with one process, if there is one.
func (c *checker) someProcess() string {
	for _, d := range c.processKinds {
		if len(c.processKinds) > 1 && d.Range == nil {
			return d.Name
		}
	}
	return "p"
}

// problem says why a symbol that is not bound cannot be used as a value in s, or returns "".
func (c *checker) problem(s scope, sym *symbol) string {
	switch {
	case s.context == startContext && (sym.shared() || sym.shares):
		return "has no value in the process declaration: an equation can read it"
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
	case s.context == propertyContext && sym.shared():
		return ""
	case s.context == propertyContext && sym.kind == varSymbol:
		owner := c.someProcess()
		return "is a variable of each process: write " + owner + "." + sym.name + " for that of process " + owner
	case sym.varKind() == "ghost" && !s.ghost:
		return "is a ghost: only properties and what is assigned to ghosts can read it"
	case sym.lasting():
		return ""
	case sym.kind == processSymbol:
		return "is known only in the process declaration"
	}
	return "has no value here: neither a parameter of the equation nor bound before"
}
