package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An info is what the checker knows about the names and types of a file. It does not change any more once
// the file is checked.
type info struct {
	file         *syntax.File
	processKinds []*syntax.ProcessDecl // or the one declaration for all processes

	// values are the parameters, options, constants, types, variables, assignments, definitions, and the process
	// number or the kinds of process.
	values    namespace
	messages  namespace
	events    namespace
	equations namespace
	rewards   namespace
	self      *symbol // of the process; nil without a process declaration
	own       *symbol // self, the number of the process in its equations; used if a spec reads it

	uses    map[any]*symbol // what the name in a node stands for, unless it is an enumerated value
	exprs   map[syntax.Expr]typed
	types   map[syntax.Type]typedType
	terms   map[syntax.Term]termLowering
	actions map[syntax.Action]func(*builder) ir.Action
	// fieldBinders are what the fields of a message or event are called in the value of a reward.
	fieldBinders map[rewardField]*symbol
	// observed are the assignments that properties and roles read, with the conditions of these; nil for none.
	observed map[*symbol][]syntax.Expr
}

// A checker fills in an info and collects what is wrong.
type checker struct {
	*info
	enums          []*shape // all enumerations; directions come first
	sent, received map[*symbol]bool
	errs           syntax.ErrorList
	warnings       syntax.ErrorList
	within         *symbol // the equation that is being checked
	// stateful says that the definition that is being checked looks at a state.
	stateful bool
	reads    []*symbol // the assignments that it reads
	later    []func()  // checks that wait for all declarations and definitions
}

func newChecker(f *syntax.File) *checker {
	return &checker{
		info: &info{
			file:         f,
			processKinds: syntax.All[*syntax.ProcessDecl](f),
			own:          &symbol{kind: processSymbol, name: "self", shape: anInteger},
			values:       namespace{}, messages: namespace{}, events: namespace{}, equations: namespace{}, rewards: namespace{},
			uses:         map[any]*symbol{},
			exprs:        map[syntax.Expr]typed{},
			types:        map[syntax.Type]typedType{},
			terms:        map[syntax.Term]termLowering{},
			actions:      map[syntax.Action]func(*builder) ir.Action{},
			fieldBinders: map[rewardField]*symbol{},
			observed:     map[*symbol][]syntax.Expr{},
		},
		enums:    []*shape{{kind: dirShape, names: directions(f.Topology).Names}},
		sent:     map[*symbol]bool{},
		received: map[*symbol]bool{},
	}
}

// run checks the whole file.
func (c *checker) run() {
	c.declare()
	c.clauses()
	c.settings()
	c.declarations()
	for i, d := range c.file.Order {
		if d, ok := d.(*syntax.DefineDecl); ok {
			c.defineDecl(d, i)
		}
	}
	for _, check := range c.later {
		check()
	}
	for _, d := range syntax.All[*syntax.EquationDecl](c.file) {
		c.equationDecl(d)
	}
	for _, d := range c.processKinds {
		c.processDecl(d)
	}
	for _, d := range syntax.All[*syntax.InitiallyDecl](c.file) {
		c.initially(d)
	}
	c.faults()
	c.guarded()
	c.draws()
	c.properties()
	c.unused()
}

// clauses reports clauses without which a spec says nothing.
func (c *checker) clauses() {
	if c.file.Topology == nil {
		c.errs.Add(c.file.Pos, "the topology is missing").Hint = "for example: topology undirected ring of n"
	}
	if len(c.processKinds) == 0 {
		c.errs.Add(c.file.Pos, "the process declaration is missing").Hint = "for example: process p = Start"
	}
}

func (c *checker) properties() {
	seen := map[string]syntax.Pos{}
	declare := func(name string, pos syntax.Pos) {
		if old, found := seen[name]; found {
			c.errs.Add(pos, "a second property %s, the first is on line %d", name, old.Line)
			return
		}
		seen[name] = pos
	}
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.PropertyDecl:
			declare(d.Name, d.Pos)
			c.propertyDecl(d)
		case *syntax.TemporalDecl:
			declare(d.Name, d.Pos)
			c.temporalDecl(d)
		case *syntax.BoundDecl:
			declare(d.Name, d.Pos)
			c.boundDecl(d)
		case *syntax.RewardDecl:
			c.rewardDecl(d)
		}
	}
	for _, goal := range c.file.Goals {
		c.goal(goal, nil)
	}
	c.roles()
}
