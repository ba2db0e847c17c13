package check

import (
	"strconv"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An info has the resolved names and types of a file. It is immutable once the file is checked.
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
	places  []occurrence    // where names stand, those of enumerated values as well
	exprs   map[syntax.Expr]typed
	types   map[syntax.Type]typedType
	terms   map[syntax.Term]termLowering
	actions map[syntax.Action]func(*builder) ir.Action
	// observed maps the assignments that properties and roles read to the conditions of these, which may be nil.
	observed map[*symbol][]syntax.Expr
}

// A checker fills in an info and collects errors and warnings.
type checker struct {
	*info
	enums    []*shape // all enumerations; directions come first
	errs     syntax.ErrorList
	warnings syntax.ErrorList
	missed   map[string]bool // the clauses that were reported missing, by their first words
	within   *symbol         // the equation that is being checked
	// stateful means that the definition that is being checked reads a state.
	stateful bool
	reads    []*symbol          // the assignments that it reads
	later    []func()           // checks that wait for all declarations and definitions
	drawn    []*syntax.DrawTerm // all draws, but those by choose
}

func newChecker(f *syntax.File) *checker {
	return &checker{
		info: &info{
			file:         f,
			processKinds: syntax.All[*syntax.ProcessDecl](f),
			own:          &symbol{kind: processSymbol, name: "self", shape: anInteger},
			values:       namespace{}, messages: namespace{}, events: namespace{},
			equations: namespace{}, rewards: namespace{},
			uses:     map[any]*symbol{},
			exprs:    map[syntax.Expr]typed{},
			types:    map[syntax.Type]typedType{},
			terms:    map[syntax.Term]termLowering{},
			actions:  map[syntax.Action]func(*builder) ir.Action{},
			observed: map[*symbol][]syntax.Expr{},
		},
		enums:  []*shape{{kind: dirShape, names: directions(f.Topology).Names}},
		missed: map[string]bool{},
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

// clauses reports missing clauses that every spec needs.
func (c *checker) clauses() {
	if c.file.Topology == nil {
		c.missing(c.file.Pos, "topology", "the topology is missing", "for example: topology undirected ring of n")
	}
	if len(c.processKinds) == 0 {
		c.missing(c.file.Pos, "process", "the process declaration is missing", "for example: process p = Start")
	}
}

func (c *checker) properties() {
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.PropertyDecl:
			c.propertyDecl(d)
		case *syntax.TemporalDecl:
			c.temporalDecl(d)
		case *syntax.BoundDecl:
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

// A Spec is a checked spec. It is immutable and safe for concurrent use.
type Spec struct {
	Name     string
	Doc      string
	Source   string // the paper and section; may be empty
	File     string // where the text comes from, as in positions
	Params   []Param
	Options  []Option
	Warnings syntax.ErrorList // in the order of the text

	info *info
}

// A Param is a parameter of a spec. Lo, Hi and Default are texts of expressions, which may depend on
// parameters above.
type Param struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Lo      string `json:"lo"`
	Hi      string `json:"hi"`
	Default string `json:"default"` // "": it must be set
}

// OptionKind is the kind of values of an option.
type OptionKind int

// The kinds of option.
const (
	BoolOption OptionKind = iota
	EnumOption
	IntOption
)

// An Option is an option of a spec. The channel clause with two kinds is the option "channel".
type Option struct {
	Name    string     `json:"name"`
	Doc     string     `json:"doc"`
	Kind    OptionKind `json:"-"`
	Values  []string   `json:"values"` // of an EnumOption
	Lo      string     `json:"lo"`     // of an IntOption, as in Param
	Hi      string     `json:"hi"`
	Default string     `json:"default"`
}

// File checks a spec as far as possible without values for its parameters. The error is a
// syntax.ErrorList.
func File(f *syntax.File) (*Spec, error) {
	c := newChecker(f)
	c.run()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return c.spec(), nil
}

// spec returns the spec that has been checked.
func (c *checker) spec() *Spec {
	f := c.file
	s := &Spec{
		Name: f.Name, Doc: f.Doc, Source: f.Source, File: f.Pos.File,
		Warnings: c.warnings,
		info:     c.info,
	}
	for _, d := range f.Order {
		switch d := d.(type) {
		case *syntax.ParamDecl:
			s.Params = append(s.Params, param(d))
		case *syntax.OptionDecl:
			s.Options = append(s.Options, c.option(d))
		case *syntax.ChannelDecl:
			if d.Default != nil {
				s.Options = append(s.Options, channelChoice(d))
			}
		}
	}
	return s
}

func param(d *syntax.ParamDecl) Param {
	p := Param{Name: d.Name, Doc: d.Doc, Lo: syntax.FormatExpr(d.Range.Lo), Hi: syntax.FormatExpr(d.Range.Hi)}
	if d.Default != nil {
		p.Default = syntax.FormatExpr(d.Default)
	}
	return p
}

func (i *info) option(d *syntax.OptionDecl) Option {
	o := Option{Name: d.Name, Doc: d.Doc, Default: syntax.FormatExpr(d.Default)}
	switch sh := i.types[d.Type].shape; sh.kind {
	case enumShape:
		o.Kind, o.Values = EnumOption, sh.names
	case intShape:
		o.Kind = IntOption
		if r, ok := i.resolved(d.Type).(*syntax.RangeType); ok {
			o.Lo, o.Hi = syntax.FormatExpr(r.Lo), syntax.FormatExpr(r.Hi)
		}
	}
	return o
}

// resolved returns the type that t names, or t itself.
func (i *info) resolved(t syntax.Type) syntax.Type {
	for {
		named, ok := t.(*syntax.NamedType)
		if !ok {
			return t
		}
		t = i.uses[named].decl.(*syntax.TypeDecl).Type
	}
}

func channelChoice(d *syntax.ChannelDecl) Option {
	o := Option{Name: channelOption, Doc: d.Doc, Kind: EnumOption, Default: d.Default.Name}
	for _, k := range d.Kinds {
		o.Values = append(o.Values, k.Name)
	}
	return o
}

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// article returns a noun with its article.
func article(noun string) string {
	if strings.IndexByte("aeio", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}
