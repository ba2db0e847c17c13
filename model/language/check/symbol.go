package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/channel"
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
	reads    []*symbol // the assignments that a definition reads
	calls    []*symbol // the equations that an equation calls
	direct   []directCall
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
func (s *symbol) variable() bool { return s.kind == varSymbol }

// lasting reports whether the symbol is a variable that always has a value.
func (s *symbol) lasting() bool { return s.varKind() != "" && s.varKind() != "var" }

// givesWay reports whether an enumerated value may have the same name, and is meant where its type is expected.
func (s *symbol) givesWay() bool { return s.kind == typeSymbol || s.kind == defineSymbol }

// symbolOf returns the symbol that a name denotes, nil if it is unknown.
func symbolOf(b syntax.Binding) *symbol {
	s, _ := b.(*symbol)
	return s
}

// nodeSymbol returns the symbol that the name in a node of an expression or a term denotes, nil if there is none.
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

// declare collects the names of all declarations.
func (c *checker) declare() {
	properties, roles := namespace{}, namespace{}
	for i, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.SettingDecl:
			kinds := map[string]symbolKind{"param": paramSymbol, "option": optionSymbol}
			c.define(c.values, kinds[d.Kind], d.Header, d).order = i
		case *syntax.ChannelDecl:
			c.define(c.values, optionSymbol, syntax.Header{Pos: d.Pos, Name: channelOption}, d).order = i
		case *syntax.ConstDecl:
			c.define(c.values, constSymbol, d.Header, d).order = i
		case *syntax.TypeDecl:
			c.define(c.values, typeSymbol, d.Header, d).order = i
		case *syntax.VarDecl:
			for _, id := range d.Names {
				c.define(c.values, varSymbol, syntax.Header{Pos: id.Pos, Name: id.Name, At: id.Pos}, d)
			}
		case *syntax.AssignDecl:
			c.define(c.values, assignSymbol, d.Header, d)
		case *syntax.DefineDecl:
			c.define(c.values, defineSymbol, d.Header, d).order = i
		case *syntax.ProcessDecl:
			c.declareProcess(d)
		case *syntax.SignatureDecl:
			in, kind := c.messages, messageSymbol
			if d.Kind == "event" {
				in, kind = c.events, eventSymbol
			}
			c.define(in, kind, d.Header, d).fields = d.Fields
		case *syntax.EquationDecl:
			c.define(c.equations, equationSymbol, d.Header, d)
		case *syntax.RewardDecl:
			c.define(c.rewards, rewardSymbol, d.Header, d)
		case *syntax.PropertyDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.TemporalDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.BoundDecl:
			c.define(properties, propertySymbol, d.Header, d)
		case *syntax.RoleDecl:
			c.define(roles, roleSymbol, d.Header, d)
		}
	}
}

// define adds a symbol to a name space. Of two with the same name the first stays.
func (c *checker) define(in namespace, kind symbolKind, h syntax.Header, decl any) *symbol {
	s := &symbol{kind: kind, name: h.Name, pos: h.Pos, at: h.At, decl: decl}
	c.refer(h.At, s)
	if old := in[h.Name]; old != nil {
		c.errs.Add(h.Pos, "%s is already declared, as %s on line %d", h.Name, old.kind.a(), old.pos.Line).
			Code = "duplicate-name"
		return s
	}
	in[h.Name] = s
	return s
}

// reach marks the equations that an equation calls as used, transitively.
func (s *symbol) reach() {
	for _, called := range s.calls {
		if !called.used {
			called.used = true
			called.reach()
		}
	}
}

// warnUnused warns of declarations that nothing refers to, and of equations that only unused equations call.
func (c *checker) warnUnused() {
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
				c.warnUnneeded(sym.pos, "equation %s is unreachable; only properties mention it", name)
			case called[sym]:
				c.warnUnneeded(sym.pos, "equation %s is used only by itself, or by equations that are never used", name)
			default:
				c.warnUnneeded(sym.pos, "%s %s is never used", sym.kind, name)
			}
		}
	}
	for _, sym := range c.messages {
		switch {
		case sym.sent && !sym.received:
			c.warnUnneeded(sym.pos, "message %s is never received", sym.name)
		case sym.received && !sym.sent:
			c.warnUnneeded(sym.pos, "message %s is never sent", sym.name)
		}
	}
	for _, sym := range c.values {
		if sym.used && !sym.set && c.fixedValue(sym) {
			c.warnUnneeded(sym.pos, "%s %s is never set: it always has its initial value", sym.varKind(), sym.name)
		}
	}
	slices.SortFunc(c.warnings, func(a, b *syntax.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// fixedValue reports whether a register or ghost that nothing sets has the same value in all processes: its declaration
// gives it a value that refers to no process.
func (c *checker) fixedValue(sym *symbol) bool {
	d, ok := sym.decl.(*syntax.VarDecl)
	if !ok || d.Init == nil || d.Kind == "timer" {
		return false
	}
	fixed := true
	syntax.Walk(d.Init, func(node any) bool {
		if of := nodeSymbol(node); of != nil && !of.constant() && of.kind != valueSymbol {
			fixed = false
		}
		return fixed
	})
	return fixed
}

// isGoal reports whether s is a definition without parameters, which a goal, for example of --until, can name.
func (s *symbol) isGoal() bool {
	d, ok := s.decl.(*syntax.DefineDecl)
	return ok && len(d.Params) == 0
}

// channelOption is the name of the option that a channel clause with several kinds declares.
const channelOption = "channel"

// settings checks parameters, options, constants and types. Each may use those above it.
func (c *checker) settings() {
	for i, d := range c.file.Order {
		s := scope{context: constantContext, order: i, early: true, unlinked: true}
		switch d := d.(type) {
		case *syntax.SettingDecl:
			sh := c.settingShape(s, d)
			if d.Default != nil {
				c.expect(s, d.Default, sh, "default of "+d.Name)
			}
			c.setShape(d.Name, d, sh)
		case *syntax.ChannelDecl:
			c.setShape(channelOption, d, c.channelShape(d))
		case *syntax.ConstDecl:
			c.setShape(d.Name, d, c.expr(s, d.Value, nil))
		case *syntax.TypeDecl:
			c.setShape(d.Name, d, c.typ(s, d.Type))
		}
	}
}

// setShape tells the symbol of a declaration its shape, unless the name belongs to another declaration.
func (c *checker) setShape(name string, decl any, sh *shape) {
	if sym := c.values[name]; sym != nil && sym.decl == decl {
		sym.shape = sh
	}
}

func (c *checker) settingShape(s scope, d *syntax.SettingDecl) *shape {
	sh := c.typ(s, d.Type)
	if isBad(sh) || sh.nat || !sh.scalar() || sh.kind == dirShape {
		if !isBad(sh) {
			c.errs.Add(d.Type.TypePos(), "an option is bool, an enumeration or a range")
		}
		return nil
	}
	return sh
}

// channelShape returns the shape of the name channel: the names of the disciplines in their order, be they
// possible here or not.
func (c *checker) channelShape(d *syntax.ChannelDecl) *shape {
	for _, id := range d.Kinds {
		c.enumerantName(id)
	}
	c.values[channelOption].used = true // it has an effect even if no expression reads it
	return c.addEnum(&shape{kind: enumShape, names: channel.Keywords()})
}

// declarations checks everything else but equations and properties.
func (c *checker) declarations() {
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.TopologyDecl:
			c.topology(d)
		case *syntax.VarDecl:
			sh := c.typ(c.constants(), d.Type)
			c.condition(c.constants(), d.If)
			for _, id := range d.Names {
				c.setShape(id.Name, d, sh)
			}
			c.lasting(d, sh)
		case *syntax.SignatureDecl:
			c.fields(d.Fields)
		case *syntax.AssignDecl:
			c.assignDecl(d)
		}
	}
}

func (c *checker) topology(d *syntax.TopologyDecl) {
	c.expect(c.sizeScope(), d.Size, anInteger, "number of processes")
	if d.By != nil {
		c.expect(c.sizeScope(), d.By, anInteger, "number of processes")
	}
	if d.Anonymous && d.Shape().Anonymous {
		c.errs.Add(d.Pos, "anonymous is not needed: in a %s processes name their neighbours by direction", d.Kind)
	}
	if d.From == nil {
		return
	}
	s := c.constants()
	s.unlinked = true
	for _, id := range []*syntax.Ident{d.From, d.To} {
		sym := c.bind(scope{context: propertyContext, bound: s.bound}, id.Pos, id.Name, anInteger, id)
		id.Binding = sym
		s = s.bind(sym)
	}
	c.expect(s, d.If, aBoolean, "rule")
}

// lasting checks the initial value of a register, ghost or timer, which may depend on the number of the process.
func (c *checker) lasting(d *syntax.VarDecl, sh *shape) {
	if d.Kind == "var" || isBad(sh) {
		return
	}
	s := scope{context: startContext, order: len(c.file.Order)}
	if c.self != nil {
		s = s.bind(c.self)
	}
	switch {
	case d.Init != nil:
		c.later = append(c.later, func() { c.expect(s, d.Init, sh, "value of "+d.Names[0].Name) })
	case d.Kind == "ghost":
		c.errs.Add(d.Pos, "a ghost needs an initial value: ghost %s: … = …", d.Names[0].Name)
	case d.Kind == "register" && (sh.kind != setShape && !sh.scalar() || sh.nat): // its values are no range of numbers
		c.errs.Add(d.Pos, "a register of all values of %s: give it an initial value", sh)
	}
	if d.Kind == "timer" {
		if _, ok := d.Type.(*syntax.RangeType); !ok {
			c.errs.Add(d.Type.TypePos(), "a timer is a range that begins with 0")
		}
	}
}

func (c *checker) fields(fields []*syntax.Field) {
	declared := namespace{}
	for _, f := range fields {
		sym := c.define(declared, fieldSymbol, syntax.Header{Pos: f.Pos, Name: f.Name, At: f.Pos}, f)
		sym.shape = c.typ(c.constants(), f.Type)
		c.condition(c.constants(), f.If)
		f.Binding = sym
	}
}

func (c *checker) assignDecl(d *syntax.AssignDecl) {
	sh := c.typ(c.constants(), d.Type)
	if !isBad(sh) && (!sh.scalar() || sh.nat) {
		c.errs.Add(d.Type.TypePos(), "cannot assign all values of %s", sh)
	}
	c.condition(c.constants(), d.If)
	c.setShape(d.Name, d, sh)
}

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
